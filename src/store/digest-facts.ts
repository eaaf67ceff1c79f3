import { sql } from 'kysely';
import { type CustomerId, customerId } from '../domain/ids.ts';
import { type Intent, toIntent } from './intent-table.ts';
import type { StateDb } from './open-state.ts';

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
    .select(({ fn }) => fn.max('created_at').as('at'))
    .where('kind', '=', 'digest')
    .where('recipient', '=', recipient)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** The changes that were made, or found to be made, newest first. */
export async function changesMadeIn(db: StateDb, { since, now }: DigestSpan): Promise<Intent[]> {
  const rows = await db
    .selectFrom('budget_intent')
    .selectAll()
    .where('state', 'in', ['applied', 'confirmed'])
    .where('updated_at', '>', since)
    .where('updated_at', '<=', now)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toIntent);
}

/** The accounts that failed in the newest run since the instant that was to read some. */
export async function failedAccountsSince(db: StateDb, since: string): Promise<CustomerId[]> {
  const rows = await db
    .selectFrom('run_account')
    .select('customer_id')
    .where('state', '=', 'failed')
    .where('run_id', '=', ({ selectFrom }) =>
      selectFrom('run_account')
        .innerJoin('run', 'run.id', 'run_account.run_id')
        .select(({ fn }) => fn.max('run.id').as('newest'))
        .where('run.started_at', '>', since),
    )
    .orderBy('customer_id')
    .execute();
  return rows.map((row) => customerId(row.customer_id.toString()));
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
            AND substr(there.recipient, instr(there.recipient, '+') + 1)
              = substr(here.recipient, instr(here.recipient, '+') + 1))))`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** Alerts of which an occasion was withdrawn and told to nobody, but for what became pointless. */
export async function toldToNobodyIn(db: StateDb, { since, now }: DigestSpan): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alert_id')
    .select(({ fn }) => fn.count<bigint>('alert_id').distinct().as('count'))
    .where('outbox.state', '=', 'withdrawn')
    .where('outbox.updated_at', '>', since)
    .where('outbox.updated_at', '<=', now)
    .where('alert.kind', 'in', ['event', 'condition'])
    .where(({ eb, or }) =>
      or([
        eb('outbox.withdrawn_because', 'is', null),
        eb('outbox.withdrawn_because', 'not in', ['proposal_over', 'condition_over']),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outbox as other')
            .select('other.id')
            .whereRef('other.alert_id', '=', 'outbox.alert_id')
            .whereRef('other.occasion', '=', 'outbox.occasion')
            .where('other.state', '!=', 'withdrawn'),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(row?.count ?? 0n);
}
