import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { classifyForeign, classifyStatus } from '../../http/classify-failure.ts';
import type { HttpAnswer } from '../../http/http-client.ts';
import { maskNumbers } from '../../http/mask-numbers.ts';
import { retryAfterMs } from '../../http/retry-after.ts';
import { explainMessageCode } from './message-codes.ts';
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

/** Codes that say more than the status beside them. */
const REFUSED_FOR_NOW = new Set(['20429', '21611', '63018']);
const MAY_BE_OUT = new Set(['20500', '20503']);

/**
 * An answer other than 2xx as one typed error (facts: `{code, message, more_info, status}`); `status` is the provider's code
 * when it gives one. No secret and no whole telephone number remains: the interface may repeat all it was sent.
 */
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
  // Cut after the secrets are gone: half a secret would not be known as one.
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

/** One line, not a page: it goes into a log and onto a phone. */
function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length <= WORDS_LENGTH_MAX ? line : `${line.slice(0, WORDS_LENGTH_MAX)}…`;
}
