import * as z from 'zod';
import { ApiError, InvariantError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../services/http/classify-failure.ts';
import { basicAuthorization, isSuccess, readText } from '../../services/http/http-client.ts';
import type { FoundMessage } from '../channel.ts';
import { type MessagesConnection, messagesUrl } from './messages-connection.ts';
import { readRefusal } from './read-refusal.ts';

export const MESSAGE_ID = /^(SM|MM)[0-9a-f]{32}$/i;

export const STATUS_WORD = /^[a-z_-]{1,32}$/;

const messageRecord = z.object({
  sid: z.string().regex(MESSAGE_ID),
  status: z.string().transform((word) => (STATUS_WORD.test(word) ? word : undefined)),
  body: z.string().nullish(),
  /** In the format of RFC 2822: `Fri, 20 Nov 2026 09:31:00 +0000`. */
  date_created: z.string().nullish(),
  error_code: z
    .union([z.int().nonnegative().max(999_999_999), z.string().regex(/^\d{1,9}$/)])
    .nullish()
    .catch(undefined),
});

function foundMessage({ sid, status, error_code }: z.infer<typeof messageRecord>): FoundMessage {
  return { providerId: sid, status, errorCode: error_code == null ? undefined : String(error_code) };
}

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

async function getMessages<Shape extends z.ZodType>(
  connection: MessagesConnection,
  url: string,
  shape: Shape,
  addresses: readonly string[],
): Promise<z.infer<Shape>> {
  const headers = { ...basicAuthorization(connection), accept: 'application/json' };
  const answer = await connection.http.send({ method: 'GET', url, headers });
  const text = await readText(answer, ANSWER_BYTES_MAX);
  if (!isSuccess(answer)) throw readRefusal(connection, answer, text, addresses);
  const read = shape.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw malformed('MALFORMED', 'The messaging interface answered without a valid list of messages', true);
}

const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** The search starts this much earlier, because the provider's clock can differ from this machine's clock. */
const CLOCKS_APART_MS = 60 * 60 * 1000;

const pageShape = z.object({ messages: z.array(messageRecord), next_page_uri: z.string().nullish() });

/** Undefined if the provider certainly does not have the message. Throws `ApiError` if uncertain. */
export async function findMessage(
  connection: MessagesConnection,
  { to, reference, sinceMs }: { readonly to: string; readonly reference: string; readonly sinceMs: number },
): Promise<FoundMessage | undefined> {
  if (reference === '') throw new InvariantError('The look-up has no reference.');
  const { from } = connection;
  // The provider's schema expects a time, and its documentation a day. Midnight fits both.
  const day = `${new Date(sinceMs - CLOCKS_APART_MS).toISOString().slice(0, 10)}T00:00:00Z`;
  const dayMs = Date.parse(day);
  const list = { To: to, From: from, PageSize: String(PAGE_SIZE) };
  // The `>` belongs to the parameter's name, so the query contains `DateSent>=<day>`.
  const ofDay = await searchList(connection, { ...list, 'DateSent>': day }, reference, () => true);
  // A queued message has no sent date yet, so also search by creation.
  return ofDay ?? searchList(connection, list, reference, (messages) => mayReachBack(messages, dayMs));
}

/** True if later pages can contain messages since `sinceMs`. Throws `ApiError` if the last message has no date. */
function mayReachBack(messages: z.infer<typeof pageShape>['messages'], sinceMs: number): boolean {
  const last = messages.at(-1);
  if (last === undefined) return true;
  const createdMs = Date.parse(last.date_created ?? '');
  if (!Number.isNaN(createdMs)) return createdMs >= sinceMs;
  const words = 'The list of messages has several pages without creation dates';
  throw malformed('TOO_MANY_PAGES', `${words}, so pacekeeper cannot tell if it contains the message`, false);
}

/** The provider lists the newest messages first. */
async function searchList(
  connection: MessagesConnection,
  wanted: Readonly<Record<string, string>>,
  reference: string,
  goesOn: (messages: z.infer<typeof pageShape>['messages']) => boolean,
): Promise<FoundMessage | undefined> {
  const first = new URL(`${messagesUrl(connection)}.json?${new URLSearchParams(wanted)}`);
  let url: URL | undefined = first;
  let hidden = false;
  for (let page = 0; url !== undefined; page++) {
    if (page === PAGES_MAX)
      throw malformed('TOO_MANY_PAGES', `The list of messages has over ${PAGES_MAX} pages`, false);
    const addresses = [wanted.To ?? '', connection.from];
    const read: z.infer<typeof pageShape> = await getMessages(connection, url.href, pageShape, addresses);
    const { messages, next_page_uri } = read;
    const found = messages.find(({ body }) => body?.includes(reference));
    if (found) return foundMessage(found);
    hidden ||= messages.some(({ body }) => !body);
    url = next_page_uri && goesOn(messages) ? nextPage(first, next_page_uri) : undefined;
  }
  if (!hidden) return undefined;
  throw malformed(
    'HIDDEN_TEXTS',
    'The list of messages omits texts, so pacekeeper cannot tell if it contains the message',
    false,
  );
}

/** Throws for another host, because the request contains the password. */
function nextPage(first: URL, uri: string): URL {
  const next = URL.canParse(uri, first.href) ? new URL(uri, first.href) : undefined;
  if (next?.origin === first.origin) return next;
  throw malformed('FOREIGN_PAGE', 'The list of messages links to another host, which is not allowed', false);
}

/** Undefined if the interface does not know the id. Throws `ApiError`. */
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

export async function listMessages(connection: MessagesConnection, size: number): Promise<number> {
  const url = `${messagesUrl(connection)}.json?PageSize=${size}`;
  const { messages } = await getMessages(connection, url, pageShape, [connection.from]);
  return messages.length;
}
