import { sql } from 'kysely';
import { MADE_STATES } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { INTENT_COLUMNS, type Intent } from '../budgets/intent-table.ts';
import { textAfter } from '../sqlite/expressions.ts';
import type { StateDb } from '../sqlite/open-state.ts';

/**
 * What a digest counts, in instants: what happened since the digest before it. In one pass changes and withdrawals come before
 * the digest, and the fate of messages after it; so of the second of a digest those count for it, and these for the next.
 * Each counts once.
 */
export interface DigestSpan {
  readonly since: string;
  readonly now: string;
}

/** When the newest digest of the recipient of that name was made; undefined before the first. */
export async function lastDigestAt(db: StateDb, recipient: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('alert')
    .select(({ fn }) => fn.max('createdAt').as('at'))
    .where('kind', '=', 'digest')
    .where('recipient', '=', recipient)
    .executeTakeFirst();
  return row?.at;
}

/** The changes that were made, or found to be made, newest first. */
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

/** The accounts that failed in the newest run since the instant that was to read some. */
export async function failedAccountsSince(db: StateDb, since: string): Promise<CustomerId[]> {
  const rows = await db
    .selectFrom('runAccount')
    .select('customerId')
    .where('state', '=', 'failed')
    .where('runId', '=', ({ selectFrom }) =>
      selectFrom('runAccount')
        .innerJoin('run', 'run.id', 'runAccount.runId')
        .select(({ fn }) => fn.max('run.id').as('newest'))
        .where('run.startedAt', '>', since),
    )
    .orderBy('customerId')
    .execute();
  return rows.map((row) => row.customerId);
}

/** Messages that failed, or may not have arrived, and that no other channel has followed at the same number. */
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

/** Alerts of which an occasion was withdrawn and told to nobody, but for what became pointless. */
export async function toldToNobodyIn(db: StateDb, { since, now }: DigestSpan): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .select(({ fn }) => fn.count<bigint>('alertId').distinct().as('count'))
    .where('outbox.state', '=', 'withdrawn')
    .where('outbox.updatedAt', '>', since)
    .where('outbox.updatedAt', '<=', now)
    .where('alert.kind', 'in', ['event', 'condition'])
    .where(({ eb, or }) =>
      or([
        eb('outbox.withdrawnBecause', 'is', null),
        eb('outbox.withdrawnBecause', 'not in', ['proposal_over', 'condition_over']),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as other')
            .select('other.id')
            .whereRef('other.alertId', '=', 'outbox.alertId')
            .whereRef('other.occasion', '=', 'outbox.occasion')
            .where('other.state', '!=', 'withdrawn'),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(row?.count ?? 0n);
}
