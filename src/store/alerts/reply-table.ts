import type { Channel } from '../../domain/channel.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';
import type { Address } from './outbox-row.ts';

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

/**
 * Where something is to be told soon and is not known to be: answers to people, what failed and was passed on to no other channel yet, and
 * what was. None that is older than `sinceMs`: it waits for the next report as anything else does. Newest first.
 */
export async function openAnswers(db: StateDb, sinceMs: number): Promise<Address[]> {
  const since = instantText(sinceMs);
  const rows = await db
    .selectFrom('outbox')
    .select(['channel', 'recipient'])
    .where('escalatedAt', 'is', null)
    .where(({ or, and, eb, exists, selectFrom }) => {
      const isOpen = and([eb('state', 'in', ['pending', 'sending', 'unknown']), eb('createdAt', '>=', since)]);
      return or([
        and([eb('state', '=', 'failed'), eb('updatedAt', '>=', since)]),
        and([isOpen, eb('reason', '=', 'reply')]),
        and([
          isOpen,
          exists(
            selectFrom('outbox as before')
              .select('before.id')
              .whereRef('before.alertId', '=', 'outbox.alertId')
              .whereRef('before.occasion', '=', 'outbox.occasion')
              .whereRef('before.id', '<', 'outbox.id')
              // A row is added in the moment in which another is passed on.
              .whereRef('before.escalatedAt', '=', 'outbox.createdAt'),
          ),
        ]),
      ]);
    })
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ channel, recipient }) => (recipient === undefined ? [] : [{ channel, recipient }]));
}
