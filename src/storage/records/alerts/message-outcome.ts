import { sql } from 'kysely';
import { readReference } from '../../../domain/channel.ts';
import { instantText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { fireAgain, resolveDelivered } from './alert-table.ts';
import { freshReference, type Message, messageById, messageOf, messagesLeasedUntil } from './message-table.ts';

export const LEASE_MS = 5 * 60_000;

export type MessageOutcome =
  | {
      readonly kind: 'accepted';
      readonly providerId: string | undefined;
      readonly status: string | undefined;
      readonly response: string;
    }
  /** `not_processed` is temporary, `refused` is permanent. An `unknown` message may have been sent. */
  | {
      readonly kind: 'not_processed' | 'refused' | 'unknown';
      readonly error: string;
      readonly code: string | undefined;
    };

/**
 * Several processes deliver at once, each can die at any moment, and a sent message cannot be recalled. So a claim is
 * committed before the request: the state `sending`, a higher attempt number, and a lease. Only one process can move a
 * message from `pending`. If it dies, the request may have left. So after the lease, the message becomes `unknown`, and
 * not `pending`. The provider's list then decides. Only a message that it lacks is sent again. The lease is longer than
 * the time limits of a request together. A late outcome counts only if its attempt is still the current one. A late
 * acceptance always counts, because that message was sent. Returns the attempt number. Undefined if the message no
 * longer waits.
 */
export async function claimMessage(
  db: StateDb,
  id: bigint,
  holder: string,
  nowMs: number,
  from?: Pick<Message, 'account' | 'sender'>,
): Promise<bigint | undefined> {
  const now = instantText(nowMs);
  return inTransaction(db, async (trx) => {
    const claimed = await trx
      .updateTable('message')
      .set((row) => ({
        state: 'sending',
        attempts: row('attempts', '+', 1n),
        account: from?.account ?? null,
        sender: from?.sender ?? null,
        requestedAt: now,
        leaseHolder: holder,
        leaseUntil: instantText(nowMs + LEASE_MS),
        updatedAt: now,
      }))
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .returning('attempts')
      .executeTakeFirst();
    if (claimed === undefined) return undefined;
    await trx
      .updateTable('outbox')
      .set((row) => ({ state: 'sending', attempts: row('attempts', '+', 1n), updatedAt: now }))
      .where('messageId', '=', id)
      .execute();
    return claimed.attempts;
  });
}

export async function expireLeases(db: StateDb, nowMs: number): Promise<Message[]> {
  return inTransaction(db, async (trx) => {
    const messages = await messagesLeasedUntil(trx, instantText(nowMs));
    for (const message of messages) await moveMessage(trx, message, { to: 'unknown', error: INTERRUPTED }, nowMs);
    return messages;
  });
}

const INTERRUPTED = 'The process ended while the message was being sent.';

/** Ignores an outdated outcome, but always records an acceptance. Returns the message's new state. */
export async function recordOutcome(
  db: StateDb,
  id: bigint,
  attempt: bigint,
  outcome: MessageOutcome,
  nowMs: number,
): Promise<MessageState> {
  return inTransaction(db, async (trx) => {
    const message = await storedMessage(trx, id);
    if (outcome.kind === 'accepted') return acceptMessage(trx, message, outcome, nowMs);
    const isOpen = message.state === 'sending' || message.state === 'unknown';
    const to = ({ not_processed: 'pending', refused: 'failed', unknown: 'unknown' } as const)[outcome.kind];
    if (!isOpen || message.attempts !== attempt || to === message.state) return message.state;
    return moveMessage(trx, message, { to, error: outcome.error, code: outcome.code }, nowMs);
  });
}

/** Call this function if the provider has the message. Returns the message's new state. */
export async function recordFound(
  db: StateDb,
  id: bigint,
  found: { readonly providerId: string; readonly status: string | undefined; readonly errorCode: string | undefined },
  nowMs: number,
): Promise<MessageState> {
  return inTransaction(db, async (trx) => acceptMessage(trx, await storedMessage(trx, id), found, nowMs));
}

/** Call this function if the provider does not have the message. Returns the message's new state. */
export async function recordNotThere(db: StateDb, id: bigint, attempt: bigint, nowMs: number): Promise<MessageState> {
  return waitAgain(db, { id, attempt, because: 'The provider does not have the message.' }, nowMs);
}

const REPEATED = 'Sent again, because an earlier attempt may not have arrived.\n\n';

export function isRepeated({ text }: Pick<Message, 'text'>): boolean {
  return text.startsWith(REPEATED);
}

/**
 * For a message in doubt on an interface without a list. It waits once more. Its text then says so, which is also how the
 * next process knows that it may not be repeated again. Returns the message's new state.
 */
export async function repeatInDoubt(db: StateDb, id: bigint, attempt: bigint, nowMs: number): Promise<MessageState> {
  return inTransaction(db, async (trx) => {
    const message = await storedMessage(trx, id);
    if (isRepeated(message)) return message.state;
    const state = await waitAgain(trx, { id, attempt, because: message.error ?? 'In doubt.' }, nowMs);
    const text = REPEATED + message.text;
    if (state === 'pending') await trx.updateTable('message').set({ text }).where('id', '=', id).execute();
    return state;
  });
}

function waitAgain(
  db: StateDb,
  { id, attempt, because }: { readonly id: bigint; readonly attempt: bigint; readonly because: string },
  nowMs: number,
): Promise<MessageState> {
  return inTransaction(db, async (trx) => {
    const message = await storedMessage(trx, id);
    // With a provider id, the provider had the message. Its list may have lost it since.
    if (message.state !== 'unknown' || message.attempts !== attempt || message.providerId) return message.state;
    const { rows: takenOver } = await sql`
      SELECT there.id FROM outbox AS here
        JOIN outbox AS there ON there.alert_id = here.alert_id AND there.occasion = here.occasion
      WHERE here.message_id = ${id} AND there.created_at >= here.escalated_at AND there.channel <> here.channel LIMIT 1`.execute(
      trx,
    );
    if (takenOver.length > 0) return moveMessage(trx, message, { to: 'failed', error: TAKEN_OVER }, nowMs);
    await trx.updateTable('outbox').set({ escalatedAt: null }).where('messageId', '=', id).execute();
    return moveMessage(trx, message, { to: 'pending', error: because }, nowMs);
  });
}

const TAKEN_OVER = 'The message was not sent. Another channel took over.';

/** Marks an accepted message as failed if it has neither a provider id nor a status. */
export async function recordNeverTaken(db: StateDb, id: bigint, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    const message = await storedMessage(trx, id);
    if (message.state !== 'accepted' || message.providerId !== undefined || message.status !== undefined) return;
    await moveMessage(trx, message, { to: 'failed', error: NEVER_TAKEN }, nowMs);
  });
}

const NEVER_TAKEN = 'The provider reported success without a message id, and its list does not have the message.';

/** Marks an accepted message as `unknown`, so that people see it. It is not sent again if the provider had it. */
export async function recordUnreadable(db: StateDb, id: bigint, error: string, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    const message = await storedMessage(trx, id);
    if (message.state === 'accepted') await moveMessage(trx, message, { to: 'unknown', error }, nowMs);
  });
}

/** Marks a waiting message as failed, so that its alerts go to another channel. */
export async function giveUpWaiting(db: StateDb, id: bigint, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    const message = await messageById(trx, id);
    if (message?.state !== 'pending') return;
    const error = `The message waited too long. ${message.error ?? ''}`.trimEnd();
    await moveMessage(trx, message, { to: 'failed', error }, nowMs);
  });
}

/** The copy gets a new reference, so that a search at the provider cannot find the failed message. */
export async function repeatMessage(trx: StateDb, failed: Message, nowMs: number): Promise<void> {
  const { id, channel, recipient, text, attempts } = failed;
  const now = instantText(nowMs);
  const reference = await freshReference(trx);
  const copy = await trx
    .insertInto('message')
    .values({
      channel,
      recipient,
      text: text.slice(0, -reference.length) + reference,
      reference,
      attempts,
      state: 'pending',
      // With the value 1, `takeApart` does not delete the copy, so the number of attempts is kept.
      mayBeOut: 1n,
      createdAt: now,
      updatedAt: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = await trx
    .updateTable('outbox')
    .set({ messageId: copy.id, state: 'pending', error: null, updatedAt: now })
    .where('messageId', '=', id)
    .where('state', '=', 'failed')
    .where('escalatedAt', 'is', null)
    .returning('alertId')
    .execute();
  for (const { alertId } of rows) await fireAgain(trx, alertId, nowMs);
}

/** Does not delete the message, because the message may have been sent. */
export async function dissolveMessage(trx: StateDb, message: Message, why: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ messageId: null, updatedAt: instantText(nowMs) })
    .where('messageId', '=', message.id)
    .execute();
  await moveMessage(trx, message, { to: 'failed', error: why }, nowMs);
}

interface ProviderWord {
  readonly providerId?: string | undefined;
  /** The provider's status word, such as `queued`, `sent` or `delivered`. */
  readonly status: string;
  readonly errorCode?: string | undefined;
}

export interface StatusReport extends ProviderWord {
  readonly channel: string;
  readonly providerId: string;
  /** Undefined if the provider does not return our reference. */
  readonly reference?: string | undefined;
}

/** Reports come late, repeatedly and in any order. Returns `kept` if nothing changed. */
export async function recordStatus(
  db: StateDb,
  status: StatusReport,
  nowMs: number,
): Promise<'moved' | 'kept' | 'unknown_message'> {
  return inTransaction(db, async (trx) => {
    const { channel, providerId, reference = '' } = status;
    const message = await messageOf(trx, channel, providerId, readReference(reference) ?? reference);
    return message === undefined ? 'unknown_message' : reportMessage(trx, message, status, nowMs);
  });
}

async function reportMessage(
  trx: StateDb,
  message: Message,
  { providerId, status, errorCode }: ProviderWord,
  nowMs: number,
): Promise<'moved' | 'kept'> {
  if (!movesForward(message.status, status)) return 'kept';
  const to = stateOfStatus(status);
  const isSame = to === message.state;
  if (!isSame && !MESSAGE_TRANSITIONS[message.state].includes(to)) return 'kept';
  const code = errorCode === undefined ? '' : ` (${errorCode})`;
  const failed = to === 'failed' ? { error: `The provider reports the status ${status}${code}.`, code: errorCode } : {};
  await moveMessage(trx, message, { to, status, providerId, ...failed }, nowMs);
  return 'moved';
}

async function acceptMessage(
  trx: StateDb,
  message: Message,
  answer: {
    readonly providerId: string | undefined;
    readonly status: string | undefined;
    readonly errorCode?: string | undefined;
    readonly response?: string;
  },
  nowMs: number,
): Promise<MessageState> {
  const { providerId, status, errorCode, response } = answer;
  const to = MESSAGE_TRANSITIONS[message.state].includes('accepted') ? 'accepted' : message.state;
  await moveMessage(trx, message, { to, providerId, response }, nowMs);
  if (status === undefined) return to;
  await reportMessage(trx, { ...message, state: to }, { status, errorCode }, nowMs);
  return (await storedMessage(trx, message.id)).state;
}

async function storedMessage(trx: StateDb, id: bigint): Promise<Message> {
  const message = await messageById(trx, id);
  if (message === undefined) throw new InvariantError(`Message ${id} is gone although it was sent.`);
  return message;
}

interface Step {
  readonly to: MessageState;
  readonly status?: string | undefined;
  readonly providerId?: string | undefined;
  readonly response?: string | undefined;
  readonly error?: string;
  readonly code?: string | undefined;
}

async function moveMessage(trx: StateDb, message: Message, step: Step, nowMs: number): Promise<MessageState> {
  const { to, status, response, code } = step;
  const now = instantText(nowMs);
  const error = to === 'accepted' || to === 'delivered' ? null : (step.error ?? message.error ?? null);
  const arrived = to === 'accepted' || to === 'delivered' || (to === 'failed' && status !== undefined);
  const providerId = step.providerId === undefined ? undefined : await freeProviderId(trx, message, step.providerId);
  await trx
    .updateTable('message')
    .set((row) => ({
      state: to,
      error,
      updatedAt: now,
      // kysely does not change a column whose value is undefined.
      leaseHolder: to === 'sending' ? undefined : null,
      leaseUntil: to === 'sending' ? undefined : null,
      mayBeOut: to === 'unknown' ? 1n : undefined,
      acceptedAt: arrived ? row.fn.coalesce('acceptedAt', row.val(now)) : undefined,
      status,
      response,
      errorCode: code,
      providerId: providerId && row.fn.coalesce('providerId', row.val(providerId)),
    }))
    .where('id', '=', message.id)
    .execute();
  if (to === message.state) return to;
  await trx
    .updateTable('outbox')
    // With NULL in `escalatedAt`, a failed row goes to the next channel.
    .set({ state: to, error, updatedAt: now, escalatedAt: to === 'failed' ? null : undefined })
    .where('messageId', '=', message.id)
    .execute();
  await resolveDelivered(trx, { messageId: message.id }, nowMs);
  return to;
}

/** Returns undefined if another message already has the provider's id. */
async function freeProviderId(trx: StateDb, { id, channel }: Message, providerId: string): Promise<string | undefined> {
  const other = await trx
    .selectFrom('message')
    .select('id')
    .where('channel', '=', channel)
    .where('providerId', '=', providerId)
    .where('id', '!=', id)
    .executeTakeFirst();
  return other === undefined ? providerId : undefined;
}

export type MessageState = StateSchema['message']['state'];

/** An accepted message never returns to `pending`, so that no message is sent twice. */
export const MESSAGE_TRANSITIONS: Readonly<Record<MessageState, readonly MessageState[]>> = {
  pending: [
    'sending', // Stored before the request is sent.
    'accepted', // A late report shows that an earlier request succeeded.
    'delivered',
    'failed', // For example, a late report shows a failure, or the message waited too long.
  ],
  sending: [
    'accepted',
    'pending', // Certainly not processed, for a temporary reason.
    'failed', // Certainly not processed, permanently.
    'unknown', // No clear answer came, or the process died.
    'delivered', // The report of delivery came before the provider's answer.
  ],
  unknown: [
    'accepted', // The provider's list has the message, or a report came.
    'pending', // The provider's list does not have the message, or it has no list and the message is repeated once.
    'failed', // Sent but not delivered, or another channel took over.
    'delivered',
  ],
  accepted: [
    'delivered',
    'failed',
    'unknown', // The provider's status could not be read for too long.
  ],
  failed: ['delivered'], // A report of delivery counts even after a failure.
  delivered: [],
};

/** A higher number is a later status. */
const PROGRESS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    accepted: 1,
    scheduled: 1,
    queued: 2,
    sending: 3,
    sent: 4,
    failed: 5,
    undelivered: 5,
    canceled: 5,
    deleted: 5,
    delivered: 6,
    received: 6,
    read: 7,
    played: 8,
  }),
);

const progressOf = (word: string): number => PROGRESS.get(word) ?? 1;

/** Returns false for repeated and outdated reports. */
export function movesForward(known: string | undefined, word: string): boolean {
  return known === undefined || progressOf(word) > progressOf(known);
}

export function stateOfStatus(word: string): 'accepted' | 'failed' | 'delivered' {
  const progress = progressOf(word);
  return progress >= 6 ? 'delivered' : progress === 5 ? 'failed' : 'accepted';
}
