import { sql } from 'kysely';
import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateFile } from '../sqlite/open-state.ts';
import type { AccountDay } from './day-table.ts';

/** Days that follow each other in the same state. */
export interface KnownDays extends DateRange {
  readonly state: KnownState;
}

/** What is known of a day that was read; other_question: by what the query asked before it was changed. */
type KnownState = AccountDay['state'] | 'other_question';

/** One account's days in a query's table, as the calendar of coverage shows them. */
export interface CoveredAccount {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly timeZone: string | undefined;
  /** In order; a day that is not here is missing. Empty for an account that was never read. */
  readonly known: readonly KnownDays[];
}

/** Every query that keeps days, with every account that is known. */
export async function coveredAccounts({ db, connection }: StateFile): Promise<CoveredAccount[]> {
  const accounts = await db
    .selectFrom('account')
    .select(['customerId', 'name', 'timeZone'])
    .orderBy('customerId')
    .execute();
  const queries = new Map<string, Map<string, KnownDays[]>>();
  // Row by row and as text: thousands of accounts have millions of days, of which no list is made.
  const rows = connection.prepare(SELECT_DAYS).raw().iterate() as IterableIterator<
    [string, bigint, CivilDate, KnownState]
  >;
  let open: { query: string; customer: bigint; from: CivilDate; to: CivilDate; state: KnownState } | undefined;
  let follows: CivilDate | undefined;
  const close = () => {
    if (open === undefined) return;
    const { query, customer, from, to, state } = open;
    const ofQuery = queries.get(query) ?? new Map<string, KnownDays[]>();
    queries.set(query, ofQuery);
    const account = String(customer);
    const known = ofQuery.get(account);
    if (known) known.push({ from, to, state });
    else ofQuery.set(account, [{ from, to, state }]);
  };
  for (const [query, customer, date, state] of rows) {
    const same = open?.query === query && open.customer === customer && open.state === state && follows === date;
    if (open && same) open.to = date;
    else {
      close();
      open = { query, customer, from: date, to: date, state };
    }
    follows = nextDay(date);
  }
  close();
  return [...queries].flatMap(([query, ofQuery]) =>
    accounts.map((account) => ({ ...account, query, known: ofQuery.get(account.customerId) ?? [] })),
  );
}

/** The question of a query is that of its newest slice: SQLite takes `query_text` from the row that has the maximum. */
const SELECT_DAYS = `
  WITH newest AS MATERIALIZED (SELECT query, query_text AS question, max(slice_id) FROM account_day GROUP BY query)
  SELECT query, customer_id, date, iif(query_text = question, state, 'other_question')
  FROM account_day JOIN newest USING (query) ORDER BY query, customer_id, date`;

const NEXT_DAYS = new Map<CivilDate, CivilDate>();

/** The accounts of a file share their days, and a calendar is slow to ask. */
function nextDay(date: CivilDate): CivilDate {
  const known = NEXT_DAYS.get(date);
  if (known !== undefined) return known;
  const next = addDays(date, 1);
  NEXT_DAYS.set(date, next);
  return next;
}

/** How far the days of an account moved after they were over. */
export interface Restatements {
  /** Days whose totals were others at a later reading. */
  readonly days: bigint;
  /** The longest time after which a day still moved, in days on the account's calendar. */
  readonly lagDays: bigint;
}

/**
 * By query and customer id; an account is missing where no day that was over has moved. Only readings by the same
 * question are compared: what another one counts has not moved. A day that was forgotten and read again has two readings
 * that say the same, and has not moved either.
 */
export async function restatements({ db }: StateFile): Promise<Map<string, Restatements>> {
  const { rows } = await sql<Restatements & { query: string; customerId: CustomerId }>`
    SELECT query, customer_id, count(DISTINCT date) AS days, max(days_after) AS lag_days
    FROM (SELECT day_reading.query, day_reading.customer_id, date, days_after,
        lag(days_after) OVER readings AS before,
        day_reading.rows <> lag(day_reading.rows) OVER readings OR totals <> lag(totals) OVER readings AS moved
      FROM day_reading JOIN slice ON slice.id = slice_id
      WINDOW readings AS (
        PARTITION BY day_reading.query, day_reading.customer_id, date, query_text ORDER BY slice_id
      ))
    WHERE before >= 1 AND moved GROUP BY query, customer_id`.execute(db);
  return new Map(rows.map(({ query, customerId, days, lagDays }) => [`${query} ${customerId}`, { days, lagDays }]));
}
