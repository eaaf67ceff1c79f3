import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import { API_VERSION, messageError, messageResource } from './message-resource.ts';

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 1_000;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** One message in the public shape, or 404. */
export function fetchMessage({ store, credentials }: Service, sid: string): Reply {
  const message = store.messages.find(sid);
  if (message?.channel !== 'messages') return messageError(404, 20404, `There is no message ${sid}.`);
  return jsonReply(200, messageResource(message, credentials.messages.accountId, true));
}

/**
 * Messages, newest first, in the public shape: filters `To`, `From`, `DateSent`, `DateSent>` and `DateSent<` (both
 * inclusive), pages by `PageSize`, `Page` and the `PageToken` that the answer's own `next_page_uri` carries.
 */
export function listMessages({ store, credentials }: Service, query: URLSearchParams): Reply {
  const sent = sentBetween(query);
  const page = wholeNumber(query.get('Page'), 0);
  const asked = wholeNumber(query.get('PageSize'), PAGE_SIZE);
  if (sent === undefined) return refuse('DateSent', 'a date YYYY-MM-DD or an instant YYYY-MM-DDThh:mm:ssZ');
  if (page === undefined) return refuse('Page', 'a whole number');
  if (asked === undefined || asked === 0) return refuse('PageSize', 'a whole number above 0');
  const pageSize = Math.min(asked, PAGE_SIZE_MAX);
  const olderThan = /^PA(SM[0-9a-f]{32})$/.exec(query.get('PageToken') ?? '')?.[1];
  const found = store.messages.list({
    ...{ to: query.get('To') ?? undefined, from: query.get('From') ?? undefined, ...sent, olderThan },
    ...{ offset: olderThan === undefined ? page * pageSize : 0, limit: pageSize + 1 },
  });
  const messages = found.slice(0, pageSize);
  const { accountId } = credentials.messages;
  const uri = (number: number, token?: string) => {
    const parameters = new URLSearchParams(query);
    for (const name of ['Page', 'PageSize', 'PageToken']) parameters.delete(name);
    parameters.append('PageSize', String(pageSize));
    parameters.append('Page', String(number));
    if (token !== undefined) parameters.append('PageToken', token);
    return `/${API_VERSION}/Accounts/${accountId}/Messages.json?${parameters}`;
  };
  const start = page * pageSize;
  return jsonReply(200, {
    messages: messages.map((message) => messageResource(message, accountId, true)),
    ...{ page, page_size: pageSize, start, end: Math.max(start, start + messages.length - 1) },
    ...{ uri: uri(page, query.get('PageToken') ?? undefined), first_page_uri: uri(0) },
    previous_page_uri: page === 0 ? null : uri(page - 1),
    // By the last message and not by its place: what arrives meanwhile moves no page.
    next_page_uri: found.length > pageSize ? uri(page + 1, `PA${messages.at(-1)?.sid}`) : null,
  });
}

function refuse(name: string, expected: string): Reply {
  return messageError(400, 20001, `Invalid '${name}': expected ${expected}.`);
}

function wholeNumber(text: string | null, absent: number): number | undefined {
  if (text === null) return absent;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The stretch in which the listed messages were sent; undefined when a date is none. Dates are UTC days. */
function sentBetween(
  query: URLSearchParams,
): { readonly since: string | undefined; readonly until: string | undefined } | undefined {
  const [on, after, before] = ['DateSent', 'DateSent>', 'DateSent<'].map((name) => instantOf(query.get(name)));
  if ([on, after, before].some(Number.isNaN)) return undefined;
  const text = (ms: number) => new Date(ms).toISOString();
  const day = on === undefined ? undefined : Math.floor(on / DAY_MS) * DAY_MS;
  const sinces = [day, after].filter((ms) => ms !== undefined);
  // A message's date has no fractions of a second: until the end of that second it is not after it.
  const untils = [day === undefined ? undefined : day + DAY_MS, before === undefined ? undefined : before + SECOND_MS];
  const ends = untils.filter((ms) => ms !== undefined);
  return {
    since: sinces.length === 0 ? undefined : text(Math.max(...sinces)),
    until: ends.length === 0 ? undefined : text(Math.min(...ends)),
  };
}

function instantOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
}
