import * as z from 'zod';
import { InvariantError } from '../../domain/errors.ts';
import { malformed } from '../../http/classify-failure.ts';
import { getMessages } from './get-messages.ts';
import { type FoundMessage, foundMessage, messageRecord } from './message-record.ts';
import { type MessagesConnection, messagesUrl } from './messages-connection.ts';

const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** The two clocks may stand on different sides of midnight. */
const CLOCKS_APART_MS = 60 * 60 * 1000;

const pageShape = z.object({ messages: z.array(messageRecord), next_page_uri: z.string().nullish() });

/**
 * Looks for a message that may be out: among those to this recipient since the day of `sinceMs`, the one whose text holds our
 * reference. Undefined means that it surely is not there. Throws `ApiError` when that cannot be told: the list is refused,
 * goes on for too long, leads to another host, or hides texts.
 */
export async function findMessage(
  connection: MessagesConnection,
  { to, reference, sinceMs }: { readonly to: string; readonly reference: string; readonly sinceMs: number },
): Promise<FoundMessage | undefined> {
  if (reference === '') throw new InvariantError('A look-up without a reference.');
  const { from } = connection;
  // The provider's description wants an instant, its documentation a day: the first instant of a day is both.
  const day = `${new Date(sinceMs - CLOCKS_APART_MS).toISOString().slice(0, 10)}T00:00:00Z`;
  const dayMs = Date.parse(day);
  const list = { To: to, From: from, PageSize: String(PAGE_SIZE) };
  // The name of the parameter ends in `>`, so this reads `DateSent>=<day>`.
  const ofDay = await searchList(connection, { ...list, 'DateSent>': day }, reference, () => true);
  // One that still waits at the provider has no such day: it is among those that were created since.
  return ofDay ?? searchList(connection, list, reference, (messages) => mayReachBack(messages, dayMs));
}

/**
 * Whether a list, newest first, may go on behind this page with messages that were created since. Throws `ApiError` when the page
 * does not say: to look no further would call a message lost that only waits behind many.
 */
function mayReachBack(messages: z.infer<typeof pageShape>['messages'], sinceMs: number): boolean {
  const last = messages.at(-1);
  if (last === undefined) return true;
  const createdMs = Date.parse(last.date_created ?? '');
  if (!Number.isNaN(createdMs)) return createdMs >= sinceMs;
  const words = 'The list of messages has more than one page and does not say when they were created';
  throw malformed('TOO_MANY_PAGES', `${words}, so whether ours is among them is not known`, false);
}

/** Looks through the pages of a list, newest first, for as long as it goes on and `goesOn` with the last page. */
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
    const { messages, next_page_uri }: z.infer<typeof pageShape> = await getMessages(
      ...([connection, url.href, pageShape, [wanted.To ?? '', connection.from]] as const),
    );
    const found = messages.find(({ body }) => body?.includes(reference));
    if (found) return foundMessage(found);
    hidden ||= messages.some(({ body }) => !body);
    url = next_page_uri && goesOn(messages) ? nextPage(first, next_page_uri) : undefined;
  }
  if (!hidden) return undefined;
  throw malformed(
    'HIDDEN_TEXTS',
    'The list of messages leaves texts out, so whether ours is among them is not known',
    false,
  );
}

/** The password goes with the request, so it goes nowhere else. */
function nextPage(first: URL, uri: string): URL {
  const next = URL.canParse(uri, first.href) ? new URL(uri, first.href) : undefined;
  if (next?.origin === first.origin) return next;
  throw malformed('FOREIGN_PAGE', 'The list of messages leads to another host, which is not followed', false);
}
