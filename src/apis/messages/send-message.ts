import * as z from 'zod';
import { ApiError, InvariantError } from '../../domain/errors.ts';
import { isMessagingAddress } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { classifyStatus } from '../../http/classify-failure.ts';
import { type HttpClient, readText } from '../../http/http-client.ts';
import { maskRecipient, type Redact } from '../../http/redact.ts';

/** One configured form-encoded messaging interface (area C). */
export interface MessagesConnection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly accountId: string;
  readonly username: string;
  readonly password: string;
  /** `<channel>:+<number>`. */
  readonly from: string;
  readonly http: HttpClient;
  readonly redact: Redact;
}

export interface OutgoingMessage {
  /** `<channel>:+<number>` (requirement C2). */
  readonly to: string;
  readonly body: string;
}

/** Characters of a message's text, the interface's limit. */
export const BODY_LENGTH_MAX = 1600;
const ANSWER_BYTES_MAX = 16 * 1024;

const errorShape = z.object({ code: z.number().optional(), message: z.string().optional() });

const NEXT_STEPS: Readonly<Record<number, string>> = {
  401: 'Check MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME and MESSAGES_PASSWORD.',
  404: 'Check MESSAGES_URL and MESSAGES_ACCOUNT_ID.',
};

/**
 * Sends one message (requirements C1–C3). Any 2xx is success whatever the body says (C5); what came back is returned
 * for the record. Throws `ApiError`; an `outcome` of `unknown` means that the message may be out.
 */
export async function sendMessage(
  connection: MessagesConnection,
  message: OutgoingMessage,
): Promise<{ readonly response: string }> {
  if (!isMessagingAddress(message.to)) throw new InvariantError('A message to an address that was never checked.');
  const { http, redact } = connection;
  const credentials = Buffer.from(`${connection.username}:${connection.password}`).toString('base64');
  const answer = await http.send({
    method: 'POST',
    url: `${connection.url}/2010-04-01/Accounts/${encodeURIComponent(connection.accountId)}/Messages.json`,
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ To: message.to, From: connection.from, Body: message.body }).toString(),
  });
  const accepted = answer.status >= 200 && answer.status < 300;
  // Once the status said "accepted", a body that breaks off changes nothing.
  const text = await readText(answer, ANSWER_BYTES_MAX).catch((error: unknown) => {
    if (accepted) return '';
    throw error;
  });
  if (accepted) return { response: redact(text) };
  const read = errorShape.safeParse(parseJson(text));
  const words = read.success ? [read.data.code, read.data.message].filter((part) => part !== undefined).join(' ') : '';
  const said = maskNumbers(redact(words), [message.to, connection.from]).replace(/\.$/, '');
  throw new ApiError(`The messaging interface answered HTTP ${answer.status}${said ? `: ${said}` : ''}.`, {
    ...classifyStatus(answer.status),
    httpStatus: answer.status,
    status: read.success && read.data.code !== undefined ? String(read.data.code) : `HTTP_${answer.status}`,
    retryAfterMs: Number(answer.headers['retry-after']) * 1000 || undefined,
    nextStep: NEXT_STEPS[answer.status],
  });
}

/** A refusal may quote the addresses, with or without their channel. */
function maskNumbers(text: string, addresses: readonly string[]): string {
  const numbers = addresses.map((address) => address.slice(address.indexOf('+')));
  return numbers.reduce((masked, number) => masked.replaceAll(number, maskRecipient(number)), text);
}
