import { type NotNull, type RawBuilder, type Selection, type SqlBool, sql } from 'kysely';
import { knownChannel } from '../../../channels/channels.ts';
import { REFERENCE_LENGTH } from '../../../domain/channel.ts';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { instantText } from '../../../domain/civil-date.ts';
import { randomCode } from '../budgets/proposal-code.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { type Address, updateWaiting } from './outbox-row.ts';

const MESSAGE_COLUMNS = [
  'id',
  'channel',
  // The messaging interface uses `<channel>:+<number>`. The Graph interface uses digits.
  'recipient',
  'text',
  // The 8 characters after `pk-` in the text, which identify the message at the provider.
  'reference',
  'state',
  'status',
  'providerId',
  'attempts',
  // Account and sender of the last request.
  'account',
  'sender',
  // The time (UTC) immediately before the last request.
  'requestedAt',
  'error',
  'createdAt',
  'updatedAt',
] as const;

export type Message = Readonly<Selection<StateSchema, 'message', (typeof MESSAGE_COLUMNS)[number]>>;

/** Store the returned reference in the same transaction, so that no other process can use it. */
export async function freshReference(trx: StateDb): Promise<string> {
  for (;;) {
    const reference = randomCode(REFERENCE_LENGTH);
    const taken = await trx.selectFrom('message').select('id').where('reference', '=', reference).executeTakeFirst();
    if (taken === undefined) return reference;
  }
}

export interface NewMessage extends Pick<Message, 'channel' | 'recipient' | 'text' | 'reference'> {
  readonly rowIds: readonly bigint[];
  /** The message only counts the alerts of these rows and does not contain the texts. */
  readonly countedIds?: readonly bigint[];
}

/** Call this function in the transaction that selected the rows. */
export async function insertMessage(trx: StateDb, message: NewMessage, nowMs: number): Promise<bigint> {
  const now = instantText(nowMs);
  const { rowIds, countedIds = [], ...says } = message;
  const { id } = await trx
    .insertInto('message')
    .values({ ...says, channel: knownChannel(says.channel), state: 'pending', createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { ids, counted } of [
    { ids: rowIds, counted: 0n },
    { ids: countedIds, counted: 1n },
  ] as const) {
    for (const some of chunksOf(ids, ROWS_PER_STATEMENT)) {
      await updateWaiting(trx, nowMs).set({ messageId: id, counted }).where('id', 'in', some).execute();
    }
  }
  return id;
}

/** Deletes messages that were certainly not sent, but not the outbox rows. `ofAlert` selects messages of one alert. */
export async function takeApart(trx: StateDb, nowMs: number, ofAlert?: bigint): Promise<void> {
  const never = trx.selectFrom('message').select('id').where('state', '=', 'pending').where('mayBeOut', '=', 0n);
  const apart = await (ofAlert === undefined ? never : never.where(hasRow(sql`alert_id = ${ofAlert}`))).execute();
  for (const { id } of apart) {
    await trx
      .updateTable('outbox')
      .set({ messageId: null, counted: 0n, updatedAt: instantText(nowMs) })
      .where('messageId', '=', id)
      .execute();
    await trx.deleteFrom('message').where('id', '=', id).execute();
  }
}

export async function messagesLeasedUntil(db: StateDb, now: string): Promise<Message[]> {
  return messages(db).where('state', '=', 'sending').where('leaseUntil', '<=', now).execute();
}

/** Finds a message by the provider's id, or else by our reference. */
export async function messageOf(
  db: StateDb,
  channel: string,
  providerId: string,
  reference: string,
): Promise<Message | undefined> {
  const ofChannel = messages(db).where('channel', '=', channel);
  return (
    (await ofChannel.where('providerId', '=', providerId).executeTakeFirst()) ??
    (await ofChannel.where('reference', '=', reference).executeTakeFirst())
  );
}

export async function pendingMessages(db: StateDb, channel: string): Promise<Message[]> {
  return messages(db).where('state', '=', 'pending').where('channel', '=', channel).execute();
}

export async function unknownMessages(db: StateDb, sinceMs: number): Promise<Message[]> {
  return messages(db).where('state', '=', 'unknown').where('updatedAt', '>=', instantText(sinceMs)).execute();
}

/** True if an unfinished message without a provider id may have been sent. */
export async function awaitsProviderId(db: StateDb, channel: string): Promise<boolean> {
  const row = await db
    .selectFrom('message')
    .select('id')
    .where('channel', '=', channel)
    .where('providerId', 'is', null)
    .where(sql<SqlBool>`(state IN ('sending', 'unknown') OR (state = 'pending' AND may_be_out = 1))`)
    .executeTakeFirst();
  return row !== undefined;
}

/** `channels`: those whose provider reports delivery. */
export async function unreportedMessages(
  db: StateDb,
  channels: readonly string[],
  untilMs: number,
): Promise<Message[]> {
  return messages(db)
    .where('state', '=', 'accepted')
    .where('channel', 'in', channels)
    .where('acceptedAt', '<=', instantText(untilMs))
    .where(hasRow(sql`escalated_at IS NULL`))
    .execute();
}

/** Messages that wait after a failed attempt, with a row created at `sinceMs` or earlier. Ignores `info` rows. */
export async function overdueMessages(db: StateDb, sinceMs: number): Promise<Message[]> {
  return messages(db)
    .where('state', '=', 'pending')
    .where(hasRow(sql`outbox.attempts > 0 AND severity <> 'info' AND outbox.created_at <= ${instantText(sinceMs)}`))
    .execute();
}

const ROW_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.text',
  'outbox.severity',
  'outbox.reason',
  'outbox.short',
  'outbox.counted',
  'outbox.escalatedAt',
  'alert.customerId',
  'alert.dedupeKey',
  'alert.kind',
  'alert.rule',
  'alert.proposalCode',
  'alert.firedAt',
] as const;

export type MessageRow = Readonly<Selection<StateSchema, 'outbox' | 'alert', (typeof ROW_COLUMNS)[number]>> & {
  /** The name of its account. */
  readonly account: string | undefined;
};

export async function messageRows(db: StateDb, id: bigint): Promise<MessageRow[]> {
  return db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .leftJoin('account', 'account.customerId', 'alert.customerId')
    .select([...ROW_COLUMNS, 'account.name as account'])
    .$narrowType<{ account: NotNull }>()
    .where('messageId', '=', id)
    .orderBy('outbox.id')
    .execute();
}

/** Messages that failed with one of these error codes. Omits fully escalated messages. */
export async function failedMessages(db: StateDb, codes: readonly string[]): Promise<Message[]> {
  return messages(db)
    .where('state', '=', 'failed')
    .where('errorCode', 'in', codes)
    .where(hasRow(sql`escalated_at IS NULL`))
    .execute();
}

/** When the last message that the provider refused with this code went out, in UTC. `knownAt`: those refused earlier. */
export async function lastRefusedAt(
  db: StateDb,
  { channel, recipient }: Address,
  code: string,
  knownAt?: string,
): Promise<string | undefined> {
  const refused = db
    .selectFrom('message')
    .select('requestedAt')
    .where('channel', '=', channel)
    .where('recipient', '=', recipient)
    .where('errorCode', '=', code);
  const known = knownAt === undefined ? refused : refused.where('updatedAt', '<', knownAt);
  return (await known.orderBy('requestedAt', 'desc').limit(1).executeTakeFirst())?.requestedAt;
}

export async function messageById(db: StateDb, id: bigint): Promise<Message | undefined> {
  return messages(db).where('id', '=', id).executeTakeFirst();
}

function messages(db: StateDb) {
  return db.selectFrom('message').select(MESSAGE_COLUMNS).orderBy('id');
}

/** True for a message with an outbox row of this condition. */
function hasRow(condition: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`EXISTS (SELECT 1 FROM outbox WHERE outbox.message_id = message.id AND ${condition})`;
}
