import { instantText } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';
import { resolveTold } from './alert-state.ts';
import { MESSAGE_TRANSITIONS, type MessageState, movesForward, stateOfStatus } from './message-states.ts';
import { type Message, messageById } from './message-table.ts';
import type { StateDb } from './open-state.ts';

/** What a provider says has become of a message. */
export interface ProviderWord {
  readonly providerId?: string | undefined;
  readonly status: string;
  readonly errorCode?: string | undefined;
}

/**
 * Writes down the provider's word, if it says more than is known. That a message failed after all is news, whatever was done
 * about a report that did not come.
 */
export async function reportMessage(
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
  const failed = to === 'failed' ? { error: `The provider reports that it is ${status}${code}.`, code: errorCode } : {};
  await moveMessage(trx, message, { to, status, providerId, ...failed }, nowMs);
  return 'moved';
}

/** The provider has it: that is written down first, and then its word on what became of it. */
export async function acceptMessage(
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

export async function storedMessage(trx: StateDb, id: bigint): Promise<Message> {
  const message = await messageById(trx, id);
  if (message === undefined) throw new InvariantError(`Message ${id} is gone although it was sent.`);
  return message;
}

/** What a message becomes, with what is told of it. */
interface Step {
  readonly to: MessageState;
  readonly status?: string | undefined;
  readonly providerId?: string | undefined;
  readonly response?: string | undefined;
  readonly error?: string;
  readonly code?: string | undefined;
}

/** Moves a message and all its rows together. */
export async function moveMessage(trx: StateDb, message: Message, step: Step, nowMs: number): Promise<MessageState> {
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
      // Undefined leaves what is known.
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
    // That it failed after all is news, whatever was done about a report that did not come.
    .set({ state: to, error, updatedAt: now, escalatedAt: to === 'failed' ? null : undefined })
    .where('messageId', '=', message.id)
    .execute();
  await resolveTold(trx, { messageId: message.id }, nowMs);
  return to;
}

/** Two messages never share an id, whatever a provider answers: the later one goes without. */
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
