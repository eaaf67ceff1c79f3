import { type Selectable, type SqlBool, sql } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import type { Address } from './outbox-row.ts';

export type ReplyOutcome = StateSchema['reply']['outcome'];

/** `dedupeKey` is the same if the provider delivers the reply again. */
export type NewReply = Readonly<Omit<Selectable<StateSchema['reply']>, 'id' | 'handledAt'>>;

/** In UTF-16 units. For privacy, the rest of a longer text is not stored. */
const TEXT_LENGTH_MAX = 1000;

/** Returns false if the reply was already handled. */
export async function insertReply(db: StateDb, reply: NewReply, nowMs: number): Promise<boolean> {
  const inserted = await db
    .insertInto('reply')
    .values({
      ...reply,
      text: reply.text.slice(0, TEXT_LENGTH_MAX),
      handledAt: instantText(nowMs),
    })
    .onConflict((conflict) => conflict.column('dedupeKey').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function outcomeOfReply(db: StateDb, dedupeKey: string): Promise<ReplyOutcome | undefined> {
  const row = await db.selectFrom('reply').select('outcome').where('dedupeKey', '=', dedupeKey).executeTakeFirst();
  return row?.outcome;
}

/** When somebody last wrote from this address, in UTC. */
export async function lastReplyAt(db: StateDb, { channel, recipient }: Address): Promise<string | undefined> {
  const row = await db
    .selectFrom('reply')
    .select('receivedAt')
    .where('channel', '=', channel)
    .where('sender', '=', recipient)
    .orderBy('receivedAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.receivedAt;
}

export async function isDecidedByReply(db: StateDb, proposalCode: string): Promise<boolean> {
  const row = await db
    .selectFrom('reply')
    .select('id')
    .where('proposalCode', '=', proposalCode)
    .where('outcome', 'in', ['approved', 'declined'])
    .executeTakeFirst();
  return row !== undefined;
}

/** Addresses of failed rows, unfinished replies, and unfinished rows that replace an escalated row. Newest first. */
export async function openAnswers(db: StateDb, sinceMs: number): Promise<Address[]> {
  const since = instantText(sinceMs);
  return (
    db
      .selectFrom('outbox')
      .select(['channel', 'recipient'])
      .where('escalatedAt', 'is', null)
      .where('recipient', 'is not', null)
      // An escalation stores the creation time of the new row in the old row.
      .where(sql<SqlBool>`((state = 'failed' AND updated_at >= ${since})
      OR (state IN ('pending', 'sending', 'unknown') AND created_at >= ${since} AND (reason = 'reply' OR EXISTS (
        SELECT 1 FROM outbox AS before WHERE before.alert_id = outbox.alert_id AND before.occasion = outbox.occasion
          AND before.id < outbox.id AND before.escalated_at = outbox.created_at))))`)
      .orderBy('id', 'desc')
      .$narrowType<{ recipient: string }>()
      .execute()
  );
}
