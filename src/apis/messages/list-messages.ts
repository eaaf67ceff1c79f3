import * as z from 'zod';
import { getMessages } from './get-messages.ts';
import { messageRecord } from './message-record.ts';
import { type MessagesConnection, messagesUrl } from './messages-connection.ts';

const pageShape = z.object({ messages: z.array(messageRecord) });

/** How many of the account's newest messages a page of at most `size` has. Throws `ApiError`. */
export async function listMessages(connection: MessagesConnection, size: number): Promise<number> {
  const url = `${messagesUrl(connection)}.json?PageSize=${size}`;
  const { messages } = await getMessages(connection, url, pageShape, [connection.from]);
  return messages.length;
}
