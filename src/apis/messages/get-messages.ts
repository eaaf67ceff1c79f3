import type * as z from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import { basicAuthorization, type MessagesConnection } from './messages-connection.ts';
import { readRefusal } from './read-refusal.ts';

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** Reads one resource of the interface. Throws `ApiError` when it is refused or not of the shape it should have. */
export async function getMessages<Shape extends z.ZodType>(
  connection: MessagesConnection,
  url: string,
  shape: Shape,
  addresses: readonly string[],
): Promise<z.infer<Shape>> {
  const headers = { ...basicAuthorization(connection), accept: 'application/json' };
  const answer = await connection.http.send({ method: 'GET', url, headers });
  const text = await readText(answer, ANSWER_BYTES_MAX);
  if (answer.status < 200 || answer.status >= 300) throw readRefusal(connection, answer, text, addresses);
  const read = shape.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw malformed('MALFORMED', 'The messaging interface did not answer with messages when it was asked for them', true);
}
