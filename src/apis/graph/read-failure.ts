import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { withoutFullStop } from '../../domain/sentence-end.ts';
import { classifyForeign, classifyStatus } from '../../http/classify-failure.ts';
import type { Redact } from '../../http/redact.ts';
import { retryAfterMs as askedPauseMs } from '../../http/retry-after.ts';
import { SENTENCE_LENGTH_MAX, tellable, tellableId, tellableWord } from '../../http/tellable.ts';
import { explainGraphCode } from './error-codes.ts';

const integer = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

/** Section 7.1, with the public interface's longer words where it sends them. A strange part must not cost the rest. */
const errorBody = z.object({
  error: z.object({
    message: z.string().catch(''),
    type: z.string().optional().catch(undefined),
    code: integer,
    error_subcode: integer.optional().catch(undefined),
    fbtrace_id: z.string().optional().catch(undefined),
    error_data: z.object({ details: z.string() }).optional().catch(undefined),
  }),
});

type ErrorBody = z.infer<typeof errorBody>['error'];

interface Hiding {
  /** A text of the service without what nobody is to read. */
  readonly hide: (text: string) => string;
  /** The same for a name, which may look like a telephone number: without secrets alone. */
  readonly redact: Redact;
}

/**
 * The failure that an answer tells of; undefined for a success (requirement A7). The error's `status` is the service's
 * code as text, `131047`, and decides what happened to the request; an unknown code leaves that to the HTTP status.
 */
export function graphFailure(
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  text: string,
  hiding: Hiding,
): ApiError | undefined {
  const parsed = errorBody.safeParse(parseJson(text));
  const retryAfterMs = askedPauseMs(answer.headers);
  if (parsed.success) return failureOf(parsed.data.error, answer.status, retryAfterMs, hiding);
  if (answer.status >= 200 && answer.status < 300) return undefined;
  const html = /^\s*</.test(text);
  const found = text.trim() === '' ? 'nothing' : html ? 'a page' : JSON.stringify(hiding.hide(text).slice(0, 120));
  return new ApiError(`The messaging interface answered HTTP ${answer.status} with ${found}, expected JSON.`, {
    ...classifyForeign(answer.status, text),
    httpStatus: answer.status,
    status: `HTTP_${answer.status}`,
    retryAfterMs,
    nextStep: answer.status === 404 ? 'Check GRAPH_URL and GRAPH_VERSION.' : undefined,
  });
}

function failureOf(
  error: ErrorBody,
  httpStatus: number,
  retryAfterMs: number | undefined,
  { hide, redact }: Hiding,
): ApiError {
  const known = explainGraphCode(error.code, error.error_subcode);
  const code = [error.code, error.error_subcode].filter((part) => part !== undefined).join('/');
  const said = [error.message, error.error_data?.details]
    .flatMap((part) => (part ? [withoutFullStop(tellable(part, hide, SENTENCE_LENGTH_MAX))] : []))
    .join('; ');
  const name = [tellableWord(error.type, hide), code].filter(Boolean).join(' ');
  const pauses = [retryAfterMs, known?.pauseMs].filter((pause) => pause !== undefined);
  const sentences = [`The messaging interface answered ${name}${said && `: ${said}`}.`, known?.meaning];
  return new ApiError(sentences.filter(Boolean).join(' '), {
    ...(known ?? classifyStatus(httpStatus)),
    httpStatus,
    status: String(error.code),
    requestId: tellableId(error.fbtrace_id, redact),
    details: [{ message: said, code: name }],
    retryAfterMs: pauses.length === 0 ? undefined : Math.max(...pauses),
    nextStep: known?.nextStep,
  });
}
