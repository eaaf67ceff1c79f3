import { type SqlBool, sql } from 'kysely';
import { MADE_STATES } from '../../../domain/budget-change.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { INTENT_COLUMNS, type Intent } from '../budgets/intent-table.ts';
import { textAfter } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';
import { READING_RUNS } from '../runs/run-history.ts';

/** Times are in UTC. */
export interface DigestSpan {
  readonly since: string;
  readonly now: string;
}

/** The time (UTC) of the recipient's last digest. Undefined before the first digest. */
export async function lastDigestAt(db: StateDb, recipient: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('alert')
    .select(({ fn }) => fn.max('createdAt').as('at'))
    .where('kind', '=', 'digest')
    .where('recipient', '=', recipient)
    .executeTakeFirst();
  return row?.at;
}

export async function changesMadeIn(db: StateDb, { since, now }: DigestSpan): Promise<Intent[]> {
  return db
    .selectFrom('budgetIntent')
    .select(INTENT_COLUMNS)
    .where('state', 'in', MADE_STATES)
    .where('updatedAt', '>', since)
    .where('updatedAt', '<=', now)
    .orderBy('id', 'desc')
    .execute();
}

/** Failed accounts of the newest report or extraction that recorded accounts and started after `since` (UTC). */
export async function failedAccountsSince(db: StateDb, since: string): Promise<CustomerId[]> {
  const rows = await db
    .selectFrom('runAccount')
    .select('customerId')
    .where('state', '=', 'failed')
    .where('runId', '=', ({ selectFrom }) =>
      selectFrom('runAccount')
        .innerJoin('run', 'run.id', 'runAccount.runId')
        .select(({ fn }) => fn.max('run.id').as('newest'))
        .where('run.startedAt', '>', since)
        .where('run.command', 'in', READING_RUNS),
    )
    .orderBy('customerId')
    .execute();
  return rows.map((row) => row.customerId);
}

/** Counts messages that failed or have an unknown outcome. Ignores a message whose alerts other channels took over. */
export async function lostMessagesIn(db: StateDb, { since, now }: DigestSpan): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM message
    WHERE state IN ('failed', 'unknown') AND updated_at >= ${since} AND updated_at < ${now}
      AND (NOT EXISTS (SELECT 1 FROM outbox WHERE message_id = message.id) OR EXISTS (
        SELECT 1 FROM outbox AS here WHERE here.message_id = message.id AND NOT EXISTS (
          SELECT 1 FROM outbox AS there
          WHERE there.alert_id = here.alert_id AND there.occasion = here.occasion AND there.channel <> here.channel
            AND (there.id > here.id OR there.state = 'delivered')
            AND ${textAfter('there.recipient', '+')} = ${textAfter('here.recipient', '+')})))`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** Counts alerts that were withdrawn for every recipient, unless the condition or proposal was over. */
export async function alertsToNobodyIn(db: StateDb, { since, now }: DigestSpan): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .select(({ fn }) => fn.count<bigint>('alertId').distinct().as('count'))
    .where('outbox.state', '=', 'withdrawn')
    .where('outbox.updatedAt', '>', since)
    .where('outbox.updatedAt', '<=', now)
    .where('alert.kind', 'in', ['event', 'condition'])
    .where(sql<SqlBool>`coalesce(outbox.withdrawn_because, '') NOT IN ('proposal_over', 'condition_over')`)
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM outbox AS other WHERE other.alert_id = outbox.alert_id
      AND other.occasion = outbox.occasion AND other.state <> 'withdrawn')`)
    .executeTakeFirst();
  return Number(row?.count ?? 0n);
}
