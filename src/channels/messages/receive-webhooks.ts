import { createHash, createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSame } from '../../services/http/is-same.ts';
import { bodyOf, hasMoreFields, Refusal, readForm } from '../../services/http/received-request.ts';
import type { ArrivedEvent, WebhookDeps } from '../channel.ts';

/** TwiML is XML for the provider. This TwiML sends no message. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;
const WRONG = 'X-Twilio-Signature does not match this form and SERVE_PUBLIC_URL';

export function receiveMessages(server: FastifyInstance, { keep, secrets, path, baseUrl }: WebhookDeps): void {
  const proofOf = ({ headers }: FastifyRequest) => {
    const password = secrets.MESSAGES_PASSWORD;
    if (password === undefined) throw new Refusal(404, 'MESSAGES_PASSWORD is not set');
    const signature = headers['x-twilio-signature'];
    if (typeof signature !== 'string') throw new Refusal(401, 'X-Twilio-Signature is missing');
    if (!SIGNATURE.test(signature)) throw new Refusal(403, WRONG);
    if (!FORM.test(headers['content-type'] ?? '')) throw new Refusal(400, 'the body is not a form');
    return { signature, password };
  };

  // Refuses a request without a well-formed signature before reading its body.
  const onRequest = async (request: FastifyRequest) => void proofOf(request);
  server.post(path, { onRequest }, async (request, reply) => {
    const { signature, password } = proofOf(request);
    const body = bodyOf(request);
    if (hasMoreFields(body, FIELDS_MAX)) throw new Refusal(400, `the form has more than ${FIELDS_MAX} fields`);
    const { fields, isWhole } = readForm(body);
    const fault = whyNotMessagesForm(fields);
    if (fault !== undefined) throw new Refusal(400, fault);
    if (!isSignedByMessages(signature, password, baseUrl() + request.url, fields)) throw new Refusal(403, WRONG);
    if (!isWhole || fields.size === 0) throw new Refusal(400, 'the body is not a form');
    const doubt = whyCutInDoubt(fields);
    if (doubt !== undefined) throw new Refusal(400, doubt);
    await keep([readMessagesWebhook(fields)]);
    return reply.type('text/xml; charset=utf-8').send(NO_ANSWER);
  });
}

/**
 * Source: https://www.twilio.com/docs/messaging/guides/webhook-request
 * https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
const NAMES = new Set(
  [
    'AccountSid ApiVersion Body From MessageSid MessagingServiceSid NumMedia NumSegments SmsMessageSid',
    'SmsSid SmsStatus To MessageStatus MessageType ErrorCode ErrorMessage RawDlrDoneDate Timestamp',
    'OptOutType AddOns EventType StructuredMessage FromCity FromCountry FromState FromZip ToCity',
    'ToCountry ToState ToZip ChannelInstallSid ChannelMetadata ChannelPrefix ChannelStatusMessage',
    'ChannelToAddress ProfileName WaId ExternalUserId Forwarded FrequentlyForwarded ButtonPayload',
    'ButtonText ButtonType ListDescription ListId ListTitle FlowData InteractiveData Address Label',
    'Latitude Longitude OriginalRepliedMessageSender OriginalRepliedMessageSid ReferralBody',
    'ReferralCtwaClid ReferralHeadline ReferralMediaContentType ReferralMediaId ReferralMediaUrl',
    'ReferralNumMedia ReferralSourceId ReferralSourceType ReferralSourceUrl',
  ].flatMap((names) => names.split(' ')),
);
const MEDIA = /^Media(ContentType|Url)\d{1,2}$/;
const isKnown = (name: string): boolean => NAMES.has(name) || MEDIA.test(name);

/** The provider adds fields without notice. All its names begin with a capital letter. */
const NAME = /^[A-Z][A-Za-z0-9]{0,63}$/;

const FIELDS_MAX = 100;

/** Undefined for a valid form. */
function whyNotMessagesForm(fields: URLSearchParams): string | undefined {
  const names = [...fields.keys()];
  if (!names.every((name) => NAME.test(name))) return 'the form has a malformed field name';
  return new Set(names).size < names.length ? 'the form has a field twice' : undefined;
}

const ADDRESS = '(?:[a-z]{1,20}:\\S|\\+?\\d)';
const MESSAGE_ID = '(?:SM|MM)[0-9a-fA-F]';

/** Ends of the names that decide what a form does, with the beginning of their values. No text of a person has them. */
const DECIDING = [
  ['AccountSid', 'AC[0-9a-fA-F]'],
  ['ExternalUserId', '\\S'],
  ['Forwarded', '(?:true|false)'],
  ['From', ADDRESS],
  ['MessageSid', MESSAGE_ID],
  ['MessageStatus', '[a-z]'],
  ['SmsSid', MESSAGE_ID],
  ['SmsStatus', '[a-z]'],
  ['To', ADDRESS],
] as const;

/**
 * The signed text is all names and values without separators, so the same signature fits other forms. Somebody who has
 * seen a signed form could move text between fields, for example to forge a sender. Undefined if the fields that
 * pacekeeper reads are the same in every form of this text:
 * - Each deciding field occurs in the text exactly as often as among the known fields. So no text of a person becomes
 *   such a field, and no unknown field hides one. Its value ends before the next name, which begins with a capital.
 * - `Body` can contain anything. So it begins at the first place that can be its name, and a known field ends it.
 */
function whyCutInDoubt(fields: URLSearchParams): string | undefined {
  const text = signedText(fields);
  for (const [name, value] of DECIDING) {
    const written = text.match(new RegExp(name + value, 'g')) ?? [];
    const begins = new RegExp(`^${value}`);
    const own = [...fields].filter(([field, held]) => isKnown(field) && field.endsWith(name) && begins.test(held));
    if (written.length !== own.length) return `the form hides or repeats a field ${name}`;
  }
  if (!fields.get('Body')) return undefined;
  const names = [...fields.keys()].sort();
  const at = names.indexOf('Body');
  const before = names.slice(0, at).reduce((length, name) => length + name.length + (fields.get(name) ?? '').length, 0);
  if (text.indexOf('Body') < before) return 'a field before the text contains its name';
  const next = names[at + 1];
  return next === undefined || isKnown(next) ? undefined : 'an unknown field after the text may be a part of it';
}

const INBOUND = new Set(['receiving', 'received']);

/** Each field must occur at most once. An unknown form becomes an event of the kind `other`. */
export function readMessagesWebhook(fields: URLSearchParams): ArrivedEvent {
  const field = (name: string) => fields.get(name) || undefined;
  const providerId = field('MessageSid') ?? field('SmsSid');
  const status = (field('MessageStatus') ?? field('SmsStatus'))?.toLowerCase();
  const userId = field('ExternalUserId');
  // An id is no number, whatever its digits.
  const sender = field('From') ?? (userId && `user:${userId}`);
  const payload = JSON.stringify(Object.fromEntries(fields));
  const base = { channel: 'messages', providerId, payload } as const;
  if (providerId !== undefined && status !== undefined && !INBOUND.has(status)) {
    const dedupeKey = `messages:status:${providerId}:${status}`;
    return { ...base, kind: 'status', dedupeKey, status };
  }
  if (providerId !== undefined && sender !== undefined) {
    const dedupeKey = `messages:message:${providerId}`;
    return { ...base, kind: 'message', dedupeKey, sender, text: fields.get('Body') ?? undefined };
  }
  const hash = createHash('sha256').update(fields.toString()).digest('hex');
  return { ...base, kind: 'other', dedupeKey: `messages:other:${hash}`, sender, status };
}

/** The signature is a base64 HMAC-SHA1 of the address and {@link signedText}. */
export function isSignedByMessages(signature: string, password: string, url: string, fields: URLSearchParams): boolean {
  const form = signedText(fields);
  // Compares with every spelling, so that timing does not reveal the match.
  return spellings(url).reduce((signed, spelling) => {
    const expected = createHmac('sha1', password)
      .update(spelling + form)
      .digest('base64');
    return isSame(signature, expected) || signed;
  }, false);
}

function signedText(fields: URLSearchParams): string {
  return [...fields]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => name + value)
    .join('');
}

/** Providers sign the address with or without the default port. */
function spellings(url: string): readonly string[] {
  const [, origin, port, rest = ''] = /^(https?:\/\/(?:\[[^\]]*\]|[^/:?#]*))(:\d+)?(.*)$/s.exec(url) ?? [];
  if (origin === undefined) return [url];
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return port === undefined ? [url, origin + usual + rest] : [url, origin + rest];
}
