import type { GraphConnection } from '../apis/graph/graph-connection.ts';
import { resolveSender } from '../apis/graph/resolve-sender.ts';
import { sendText, TEXT_LENGTH_MAX } from '../apis/graph/send-text.ts';
import { InputError } from '../domain/errors.ts';
import type { PhoneNumberId } from '../domain/graph-ids.ts';
import { isPhoneNumber } from '../domain/messaging-address.ts';
import { withRetriesTold } from '../http/retry.ts';

/** A text that the service took, which is not yet one that arrived. */
export interface SentText {
  readonly from: PhoneNumberId;
  readonly providerId: string | undefined;
}

/**
 * Sends a person's text at once. Throws `InputError` before anything is sent, and `ApiError`; only what surely was not
 * processed is tried again, so that no text goes out twice.
 */
export async function sendGraphText(
  graph: GraphConnection,
  { to, body }: { readonly to: string; readonly body: string },
): Promise<SentText> {
  refuseText(to, body);
  const from = await senderOf(graph);
  const { providerId } = await withRetriesTold(graph, 'write', 'The text', () => sendText(graph, { from, to, body }));
  return { from, providerId };
}

function refuseText(to: string, body: string): void {
  if (!/^\d+$/.test(to) || !isPhoneNumber(`+${to}`)) {
    throw new InputError('The recipient is not a number in international form, digits alone.', {
      nextStep: 'Write the country code and the number without a plus, spaces or zeros before: 4915112345678.',
    });
  }
  if (body.trim() !== '' && body.length <= TEXT_LENGTH_MAX) return;
  const found = body.trim() === '' ? 'empty' : `${body.length.toLocaleString('en-US')} characters long`;
  const most = TEXT_LENGTH_MAX.toLocaleString('en-US');
  throw new InputError(`The text is ${found}, expected 1 to ${most} characters.`, {
    nextStep: 'Put the text into quotes, and send a longer one in parts.',
  });
}

/** The number that is configured, or else the one number of the account (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.phoneNumberId !== undefined) return graph.phoneNumberId;
  if (graph.businessAccountId !== undefined) return resolveSender(graph, graph.businessAccountId);
  throw new InputError('Neither GRAPH_PHONE_NUMBER_ID nor GRAPH_BUSINESS_ACCOUNT_ID is set, so there is no sender.', {
    nextStep: 'Set GRAPH_PHONE_NUMBER_ID, which is the id of a sender and not its number.',
  });
}
