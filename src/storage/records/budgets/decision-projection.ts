import { sql } from 'kysely';
import type { StateDb } from '../record-store.ts';
import type { EventKind } from '../schema.ts';

/** Only events of these kinds can contain a decision. */
const DECIDING: ReadonlySet<EventKind> = new Set(['planned', 'recorded', 'proposed', 'refused', 'would_change']);

/** Each value is the SQL that reads the column from an event. */
const COLUMNS = {
  event_id: 'id',
  kind: `CASE kind WHEN 'proposed' THEN 'proposal' WHEN 'refused' THEN 'refusal' WHEN 'would_change' THEN 'would_change'
    ELSE 'change' END`,
  origin: `CASE WHEN kind NOT IN ('planned', 'recorded') THEN 'rule'
    WHEN detail ->> 'origin' IS NOT NULL THEN detail ->> 'origin'
    WHEN detail ->> 'intent_kind' = 'undo' THEN 'undo'
    WHEN coalesce(detail ->> 'proposal_code', approval) IS NOT NULL THEN 'approval'
    ELSE 'rule' END`,
  dry_run: `coalesce(CAST(detail ->> 'dry_run' AS BIGINT), 0)`,
  run_id: wholeNumber('run_id'),
  customer_id: wholeNumber('customer_id'),
  budget_id: wholeNumber('budget_id'),
  campaign_id: wholeNumber('campaign_id'),
  campaign_name: `detail ->> 'campaign_name'`,
  subject_kind: `detail ->> 'subject_kind'`,
  subject: `detail ->> 'subject'`,
  account_day: `detail ->> 'account_day'`,
  rule: `detail ->> 'rule'`,
  rule_version: `nullif(detail ->> 'rule_version', '')`,
  mode: `CASE kind WHEN 'would_change' THEN detail ->> 'mode' END`,
  code: `CASE kind WHEN 'refused' THEN detail ->> 'code' END`,
  currency: `detail ->> 'currency'`,
  from_micros: wholeNumber('from_micros'),
  to_micros: wholeNumber('to_micros'),
  numbers: `nullif(detail -> 'numbers', 'null')`,
  facts: `CASE kind WHEN 'refused' THEN nullif(detail -> 'facts', 'null') END`,
  reason: `detail ->> 'reason'`,
  reason_without_amounts: `detail ->> 'reason_without_amounts'`,
  intent_id: 'intent_id',
  proposal_code: `coalesce(detail ->> 'proposal_code', approval)`,
  decided_at: `coalesce(detail ->> 'decided_at', created_at)`,
};

function wholeNumber(name: string): string {
  return `CAST(detail ->> '${name}' AS BIGINT)`;
}

const NAMES = Object.keys(COLUMNS);

const detailOf = (event: string) => `CASE WHEN json_valid(${event}.detail) THEN ${event}.detail ELSE '{}' END`;

/** With `|| ''` after `approved.kind`, SQLite searches by `intent_id`, which is much faster. */
const PROJECTION = `SELECT ${Object.entries(COLUMNS)
  .map(([name, value]) => `${value} AS ${name}`)
  .join(', ')}
FROM (
  SELECT id, intent_id, kind, created_at, ${detailOf('event')} AS detail,
    CASE WHEN (${detailOf('event')}) ->> 'version' IS NULL THEN (
      SELECT (${detailOf('approved')}) ->> 'proposal_code' FROM budget_event AS approved
      WHERE approved.intent_id = event.intent_id AND approved.kind || '' = 'approved') END AS approval
  FROM budget_event AS event
  WHERE kind IN (${[...DECIDING].map((kind) => `'${kind}'`).join()})
) AS deciding
WHERE detail ->> 'rule' IS NOT NULL`;

const KEEP = `decision (${NAMES.join()}) ${PROJECTION}`;

/** Call this function in the transaction that adds the event. */
export async function keepDecision(
  trx: StateDb,
  event: { readonly id: bigint; readonly kind: EventKind },
): Promise<void> {
  if (!DECIDING.has(event.kind)) return;
  await sql`INSERT INTO ${sql.raw(KEEP)} AND id = ${event.id}`.execute(trx);
}

/** Skips altered events that give no valid row. `pacekeeper audit verify` finds such events. */
export async function keepAllDecisions(trx: StateDb): Promise<void> {
  await sql`SAVEPOINT decisions`.execute(trx);
  try {
    await sql`INSERT INTO ${sql.raw(KEEP)} ON CONFLICT DO NOTHING`.execute(trx);
  } catch {
    await sql`ROLLBACK TO decisions`.execute(trx);
    await keepEachDecision(trx);
  }
  await sql`RELEASE decisions`.execute(trx);
}

async function keepEachDecision(trx: StateDb): Promise<void> {
  const events = await trx
    .selectFrom('budgetEvent')
    .select('id')
    .where('kind', 'in', [...DECIDING])
    .orderBy('id')
    .execute();
  for (const { id } of events) {
    await sql`SAVEPOINT decision`.execute(trx);
    try {
      await sql`INSERT INTO ${sql.raw(KEEP)} AND id = ${id} ON CONFLICT DO NOTHING`.execute(trx);
    } catch {
      await sql`ROLLBACK TO decision`.execute(trx);
    }
    await sql`RELEASE decision`.execute(trx);
  }
}

export async function renewDecisions(trx: StateDb): Promise<void> {
  await trx.deleteFrom('decision').execute();
  await keepAllDecisions(trx);
}

export interface OtherDecision {
  readonly eventId: bigint;
  readonly kept: DecisionColumns | undefined;
  readonly replayed: DecisionColumns | undefined;
}

type DecisionColumns = Readonly<Record<string, string | null>>;

export async function otherDecisions(db: StateDb): Promise<OtherDecision[]> {
  const { rows } = await DIFFERENCES.execute(db.withoutPlugins());
  const columnsIn = (row: Difference, prefix: string): DecisionColumns | undefined => {
    if (row[`${prefix}event_id`] === null) return undefined;
    const entries = NAMES.map((name): [string, string | null] => {
      const value = row[prefix + name] ?? null;
      return [name, value === null ? null : String(value)];
    });
    return Object.fromEntries(entries);
  };
  return rows.map((row) => ({
    eventId: BigInt(row.event ?? 0n),
    kept: columnsIn(row, 'kept_'),
    replayed: columnsIn(row, 'replayed_'),
  }));
}

type Difference = Readonly<Record<string, string | bigint | null>>;

const row = (table: string) => NAMES.map((name) => `${table}.${name}`).join();
const named = (table: string) => NAMES.map((name) => `${table}.${name} AS ${table}_${name}`).join();

const DIFFERENCES = sql.raw<Difference>(`SELECT replayed.event_id AS event, ${named('kept')}, ${named('replayed')}
FROM (${PROJECTION}) AS replayed LEFT JOIN decision AS kept ON kept.event_id = replayed.event_id
WHERE (${row('kept')}) IS DISTINCT FROM (${row('replayed')})
UNION ALL
SELECT kept.event_id, ${row('kept')}, ${NAMES.map(() => 'NULL').join()} FROM decision AS kept
WHERE NOT EXISTS (SELECT 1 FROM (${PROJECTION}) AS replayed WHERE replayed.event_id = kept.event_id)
ORDER BY 1`);
