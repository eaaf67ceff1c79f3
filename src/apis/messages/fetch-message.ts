import { ApiError } from '../../domain/errors.ts';
import { getMessages } from './get-messages.ts';
import { type FoundMessage, foundMessage, MESSAGE_ID, messageRecord } from './message-record.ts';
import { type MessagesConnection, messagesUrl } from './messages-connection.ts';

/** What became of an accepted message; undefined when the interface knows none of this id. Throws `ApiError`. */
export async function fetchMessage(
  connection: MessagesConnection,
  providerId: string,
): Promise<FoundMessage | undefined> {
  if (!MESSAGE_ID.test(providerId)) return undefined;
  const url = `${messagesUrl(connection)}/${providerId}.json`;
  try {
    return foundMessage(await getMessages(connection, url, messageRecord, [connection.from]));
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return undefined;
    throw error;
  }
}
