import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { classifyStatus } from '../../http/classify-failure.ts';
import type { Redact } from '../../http/redact.ts';
import { retryAfterMs } from '../../http/retry-after.ts';
import { DETAILS_MAX, moreDetails, SENTENCE_LENGTH_MAX, tellable } from '../../http/tellable.ts';

const errorsShape = z.object({
  errors: z
    .array(
      z.object({
        code: z.number().optional().catch(undefined),
        title: z.string().optional().catch(undefined),
        details: z.string().optional().catch(undefined),
      }),
    )
    .min(1),
});

/** An answer of the container that is no success, as one typed error. */
export function containerFailure(
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  text: string,
  redact: Redact,
  nextStep: string | undefined,
): ApiError {
  const parsed = errorsShape.safeParse(parseJson(text));
  const errors = parsed.success ? parsed.data.errors : [];
  const details = errors.slice(0, DETAILS_MAX).map(({ code, title, details }) => ({
    message: tellable([title, details].filter(Boolean).join(': '), redact, SENTENCE_LENGTH_MAX),
    ...(code === undefined ? {} : { code: String(code) }),
  }));
  const sentences = details.map(({ message, code }) => [code, message].filter(Boolean).join(' '));
  const said = [...sentences, ...moreDetails(errors.length)].join('; ');
  return new ApiError(`The container answered HTTP ${answer.status}${said && `: ${said.replace(/\.$/, '')}`}.`, {
    ...classifyStatus(answer.status),
    httpStatus: answer.status,
    status: answer.status === 401 ? 'UNAUTHENTICATED' : (details[0]?.code ?? `HTTP_${answer.status}`),
    details,
    retryAfterMs: retryAfterMs(answer.headers),
    nextStep,
  });
}
