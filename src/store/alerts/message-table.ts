import type { Selectable, Selection } from 'kysely';
import { type Channel, REFERENCE_LENGTH } from '../../domain/channel.ts';
import { instantText } from '../../domain/civil-date.ts';
import { randomCode } from '../budgets/proposal-code.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';

/** The account of area C that a request goes to, and the address that it is from: `<channel>:+<number>`. */
export interface MessageSender {
  readonly account: string;
  readonly address: string;
}

const MESSAGE_COLUMNS = [
  'id',
  'channel',
  // Area C: `<channel>:+<number>`. Area A: digits.
  'recipient',
  'text',
  // What the message is looked for by, 8 characters, in its text after `pk-`.
  'reference',
  'state',
  // The provider's last word on it.
  'status',
  'providerId',
  // Requests so far.
  'attempts',
  'account',
  'sender',
  // When the last request was about to leave.
  'requestedAt',
  'error',
  'createdAt',
  'updatedAt',
] as const;

type MessageRow = Selection<StateSchema, 'message', (typeof MESSAGE_COLUMNS)[number]>;

/** One text for one recipient, as a provider is given it. */
export type Message = Readonly<Omit<MessageRow, 'account' | 'sender'>> & {
  /** Who the last request was from; undefined before the first, and for area A. */
  readonly sender: MessageSender | undefined;
};

/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_ONCE = 10_000;

/** A reference that no message has, for one that is made in the same transaction. */
export async function freshReference(trx: StateDb): Promise<string> {
  for (;;) {
    const reference = randomCode(REFERENCE_LENGTH);
    const taken = await trx.selectFrom('message').select('id').where('reference', '=', reference).executeTakeFirst();
    if (taken === undefined) return reference;
  }
}

/** What a new message tells. */
export interface NewMessage extends Pick<Message, 'channel' | 'recipient' | 'text' | 'reference'> {
  /** The rows that it tells in words. */
  readonly rowIds: readonly bigint[];
  /** The rows of which it says only how many there are. */
  readonly countedIds?: readonly bigint[];
}

/** Makes a message of rows that wait and are in none. To be called in the transaction that has read them. */
export async function insertMessage(trx: StateDb, message: NewMessage, nowMs: number): Promise<bigint> {
  const now = instantText(nowMs);
  const { rowIds, countedIds = [], ...says } = message;
  const { id } = await trx
    .insertInto('message')
    .values({ ...says, state: 'pending', createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { ids, counted } of [
    { ids: rowIds, counted: 0n },
    { ids: countedIds, counted: 1n },
  ] as const) {
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      await trx
        .updateTable('outbox')
        .set({ messageId: id, counted, updatedAt: now })
        .where('id', 'in', ids.slice(from, from + ROWS_AT_ONCE))
        .where('state', '=', 'pending')
        .where('messageId', 'is', null)
        .execute();
    }
  }
  return id;
}

/**
 * Takes messages that wait and surely never left apart again: what waits is told anew, with what has come since. All, or those
 * that tell of one alert.
 */
export async function takeApart(trx: StateDb, nowMs: number, ofAlert?: bigint): Promise<void> {
  const never = trx.selectFrom('message').select('id').where('state', '=', 'pending').where('mayBeOut', '=', 0n);
  const telling = never.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('outbox')
        .select('outbox.id')
        .whereRef('outbox.messageId', '=', 'message.id')
        .where('outbox.alertId', '=', ofAlert ?? 0n),
    ),
  );
  const apart = await (ofAlert === undefined ? never : telling).execute();
  for (const { id } of apart) {
    await trx
      .updateTable('outbox')
      .set({ messageId: null, counted: 0n, updatedAt: instantText(nowMs) })
      .where('messageId', '=', id)
      .execute();
    await trx.deleteFrom('message').where('id', '=', id).execute();
  }
}

/** Messages that were being sent when the lease of their process ran out. */
export async function messagesLeasedUntil(db: StateDb, now: string): Promise<Message[]> {
  const rows = await messages(db).where('state', '=', 'sending').where('leaseUntil', '<=', now).execute();
  return rows.map(toMessage);
}

/** The message that a provider's report is about: by its id there, or else by our own word for it. */
export async function messageOf(
  db: StateDb,
  channel: Channel,
  providerId: string,
  reference: string,
): Promise<Message | undefined> {
  const ofChannel = messages(db).where('channel', '=', channel);
  const row =
    (await ofChannel.where('providerId', '=', providerId).executeTakeFirst()) ??
    (await ofChannel.where('reference', '=', reference).executeTakeFirst());
  return row && toMessage(row);
}

/** Messages that wait to be sent by that channel, oldest first. */
export async function pendingMessages(db: StateDb, channel: Channel): Promise<Message[]> {
  const rows = await messages(db).where('state', '=', 'pending').where('channel', '=', channel).execute();
  return rows.map(toMessage);
}

/** Messages that may or may not be out, since `sinceMs` or later. */
export async function unknownMessages(db: StateDb, sinceMs: number): Promise<Message[]> {
  const rows = await messages(db)
    .where('state', '=', 'unknown')
    .where('updatedAt', '>=', instantText(sinceMs))
    .execute();
  return rows.map(toMessage);
}

/** Whether a report may be about a message of ours whose provider id is not known: the answer to its request is, or was, awaited. */
export async function awaitsProviderId(db: StateDb, channel: Channel): Promise<boolean> {
  const row = await db
    .selectFrom('message')
    .select('id')
    .where('channel', '=', channel)
    .where('providerId', 'is', null)
    .where(({ or, and, eb }) =>
      or([eb('state', 'in', ['sending', 'unknown']), and([eb('state', '=', 'pending'), eb('mayBeOut', '=', 1n)])]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Messages that were accepted until `untilMs`, of which it is not known that they arrived, and which nothing has followed. */
export async function unreportedMessages(db: StateDb, untilMs: number): Promise<Message[]> {
  const rows = await messages(db)
    .where('state', '=', 'accepted')
    .where('acceptedAt', '<=', instantText(untilMs))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('outbox')
          .select('outbox.id')
          .whereRef('outbox.messageId', '=', 'message.id')
          .where('escalatedAt', 'is', null),
      ),
    )
    .execute();
  return rows.map(toMessage);
}

/**
 * Messages that were tried and wait, with something that is more than information and is waiting since `sinceMs` or longer.
 */
export async function overdueMessages(db: StateDb, sinceMs: number): Promise<Message[]> {
  const rows = await messages(db)
    .where('state', '=', 'pending')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('outbox')
          .select('outbox.id')
          .whereRef('outbox.messageId', '=', 'message.id')
          .where('outbox.attempts', '>', 0n)
          .where('outbox.severity', '!=', 'info')
          .where('outbox.createdAt', '<=', instantText(sinceMs)),
      ),
    )
    .execute();
  return rows.map(toMessage);
}

/** What a message tells, and whether it was passed on. */
export async function messageRows(
  db: StateDb,
  id: bigint,
): Promise<Pick<Selectable<StateSchema['outbox']>, 'severity' | 'reason' | 'counted' | 'escalatedAt'>[]> {
  return db
    .selectFrom('outbox')
    .select(['severity', 'reason', 'counted', 'escalatedAt'])
    .where('messageId', '=', id)
    .orderBy('id')
    .execute();
}

export async function messageById(db: StateDb, id: bigint): Promise<Message | undefined> {
  const row = await messages(db).where('id', '=', id).executeTakeFirst();
  return row && toMessage(row);
}

function messages(db: StateDb) {
  return db.selectFrom('message').select(MESSAGE_COLUMNS).orderBy('id');
}

function toMessage({ account, sender: address, ...message }: MessageRow): Message {
  const sender = account === undefined || address === undefined ? undefined : { account, address };
  return { ...message, sender };
}
