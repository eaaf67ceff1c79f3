import { instantText } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import { createPatience, retryDelayMs } from '../http/retry.ts';
import { claimMessage, type MessageOutcome, recordOutcome } from '../store/alerts/message-outcome.ts';
import type { MessageState } from '../store/alerts/message-states.ts';
import type { Message, MessageSender } from '../store/alerts/message-table.ts';
import { commit, type Delivery, type DeliveryPass, nextAddress } from './delivery-pass.ts';
import { lookUp } from './look-up.ts';
import { UNUSABLE_ADDRESS } from './send-by-channel.ts';

/**
 * Sends a message that waits, with a lease that is committed before each request. What was surely not processed is tried again
 * within the policy's bounds. What may be out is looked for first, and only sent again if it is surely not there, which a later
 * pass can tell. Undefined when another process has it.
 */
export async function sendClaimed(pass: DeliveryPass, message: Message): Promise<Delivery | undefined> {
  const { clock, pauses } = pass;
  const policy = pass.retry[message.channel];
  const patience = createPatience(policy, pauses);
  const sender = senderOf(pass, message);
  for (let attempt = 1; ; attempt++) {
    const startedMs = pauses.elapsedMs();
    const requestedMs = clock.now();
    const claimed = await commit(pass, 'claim', (trx) =>
      claimMessage(trx, message.id, pass.holder, requestedMs, sender),
    );
    if (claimed === undefined) return undefined;
    const answer = await trySending(pass, message);
    const outcome = answer instanceof ApiError ? outcomeOf(pass, message, answer) : answer;
    const ends = await commit(pass, 'outcome', (trx) => recordOutcome(trx, message.id, claimed, outcome, clock.now()));
    if (!(answer instanceof ApiError)) return delivery(message, ends, 'It was taken, and reported as failed at once.');
    patience.spend(pauses.elapsedMs() - startedMs);
    const delayMs = retryDelayMs(policy, attempt, answer.retryAfterMs);
    const mayTry = attempt < policy.attempts && !pauses.stop?.aborted;
    const again = answer.transient && mayTry && patience.allows(delayMs);
    if (again && (ends === 'pending' || ends === 'unknown')) await patience.pause(delayMs);
    const found =
      ends === 'unknown'
        ? await lookUp(pass, { ...message, attempts: claimed, sender, requestedAt: instantText(requestedMs) })
        : { state: ends, because: undefined };
    if (found.state === 'pending' && again && !pauses.stop?.aborted) continue;
    const said = explainFailure(answer);
    return delivery(message, found.state, found.because === undefined ? said : `${said} ${found.because}`);
  }
}

/** Who a message of area C is from, to be looked for by when the settings say something else. */
function senderOf({ messages }: DeliveryPass, { channel }: Message): MessageSender | undefined {
  return channel === 'messages' && messages ? { account: messages.accountId, address: messages.from } : undefined;
}

/** The failure is returned: what it means for the message is decided and written down first. */
async function trySending(pass: DeliveryPass, message: Message): Promise<ApiError | AcceptedOutcome> {
  pass.passes('send:before-send');
  const answer = await pass.send(message).catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
  pass.passes('send:after-answer');
  return answer instanceof ApiError ? answer : { kind: 'accepted', ...answer };
}

type AcceptedOutcome = Extract<MessageOutcome, { kind: 'accepted' }>;

/**
 * What the settings or the interface's owner can mend waits until it is mended, unless the recipient can be told by another
 * channel meanwhile. A refusal of the message itself is for good.
 */
function outcomeOf(pass: DeliveryPass, message: Message, failure: ApiError): MessageOutcome {
  const says = { error: explainFailure(failure), code: failure.status };
  if (failure.outcome === 'unknown') return { kind: 'unknown', ...says };
  const waits = failure.transient || (canBeMended(failure, message) && nextAddress(pass, message) === undefined);
  return { kind: waits ? 'not_processed' : 'refused', ...says };
}

function canBeMended({ httpStatus, status }: ApiError, { channel }: Message): boolean {
  const code = /^\d+$/.test(status) ? Number(status) : undefined;
  // A refusal of our own, before any request.
  if (httpStatus === undefined) return code === undefined && status !== UNUSABLE_ADDRESS;
  // Area A says with a code what others say with a status: a token or a permission is missing.
  if (channel === 'graph' && code !== undefined && [0, 10, 190].includes(code)) return true;
  if (channel === 'graph' && code !== undefined && code >= 200 && code < 300) return true;
  return [401, 403, 404].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400);
}

function delivery({ channel, recipient, text }: Message, state: MessageState, error: string | undefined): Delivery {
  const told = { channel, recipient, text };
  if (state === 'accepted' || state === 'delivered') return { ...told, state: 'accepted', error: undefined };
  return { ...told, state: state === 'sending' ? 'pending' : state, error };
}
