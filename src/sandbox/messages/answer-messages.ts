import { randomUUID } from 'node:crypto';
import { unreachable } from '../../domain/errors.ts';
import { channelOfAddress } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { ReceivedMessage } from '../message-store.ts';
import { fateOf, notDelivered } from '../phones.ts';
import { API_VERSION, basicOf, isJsonObject, type ReadRequest, type Route } from '../read-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Service } from '../service.ts';
import type { Filled } from '../templates.ts';

type MessageRoute = Extract<Route, { readonly kind: 'message' | 'message_list' | 'message_fetch' }>;

/** The specification shows only sending, so `strict` refuses listing and reading. */
export function answerMessages(service: Service, request: ReadRequest, route: MessageRoute): Reply {
  const { headers, path } = request.recorded;
  const notFound = () => messageError(404, 20404, `The requested resource ${path} was not found.`);
  if (service.strict && route.kind !== 'message') return notFound();
  const { accountId, username, password } = service.credentials.messages;
  if (basicOf(request) !== `${username}:${password}`) {
    return messageError(401, 20003, "Authenticate: expected Basic credentials of the sandbox's messaging account.");
  }
  if (route.account !== accountId) return notFound();
  switch (route.kind) {
    case 'message':
      return createMessage(service, headers['content-type'] ?? '', request.text);
    case 'message_list':
      return listMessages(service, new URL(path, 'http://sandbox').searchParams);
    case 'message_fetch':
      return fetchMessage(service, route.sid);
    default:
      return unreachable(route);
  }
}

const BODY_CHARACTERS_MAX = 1_600;
const ADDRESS = /^[a-z_]+:\+[1-9]\d{5,14}$/;

/** File types that are delivered (requirement C4). Used for media that the sandbox does not fetch. */
const ATTACHED = /\.(jpe?g|png|webp|ogg|amr|3gp|aac|mp3|mp4|pdf|docx?|pptx|xlsx|vcf|vcard)$/i;

/** Requirements C1 to C5. The caller has checked the credentials. */
function createMessage(service: Service, contentType: string, text: string): Reply {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) {
    const found = contentType === '' ? 'no content type' : contentType;
    return messageError(400, 20001, `Found ${found}, expected application/x-www-form-urlencoded.`);
  }
  const form = new URLSearchParams(text);
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  const filled = filledTemplate(service, form);
  const body = filled === undefined ? (form.get('Body') ?? '') : filled.kind === 'text' ? filled.body : filled.kind;
  const mediaUrl = form.get('MediaUrl') ?? undefined;
  const statusCallback = form.get('StatusCallback') ?? undefined;
  const problem = problemOf(to, from, body, mediaUrl, statusCallback) ?? (filled && templateProblem(filled, form));
  if (problem !== undefined) return problem;
  const behaviour = service.phones.behaviour('messages', to);
  if (behaviour === 'throttled') return messageError(429, 20429, 'Too many requests to this number.');
  if (behaviour === 'opted_out') return messageError(400, 21610, 'Attempt to send to an unsubscribed recipient.');
  const late = lateRefusal(service, to, filled);
  const fate = late === undefined ? fateOf('messages', behaviour) : notDelivered('messages', late);
  const isFetched = service.webhooks.fetches(mediaUrl);
  const message: ReceivedMessage = {
    sid: `SM${randomUUID().replaceAll('-', '')}`,
    channel: 'messages',
    to,
    from,
    body,
    mediaUrl,
    mediaAttached: mediaUrl !== undefined && ATTACHED.test(pathOf(mediaUrl) ?? ''),
    receivedAt: new Date(service.clock.now()).toISOString(),
    status: isFetched ? 'queued' : (fate.statuses.at(-1) ?? 'queued'),
    errorCode: isFetched ? undefined : fate.errorCode,
    statusCallback,
    reference: undefined,
  };
  service.store.messages.add(message);
  service.webhooks.reportFate(message, fate);
  // The specification does not show the body of the answer.
  if (service.strict) return jsonReply(201, {});
  const created: ReceivedMessage = { ...message, status: 'queued', errorCode: undefined };
  return jsonReply(201, messageResource(created, service.credentials.messages.accountId, false));
}

/** Undefined without a template. */
function filledTemplate({ templates }: Service, form: URLSearchParams): Filled | undefined {
  const content = form.get('ContentSid');
  if (content === null) return undefined;
  const variables: unknown = parseJson(form.get('ContentVariables') ?? '{}');
  if (!isJsonObject(variables)) return { kind: 'wrong_value' };
  return templates.fill(
    { content },
    Object.keys(variables).map((_, index) => variables[String(index + 1)]),
  );
}

function templateProblem(filled: Filled, form: URLSearchParams): Reply | undefined {
  if (form.has('Body') || form.has('MediaUrl')) {
    return messageError(400, 20001, "Found 'Body' or 'MediaUrl' beside 'ContentSid', expected only the template.");
  }
  if (filled.kind === 'unknown') return messageError(400, 21655, "The 'ContentSid' is invalid.");
  if (filled.kind === 'wrong_value') return messageError(400, 21656, "The 'ContentVariables' parameter is invalid.");
  return undefined;
}

/** The public service accepts such messages, and reports the failure later. */
function lateRefusal({ phones, clock }: Service, to: string, filled: Filled | undefined): number | undefined {
  if (filled?.kind === 'paused') return 63041;
  if (filled?.kind === 'wrong_number') return 63028;
  const isFree = filled === undefined && channelOfAddress(to) === 'whatsapp';
  return isFree && !phones.getsText('messages', to, clock.now()) ? 63016 : undefined;
}

function problemOf(
  to: string,
  from: string,
  body: string,
  mediaUrl: string | undefined,
  statusCallback: string | undefined,
): Reply | undefined {
  if (!ADDRESS.test(to)) {
    return messageError(400, 21211, `Invalid 'To': found "${to}", expected <channel>:+<digits>.`);
  }
  if (!ADDRESS.test(from)) {
    return messageError(400, 21606, `Invalid 'From': found "${from}", expected <channel>:+<digits>.`);
  }
  if (channelOfAddress(to) !== channelOfAddress(from)) {
    return messageError(400, 21910, `From(${from}) and To(${to}) addresses should be of the same channel.`);
  }
  if (body === '') return messageError(400, 21602, "Message body is required: found no 'Body'.");
  if (body.length > BODY_CHARACTERS_MAX) {
    const found = `found ${body.length} characters, expected at most ${BODY_CHARACTERS_MAX}`;
    return messageError(400, 21617, `The message body is too long: ${found}.`);
  }
  if (mediaUrl !== undefined && pathOf(mediaUrl) === undefined) {
    return messageError(400, 21620, `Invalid 'MediaUrl': found "${mediaUrl}", expected an http or https address.`);
  }
  if (statusCallback !== undefined && pathOf(statusCallback) === undefined) {
    const found = `found "${statusCallback}", expected an http or https address`;
    return messageError(400, 21609, `Invalid 'StatusCallback': ${found}.`);
  }
  return undefined;
}

function pathOf(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.pathname : undefined;
}

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 1_000;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

function fetchMessage({ store, credentials }: Service, sid: string): Reply {
  const message = store.messages.find(sid);
  if (message?.channel !== 'messages') return messageError(404, 20404, `No such message: ${sid}.`);
  return jsonReply(200, messageResource(message, credentials.messages.accountId, true));
}

/** The limits `DateSent>` and `DateSent<` are inclusive, as in the public service. */
function listMessages({ store, credentials }: Service, query: URLSearchParams): Reply {
  const sent = sentBetween(query);
  const page = wholeNumber(query.get('Page'), 0);
  const asked = wholeNumber(query.get('PageSize'), PAGE_SIZE);
  if (sent === undefined) return refuse('DateSent', 'a date YYYY-MM-DD or an instant YYYY-MM-DDThh:mm:ssZ');
  if (page === undefined) return refuse('Page', 'a whole number');
  if (asked === undefined || asked === 0) return refuse('PageSize', 'a whole number above 0');
  const pageSize = Math.min(asked, PAGE_SIZE_MAX);
  const olderThan = /^PA(SM[0-9a-f]{32})$/.exec(query.get('PageToken') ?? '')?.[1] ?? null;
  const found = store.messages.list({
    to: query.get('To'),
    from: query.get('From'),
    ...sent,
    olderThan,
    offset: olderThan === null ? page * pageSize : 0,
    limit: pageSize + 1,
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
    page,
    page_size: pageSize,
    start,
    end: Math.max(start, start + messages.length - 1),
    uri: uri(page, query.get('PageToken') ?? undefined),
    first_page_uri: uri(0),
    previous_page_uri: page === 0 ? null : uri(page - 1),
    // The link contains a token, so that new messages do not shift the pages.
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

function sentBetween(query: URLSearchParams): { since: string | null; until: string | null } | undefined {
  const [on, after, before] = ['DateSent', 'DateSent>', 'DateSent<'].map((name) => instantOf(query.get(name)));
  if ([on, after, before].some(Number.isNaN)) return undefined;
  const text = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);
  const day = on === undefined ? undefined : Math.floor(on / DAY_MS) * DAY_MS;
  // The range includes the whole second of `DateSent<`.
  const ends = [day === undefined ? Infinity : day + DAY_MS, before === undefined ? Infinity : before + SECOND_MS];
  return { since: text(Math.max(day ?? -Infinity, after ?? -Infinity)), until: text(Math.min(...ends)) };
}

function instantOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
}

const SEGMENT_CHARACTERS = 153;

export function messageError(status: number, code: number, message: string): Reply {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return jsonReply(status, { code, message, more_info, status });
}

export function messageResource(message: ReceivedMessage, accountId: string, isSent: boolean): object {
  const { sid, to, from, body, mediaAttached, receivedAt, status, errorCode } = message;
  const date = new Date(receivedAt).toUTCString().replace('GMT', '+0000');
  const uri = `/${API_VERSION}/Accounts/${accountId}/Messages/${sid}`;
  return {
    sid,
    account_sid: accountId,
    messaging_service_sid: null,
    status,
    direction: 'outbound-api',
    to,
    from,
    body,
    num_media: mediaAttached ? '1' : '0',
    num_segments: segments(body),
    price: null,
    price_unit: null,
    error_code: errorCode ?? null,
    error_message: errorCode === undefined ? null : `Error ${errorCode}`,
    date_created: date,
    date_updated: date,
    date_sent: isSent ? date : null,
    api_version: API_VERSION,
    uri: `${uri}.json`,
    subresource_uris: { media: `${uri}/Media.json` },
  };
}

function segments(body: string): string {
  return String(Math.max(1, Math.ceil(body.length / SEGMENT_CHARACTERS)));
}
