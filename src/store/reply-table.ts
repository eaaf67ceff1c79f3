import type { Channel } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './state-schema.ts';

export type ReplyOutcome = StateSchema['reply']['outcome'];

/** What a person has answered, and what came of it. */
export interface NewReply {
  /** The same however often the provider delivers it. */
  readonly dedupeKey: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly text: string;
  readonly proposalCode: string | undefined;
  readonly outcome: ReplyOutcome;
  /** What the sender is told; undefined for nothing. */
  readonly answer: string | undefined;
  /** Instant, UTC. */
  readonly receivedAt: string;
}

/** The file is no archive of what people write to each other. */
const TEXT_LENGTH_MAX = 1000;

/** Writes down a reply; false, and nothing is written, when it was handled already. */
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

/** What came of a reply; undefined while it was not handled. */
export async function outcomeOfReply(db: StateDb, dedupeKey: string): Promise<ReplyOutcome | undefined> {
  const row = await db.selectFrom('reply').select('outcome').where('dedupeKey', '=', dedupeKey).executeTakeFirst();
  return row?.outcome;
}

/** Whether a reply is on record as the one that decided on the proposal. */
export async function isDecidedByReply(db: StateDb, proposalCode: string): Promise<boolean> {
  const row = await db
    .selectFrom('reply')
    .select('id')
    .where('proposalCode', '=', proposalCode)
    .where('outcome', 'in', ['approved', 'declined'])
    .executeTakeFirst();
  return row !== undefined;
}
