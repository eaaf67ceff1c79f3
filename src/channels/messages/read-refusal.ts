import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { classifyForeign, classifyStatus } from '../../services/http/classify-failure.ts';
import type { HttpAnswer } from '../../services/http/http-client.ts';
import { maskNumbers } from '../../services/http/mask-numbers.ts';
import { retryAfterMs } from '../../services/http/retry.ts';
import type { CodeMeaning } from '../channel.ts';
import type { MessagesConnection } from './messages-connection.ts';

const WORDS_LENGTH_MAX = 500;

const refusalShape = z.object({
  code: z.int().positive().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

const STATUS_STEPS: Readonly<Record<number, string>> = {
  401: 'Check MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME and MESSAGES_PASSWORD.',
  404: 'Check MESSAGES_URL and MESSAGES_ACCOUNT_ID.',
};

/** These codes are better evidence of the outcome than the HTTP status. */
const REFUSED_FOR_NOW = new Set(['20429', '21611', '63018']);
const MAY_BE_OUT = new Set(['20500', '20503']);

/** Removes secrets and phone numbers, because the interface can repeat both. */
export function readRefusal(
  connection: MessagesConnection,
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
  text: string,
  addresses: readonly string[],
): ApiError {
  const read = refusalShape.safeParse(parseJson(text));
  const { code: number, message = '' } = read.success ? read.data : {};
  const code = number === undefined ? undefined : String(number);
  const known = code === undefined ? undefined : explainMessageCode(code);
  // Redact before cutting, because half a secret would not be recognised.
  const words = shorten(maskNumbers(connection.redact(message), addresses));
  const said = [code, words]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .replace(/\.$/, '');
  const answered = `The messaging interface answered HTTP ${status}${said ? `: ${said}` : ''}.`;
  return new ApiError(known ? `${answered} ${known.meaning}` : answered, {
    ...(read.success ? classify(status, code) : classifyForeign(status, text)),
    httpStatus: status,
    status: code ?? `HTTP_${status}`,
    retryAfterMs: retryAfterMs(headers),
    nextStep: known?.nextStep ?? STATUS_STEPS[status] ?? unknownCodeStep(known ? undefined : code),
  });
}

function classify(status: number, code = ''): ReturnType<typeof classifyStatus> {
  if (status !== 429 && MAY_BE_OUT.has(code)) return { outcome: 'unknown', transient: true };
  if (status < 500 && REFUSED_FOR_NOW.has(code)) return { outcome: 'not_processed', transient: true };
  return classifyStatus(status);
}

function unknownCodeStep(code: string | undefined): string | undefined {
  return code === undefined ? undefined : `Look up ${code} in the provider's list of error codes.`;
}

function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length <= WORDS_LENGTH_MAX ? line : `${line.slice(0, WORDS_LENGTH_MAX)}…`;
}

const CHECK_TO = "Check the recipient's address under alerts.recipients, or MESSAGES_TO.";
const CHECK_FROM = 'Check MESSAGES_FROM: it must be a sender of this account on this channel.';
const CHECK_CREDENTIALS = 'Check MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME and MESSAGES_PASSWORD.';
const SET_TEMPLATES =
  'Set messages.templates to approved templates. Until then, ask the recipient to send any message to the sender.';
const CHECK_TEMPLATE = "Check the template in the provider's list. Set an approved one in messages.templates.";
const CHECK_FIELDS = "Compare the fields in messages.templates with the template's variables.";
const CHECK_MEDIA = 'Check that the media address is public and sends the content type and size of the file.';

/** Codes 30xxx and 63xxx mostly come in a later delivery report. */
const WORDS: Readonly<Record<string, readonly [meaning: string, nextStep?: string]>> = {
  20003: ['Invalid credentials.', CHECK_CREDENTIALS],
  20404: ['No such account or message.', 'Check MESSAGES_URL and MESSAGES_ACCOUNT_ID.'],
  20429: ['Too many requests at once; this one was not processed.'],
  20500: ['The interface failed; the message may have been sent.'],
  20503: ['The interface is temporarily unavailable; the message may have been sent.'],
  21211: ['The recipient is not a valid number.', CHECK_TO],
  21212: ['The sender is not a valid number.', CHECK_FROM],
  21408: [
    'The account may not write to the country of the recipient.',
    "Allow the country in the provider's settings, or set another address.",
  ],
  21602: ['The message has no text.'],
  21606: ['The account may not send from this sender.', CHECK_FROM],
  21608: ['A trial account can only write to confirmed numbers.', "Confirm the recipient's number with the provider."],
  21610: [
    'The recipient has opted out of messages from this sender.',
    'Ask the recipient to write START to the sender.',
  ],
  21611: ['Too many messages of this sender are waiting; this one was not accepted.'],
  21614: ['The recipient number cannot receive messages.', CHECK_TO],
  21617: ['The text is longer than 1,600 characters.', 'Shorten the text.'],
  21620: ['The media address cannot be read.', CHECK_MEDIA],
  21655: ['The content id of the template is unknown in this account.', CHECK_TEMPLATE],
  21656: ['A variable of the template is missing, empty or has several lines.', CHECK_FIELDS],
  21658: ['With its variables filled in, the text is longer than 1,600 characters.', 'Shorten the text.'],
  21910: ['The recipient and the sender are on different channels.', 'Set recipients on the channel of MESSAGES_FROM.'],
  30001: ['Too many messages were waiting; this one was dropped.'],
  30003: ['The phone could not be reached: it is off or has no network.'],
  30004: ['The recipient or the network blocks messages of this sender.', 'Ask the recipient to unblock the sender.'],
  30005: ['The number is unknown or no longer in service.', CHECK_TO],
  30006: ['The number is a landline, or its network cannot be reached.', CHECK_TO],
  30007: ['The provider or the network filtered the message as unwanted.'],
  30008: ['The message was not delivered. The provider gives no reason.'],
  63001: ["The channel rejects the provider's credentials for the sender.", CHECK_FROM],
  63003: ['The recipient is unknown on this channel.', CHECK_TO],
  63007: ['The sender is unknown on this channel.', CHECK_FROM],
  63013: ['The channel refused the message under its policy.', "Check the sender's standing with the channel."],
  63015: [
    "The recipient never joined the provider's sandbox, or the membership expired.",
    'Ask the recipient to join again, or use your own sender.',
  ],
  63016: ['The recipient has not written for 24 hours, so only approved templates are allowed.', SET_TEMPLATES],
  63018: ['Too many messages at once for the channel.'],
  63019: ['The channel could not download the media.', CHECK_MEDIA],
  63021: ['The channel does not accept this kind of content.', CHECK_MEDIA],
  63024: ['The recipient cannot receive messages on this channel.', CHECK_TO],
  63027: ['The template does not exist in this language, or is not approved.', CHECK_TEMPLATE],
  63028: ['The template has another number of variables.', CHECK_FIELDS],
  63040: ['The channel rejected the template.', CHECK_TEMPLATE],
  63041: ['The template is paused because of its low quality.', CHECK_TEMPLATE],
  63042: ['The template is disabled because of its low quality.', CHECK_TEMPLATE],
};

/** A map, because an object would also find names such as `toString`. */
export const MESSAGE_CODES: ReadonlyMap<string, CodeMeaning> = new Map(
  Object.entries(WORDS).map(([code, [meaning, nextStep]]) => [code, { meaning, nextStep }]),
);

export function explainMessageCode(code: string): CodeMeaning | undefined {
  return MESSAGE_CODES.get(code);
}
