import type { App } from '../app.ts';
import { numberOf } from '../domain/messaging-address.ts';
import { parseJson } from '../domain/parse-json.ts';
import type { WaitingEvent } from '../inbox/arrived-event.ts';

type Json = Readonly<Record<string, unknown>>;
type Sent = Pick<WaitingEvent, 'channel' | 'payload'>;

/** Our own number and account, as far as the settings name them. */
export interface OwnPlaces {
  readonly messages: Pick<NonNullable<App['messages']>, 'from' | 'accountId'> | undefined;
  readonly graph: Pick<NonNullable<App['graph']>, 'phoneNumberId' | 'businessAccountId'> | undefined;
}

/**
 * Whether a message names another number or account as the one that was written to. One app signs for all of its accounts, so
 * that a right signature does not say for whom the message is.
 */
export function isForOthers({ messages, graph }: OwnPlaces, { channel, payload }: Sent): boolean {
  const told = objectOf(parseJson(payload));
  if (channel === 'messages') {
    const [to, own] = [told.To, messages?.from].map((one) => (typeof one === 'string' ? numberOf(one) : undefined));
    return isAnother(to, own) || isAnother(told.AccountSid, messages?.accountId);
  }
  const { phone_number_id } = objectOf(told.metadata);
  return isAnother(phone_number_id, graph?.phoneNumberId) || isAnother(told.entry_id, graph?.businessAccountId);
}

/** Whether somebody else wrote the text, and the sender has passed it on. */
export function isForwarded({ channel, payload }: Sent): boolean {
  const told = objectOf(parseJson(payload));
  if (channel === 'messages') return told.Forwarded === 'true' || told.FrequentlyForwarded === 'true';
  const { forwarded, frequently_forwarded } = objectOf(objectOf(told.message).context);
  return forwarded === true || frequently_forwarded === true;
}

/** A fact that one side does not say contradicts nothing. */
function isAnother(told: unknown, own: string | undefined): boolean {
  return typeof told === 'string' && own !== undefined && told !== own;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
