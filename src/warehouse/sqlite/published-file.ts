import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Account } from '../../store/runs/account-table.ts';
import { withDatabase } from '../../store/sqlite/open-database.ts';
import type { Landmarks } from '../../store/sqlite/state-past.ts';
import { instantOutside } from '../publish/published-table.ts';
import { columnOfField, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { heldColumns } from './query-tables.ts';

/** A sum is undefined if one of its values is unknown. */
export interface PublishedDay {
  readonly date: CivilDate;
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
  readonly conversions?: number | undefined;
  readonly conversionsValue?: number | undefined;
}

type CampaignDayRow = readonly [CampaignId, CivilDate, bigint | null, bigint | null, number | null, number | null];

export type PublishedAccount = Pick<Account, 'customerId' | 'name' | 'currency' | 'timeZone'>;

export interface PublishedBudget {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly campaignId: CampaignId | undefined;
  readonly amountMicros: bigint;
  readonly table: string;
  /** True if the query lists all budgets. A budget without a row then does not exist. */
  readonly isListing: boolean;
  /** Number of campaigns that use the budget. Undefined if the query does not select the number. */
  readonly campaigns: bigint | undefined;
}

export type PublishedFile = ReturnType<typeof published>;

/** Returns undefined if the file is missing or not from pacekeeper. */
export function openPublished(path: string): PublishedFile | undefined {
  if (!existsSync(path)) return undefined;
  // Before opening: if the file is replaced in between, the next reader sees that the version is another.
  const sums = keptSums(path);
  const file = new Database(path, { readonly: true });
  try {
    file.defaultSafeIntegers(true);
    const { target } = file.prepare('SELECT target FROM as_of').get() as { readonly target: string | null };
    return published(file, target ?? undefined, sums);
  } catch {
    file.close();
    return undefined;
  }
}

export interface CampaignSums extends Omit<PublishedDay, 'date'> {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
}

interface CampaignSumRow {
  readonly customer_id: bigint;
  readonly campaign_id: bigint;
  readonly cost_micros: bigint | null;
  readonly clicks: bigint | null;
  readonly conversions?: number | null;
}

type DaySums = Map<string, readonly PublishedDay[]>;

/** The sums of the file that was opened last. They take longest, and a published file is only replaced, never changed. */
let kept: { readonly version: string; readonly sums: DaySums } | undefined;
const SUMS_MAX = 1000;

function keptSums(path: string): DaySums {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  const version = [path, dev, ino, size, mtimeNs].join(' ');
  if (kept?.version !== version) kept = { version, sums: new Map() };
  return kept.sums;
}

const LOST = 'search_budget_lost_impression_share';

/** Sums the high and the low half of each integer, because SQLite's sum fails beyond int64. */
const HALVES = ['cost_micros', 'clicks']
  .map((name) => `count(${name}) = count(*), sum(${name} >> 32), sum(${name} & 4294967295)`)
  .join(', ');

/** NULL if one value is unknown. */
const CONVERSIONS = 'CASE WHEN count(conversions) = count(*) THEN sum(conversions) END';

type SumRow = readonly [CivilDate, number | null, ...(bigint | null)[]];

function dayOf([date, conversions, ...parts]: SumRow): PublishedDay {
  const sum = (at: number) => {
    const [known, high, low] = parts.slice(at * 3, at * 3 + 3);
    return known === 1n && high != null && low != null ? (high << 32n) + low : undefined;
  };
  return { date, costMicros: sum(0), clicks: sum(1), conversions: conversions ?? undefined };
}

const dayTable = (query: string) => `main.${identifier(`${query}_by_day`)}`;

function published(file: Database.Database, target: string | undefined, sums: DaySums) {
  const rows = <Row>(sql: string, ...values: readonly unknown[]) =>
    file
      .prepare(sql)
      .raw()
      .all(...values) as Row[];
  const columnsOf = (table: string) => new Set(heldColumns({ connection: file }, table));
  const conversionsIn = (query: string) => (columnsOf(`${query}_by_day`).has('conversions') ? CONVERSIONS : 'NULL');
  const newest = (where: string, ...values: readonly unknown[]) => {
    const [found] = rows<[string | null]>(
      `SELECT ${instantOutside('max(read_at)')} FROM account_day WHERE ${where}`,
      ...values,
    );
    return found?.[0] ?? undefined;
  };
  return {
    target,
    /** The time is in UTC. If `query` is undefined, all queries count. */
    newestReading: (query: string | undefined) => (query === undefined ? newest('TRUE') : newest('query = ?', query)),
    /** The time is in UTC. */
    readAt: (query: string, customer: CustomerId) => newest('query = ? AND customer_id = ?', query, customer),
    accounts: (): PublishedAccount[] =>
      rows<[CustomerId, string | null, string | null, string | null]>(
        'SELECT CAST(customer_id AS TEXT), name, currency, time_zone FROM account ORDER BY customer_id',
      ).map(([customerId, name, currency, timeZone]) => ({
        customerId,
        name: name ?? undefined,
        currency: currency ?? undefined,
        timeZone: timeZone ?? undefined,
      })),
    /** Clicks of each account since the day. Unknown clicks count as 0. */
    clicksSince: (query: string, from: CivilDate) =>
      new Map(
        rows<[CustomerId, bigint | null, bigint | null]>(
          `SELECT CAST(customer_id AS TEXT), sum(clicks >> 32), sum(clicks & 4294967295) FROM ${dayTable(query)} WHERE date >= ? GROUP BY customer_id`,
          from,
        ).map(([customer, high, low]) => [customer, ((high ?? 0n) << 32n) + (low ?? 0n)]),
      ),
    hasConversions: (query: string) => columnsOf(`${query}_by_day`).has('conversions'),
    /** Reads the rows of `spendOfCampaigns`. Empty if a sum is beyond int64. */
    campaignSums: (sql: string): CampaignSums[] => {
      try {
        return file
          .prepare<[], CampaignSumRow>(sql)
          .all()
          .map(({ customer_id, campaign_id, cost_micros, clicks, conversions }) => ({
            customerId: String(customer_id) as CustomerId,
            campaignId: String(campaign_id) as CampaignId,
            costMicros: cost_micros ?? undefined,
            clicks: clicks ?? undefined,
            conversions: conversions ?? undefined,
          }));
      } catch (error) {
        if (error instanceof Error && error.message === 'integer overflow') return [];
        throw error;
      }
    },
    hasDays: (query: string) => {
      const columns = columnsOf(`${query}_by_day`);
      return ['cost_micros', 'clicks'].every((name) => columns.has(name));
    },
    newestComplete: (query: string) =>
      rows<[CivilDate | null]>(
        "SELECT max(date) FROM account_day WHERE query = ? AND state = 'settled'",
        query,
      )[0]?.[0] ?? undefined,
    completeDays: (query: string, { from, to }: DateRange) =>
      new Map(
        rows<[CustomerId, bigint]>(
          `SELECT CAST(customer_id AS TEXT), count(*) FROM account_day
            WHERE query = ? AND state = 'settled' AND date BETWEEN ? AND ? GROUP BY customer_id`,
          query,
          from,
          to,
        ).map(([customer, count]) => [customer, Number(count)]),
      ),
    dayStates: (query: string, customer: CustomerId, from: CivilDate) =>
      new Map(
        rows<[CivilDate, 'settled' | 'provisional' | 'missing']>(
          'SELECT date, state FROM account_day WHERE query = ? AND customer_id = ? AND date >= ? ORDER BY date',
          query,
          customer,
          from,
        ),
      ),
    daySums: (query: string, customer: CustomerId, from: CivilDate) => {
      const key = `${query} ${customer} ${from}`;
      const known = sums.get(key);
      if (known !== undefined) return known;
      const days = rows<SumRow>(
        `SELECT date, ${conversionsIn(query)}, ${HALVES} FROM ${dayTable(query)} WHERE customer_id = ? AND date >= ? GROUP BY date ORDER BY date`,
        customer,
        from,
      ).map(dayOf);
      if (sums.size < SUMS_MAX) sums.set(key, days);
      return days;
    },
    campaignDays: (query: string, customer: CustomerId, from: CivilDate) => {
      const columns = columnsOf(`${query}_by_day`);
      const results = ['conversions', 'conversions_value'].map((name) => (columns.has(name) ? name : 'NULL'));
      const days = file
        .prepare(`SELECT CAST(campaign_id AS TEXT), date, cost_micros, clicks, ${results.join(', ')}
          FROM ${dayTable(query)} WHERE customer_id = ? AND date >= ? ORDER BY date`)
        .raw()
        .iterate(customer, from) as IterableIterator<CampaignDayRow>;
      const found = new Map<CampaignId, PublishedDay[]>();
      for (const [campaign, date, cost, clicks, conversions, value] of days) {
        const own = found.get(campaign) ?? [];
        found.set(campaign, own);
        own.push({
          date,
          costMicros: cost ?? undefined,
          clicks: clicks ?? undefined,
          conversions: conversions ?? undefined,
          conversionsValue: value ?? undefined,
        });
      }
      return found;
    },
    /** Shares of the eligible impressions that the campaigns lost because of their budgets, from 0 to 1. */
    lostToBudget: (query: string, customer: CustomerId, month: CivilDate) => {
      const table = `${query}_by_month`;
      if (!columnsOf(table).has(LOST)) return new Map<CampaignId, number>();
      return new Map(
        rows<[CampaignId, number]>(
          `SELECT CAST(campaign_id AS TEXT), ${LOST} FROM main.${identifier(table)}
            WHERE customer_id = ? AND month = ? AND ${LOST} IS NOT NULL`,
          customer,
          month,
        ),
      );
    },
    daysOfCampaigns: (
      query: string,
      customer: CustomerId,
      campaigns: readonly CampaignId[],
      from: CivilDate,
      to: CivilDate,
    ) =>
      rows<SumRow>(
        `SELECT date, ${conversionsIn(query)}, ${HALVES} FROM ${dayTable(query)} WHERE customer_id = ? AND date BETWEEN ? AND ?
            AND campaign_id IN (SELECT value FROM temp.json_each(?)) GROUP BY date ORDER BY date`,
        customer,
        from,
        to,
        `[${campaigns.join()}]`,
      ).map(dayOf),
    campaignNames: (customer: CustomerId) =>
      new Map(
        rows<[CampaignId, string]>(
          'SELECT CAST(campaign_id AS TEXT), campaign_name FROM dim_campaign WHERE customer_id = ? AND campaign_name IS NOT NULL',
          customer,
        ),
      ),
    /** Accounts and names of the campaigns. Empty if no query reads campaigns. */
    campaigns: (ids: readonly CampaignId[]) =>
      columnsOf('dim_campaign').size === 0
        ? []
        : rows<[CustomerId, CampaignId, string | null]>(
            `SELECT CAST(customer_id AS TEXT), CAST(campaign_id AS TEXT), campaign_name FROM dim_campaign
              WHERE campaign_id IN (SELECT value FROM temp.json_each(?))`,
            `[${ids.join()}]`,
          ).map(([customerId, campaignId, name]) => ({ customerId, campaignId, name: name ?? undefined })),
    budgets: (queries: readonly StoredQuery[]) =>
      queries.flatMap((query) => budgetsIn(file, query, columnsOf(query.name))),
    close: () => {
      file.close();
    },
  };
}

/** Only queries without days list the current budgets. */
function budgetsIn(file: Database.Database, query: StoredQuery, columns: ReadonlySet<string>): PublishedBudget[] {
  const [budget, amount, campaign, references, shared] = [
    'campaign_budget.id',
    'campaign_budget.amount_micros',
    'campaign.id',
    'campaign_budget.reference_count',
    'campaign_budget.explicitly_shared',
  ].map((field) => columnOfField(query, field)?.name);
  if (budget === undefined || amount === undefined || hasDays(query)) return [];
  if (!columns.has(budget) || !columns.has(amount)) return [];
  const inUse = references !== undefined && columns.has(references) ? `AND ${identifier(references)} IS NOT 0` : '';
  const known = (column: string | undefined) =>
    column !== undefined && columns.has(column) ? identifier(column) : 'NULL';
  // A budget that is not shared has exactly one campaign.
  const campaigns = `coalesce(${known(references)}, CASE WHEN ${known(shared)} = 0 THEN 1 END)`;
  const rows = file
    .prepare(`SELECT DISTINCT CAST(customer_id AS TEXT), CAST(${identifier(budget)} AS TEXT),
      CAST(${campaign === undefined ? 'NULL' : identifier(campaign)} AS TEXT), ${identifier(amount)}, ${campaigns} FROM main.${identifier(query.name)}
      WHERE ${identifier(budget)} > 0 AND ${identifier(amount)} > 0 ${inUse}`)
    .raw()
    .all() as [CustomerId, BudgetId, CampaignId | null, bigint, bigint | null][];
  return rows.map(([customerId, budgetId, campaignId, amountMicros, count]) => ({
    customerId,
    budgetId,
    campaignId: campaignId ?? undefined,
    amountMicros,
    table: query.name,
    isListing: query.resource === 'campaign_budget',
    campaigns: count ?? undefined,
  }));
}

export interface PublishedPast extends Landmarks {
  readonly runs: number;
  readonly newestChange: { readonly id: bigint; readonly accountDay: string } | undefined;
}

export function publishedPast(path: string): PublishedPast | undefined {
  try {
    return withDatabase(new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 }), (file) => {
      file.defaultSafeIntegers(true);
      const newest = <Row>(table: string, columns: string) =>
        file.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined
          ? undefined
          : file.prepare<[], Row>(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 1`).get();
      return {
        runs: Number(file.prepare('SELECT count(*) FROM run').pluck().get()),
        newestRun: newest('run', `id, ${instantOutside('started_at')} AS startedAt`),
        newestEvent: newest('budget_event', 'id, hash'),
        newestChange: newest('budget_change', 'id, account_day AS accountDay'),
      };
    });
  } catch {
    return undefined;
  }
}

/** Integers are bigints, because a JavaScript number cannot represent every int64. */
export type PublishedValue = bigint | number | string | null;

export type PublishedTables = ReturnType<typeof openTables>;

export function openTables(path: string) {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  return {
    rows: (table: string, columns: readonly string[]) => {
      const select = file.prepare(`SELECT ${columns.join(', ')} FROM main.${identifier(table)}`);
      return select.raw().iterate() as Iterable<PublishedValue[]>;
    },
    close: () => {
      file.close();
    },
  };
}
