import type { GraphConnection } from '../apis/graph/call-graph.ts';
import { resolveSender } from '../apis/graph/phone-numbers.ts';
import { sendText, TEXT_LENGTH_MAX } from '../apis/graph/send-text.ts';
import type { MessagesConnection } from '../apis/messages/messages-connection.ts';
import { BODY_LENGTH_MAX, sendMessage } from '../apis/messages/send-message.ts';
import { type Channel, referenceWord } from '../domain/channel.ts';
import { ApiError, InvariantError } from '../domain/errors.ts';
import type { PhoneNumberId } from '../domain/ids.ts';
import { isMessagingAddress, isPhoneNumber } from '../domain/messaging-address.ts';
import type { Message } from '../store/alerts/message-table.ts';

/** UTF-16 units of a message's text, by channel. */
export const LENGTH_MAX: Readonly<Record<Channel, number>> = { messages: BODY_LENGTH_MAX, graph: TEXT_LENGTH_MAX };

/** What an interface has said to a message that it took. */
export interface Accepted {
  readonly providerId: string | undefined;
  readonly status: string | undefined;
  readonly response: string;
}

/** Sends one message, once. Throws `ApiError`; an `outcome` of `unknown` means that the message may be out. */
export type Send = (message: Pick<Message, 'channel' | 'recipient' | 'text' | 'reference'>) => Promise<Accepted>;

export interface Interfaces {
  readonly messages: MessagesConnection | undefined;
  readonly graph: GraphConnection | undefined;
  readonly statusCallback: string | undefined;
}

/** A message leaves by its channel. The sender of area A is asked for once, where the settings name its account alone. */
export function openSender({ messages, graph, statusCallback }: Interfaces): Send {
  let from = graph?.phoneNumberId;
  return async ({ channel, recipient: to, text: body, reference }) => {
    if (channel === 'messages') {
      if (!messages) throw new InvariantError('A message for an interface that is not configured.');
      if (!isMessagingAddress(to)) throw unusableAddress('<channel>:+<number>');
      return sendMessage(messages, { to, body, ...(statusCallback === undefined ? {} : { statusCallback }) });
    }
    if (!graph) throw new InvariantError('A message for an interface that is not configured.');
    if (!isPhoneNumber(`+${to}`)) throw unusableAddress('a number in international form, digits alone');
    from ??= await senderOf(graph);
    return { ...(await sendText(graph, { from, to, body, reference: referenceWord(reference) })), status: undefined };
  };
}

/** Nothing was sent when the sender cannot be told, whatever became of the question (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.businessAccountId === undefined) throw new InvariantError('A message without a sender.');
  try {
    return await resolveSender(graph, graph.businessAccountId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.message, { ...error, outcome: 'not_processed', cause: error });
  }
}

/** The status of a refusal of our own. */
export const UNUSABLE_ADDRESS = 'UNUSABLE_ADDRESS';

function unusableAddress(expected: string): ApiError {
  return new ApiError(`The recipient's address cannot be used, expected ${expected}.`, {
    status: UNUSABLE_ADDRESS,
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Mend it under alerts.recipients.',
  });
}
