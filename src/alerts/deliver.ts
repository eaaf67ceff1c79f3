import { BODY_LENGTH_MAX, type MessagesConnection, sendMessage } from '../apis/messages/send-message.ts';
import type { Clock, Pauses } from '../domain/clock.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import type { RetryPolicy } from '../domain/retry-policy.ts';
import { withRetries } from '../http/retry.ts';
import type { StateFile } from '../store/open-state.ts';
import { addressOutbox, type PendingMessage, pendingMessages, updateMessage } from '../store/outbox-table.ts';

export interface DeliveryDeps {
  readonly state: StateFile;
  readonly messages: MessagesConnection;
  readonly recipients: readonly string[];
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly pauses: Pauses;
}

export interface Delivery {
  readonly recipient: string;
  readonly text: string;
  /** `pending`: surely not sent, tried again next time. `unknown`: may be out, never sent again. */
  readonly state: 'accepted' | 'pending' | 'failed' | 'unknown';
  readonly error: string | undefined;
}

/**
 * Sends what waits in the outbox. A message is marked `sending` before the request and never sent again once it may
 * have arrived: only an answer or a connection that proves the opposite allows another try.
 */
export async function deliverOutbox(deps: DeliveryDeps): Promise<Delivery[]> {
  await addressOutbox(deps.state.db, deps.recipients, deps.clock.now());
  const deliveries: Delivery[] = [];
  for (const message of await pendingMessages(deps.state.db)) deliveries.push(await deliver(deps, message));
  return deliveries;
}

async function deliver(deps: DeliveryDeps, message: PendingMessage): Promise<Delivery> {
  const { state, clock } = deps;
  const { recipient, text } = message;
  const outgoing = { to: recipient, body: shorten(text) };
  try {
    const { response } = await withRetries(deps.retry, deps.pauses, 'write', async () => {
      await updateMessage(state.db, message.id, { state: 'sending', attempt: true }, clock.now());
      return sendMessage(deps.messages, outgoing);
    });
    await updateMessage(state.db, message.id, { state: 'accepted', response }, clock.now());
    return { recipient, text, state: 'accepted', error: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const end = error.outcome === 'unknown' ? 'unknown' : mayPass(error) ? 'pending' : 'failed';
    const reason = explainFailure(error);
    await updateMessage(state.db, message.id, { state: end, error: reason }, clock.now());
    return { recipient, text, state: end, error: reason };
  }
}

/** What was not sent waits if time or the settings can mend it; a refusal of the message itself is for good. */
function mayPass({ transient, httpStatus = 0 }: ApiError): boolean {
  return transient || [401, 403, 404].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400);
}

function shorten(text: string): string {
  return text.length <= BODY_LENGTH_MAX ? text : `${text.slice(0, BODY_LENGTH_MAX - 1)}…`;
}
