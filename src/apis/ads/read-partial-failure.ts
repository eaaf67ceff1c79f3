import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { malformed } from '../../http/classify-failure.ts';
import type { Redact } from '../../http/redact.ts';
import { SENTENCE_LENGTH_MAX, tellable } from '../../http/tellable.ts';
import { type FailureItem, failureDetail, failureFrom } from './read-failure.ts';

/** `partialFailureError`: a status with the errors of all failed operations. */
export const partialFailureShape = z.object({
  code: z.number().optional(),
  message: z.string().default(''),
  details: z.array(failureDetail.catch({ errors: [] })).default([]),
});

type PartialFailure = z.infer<typeof partialFailureShape>;

/** The gRPC code of a partial failure as the HTTP status it stands for. Any other code proves nothing: 520. */
const HTTP_STATUS_BY_CODE: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};
const UNRECOGNISED = 520;

/** An operation's own error that may come after its work was done, whatever the status of the whole says. */
const provesNothing = ({ errorCode }: FailureItem) => errorCode?.internalError === 'INTERNAL_ERROR';

/**
 * The failed operations' errors by their index. An error that belongs to no operation of the request could belong to any
 * of them: then all have failed, and nothing is known of any. A request of one operation needs no index.
 */
export function failuresByOperation(
  partial: PartialFailure,
  operations: number,
  requestId: string | undefined,
  redact: Redact,
): Map<number, ApiError> {
  const items = partial.details.flatMap(({ errors }) => errors);
  const indexes = items.map((item) => operationIndex(item) ?? (operations === 1 ? 0 : undefined));
  const attributed = indexes.every((index) => index !== undefined && index >= 0 && index < operations);
  if (!attributed || (items.length === 0 && operations > 1)) {
    const words = `The answer to ${operations} budget changes holds an error that does not say which of them failed`;
    const error = malformed(
      'WRONG_ANSWER',
      `${words}: ${tellable(saying(partial, items), redact, SENTENCE_LENGTH_MAX)}`,
      false,
    );
    return new Map(Array.from({ length: operations }, (_, index) => [index, error]));
  }
  const code = HTTP_STATUS_BY_CODE[partial.code ?? 0] ?? UNRECOGNISED;
  const ownId = partial.details.map((detail) => detail.requestId).find(Boolean) ?? requestId;
  const failed = operations === 1 ? [0] : [...new Set(indexes.flatMap((index) => index ?? []))];
  return new Map(
    failed.map((index) => {
      const errors = items.filter((_, at) => indexes[at] === index);
      // The message of the whole speaks of its first error, which may be another operation's.
      const message = operations === 1 ? partial.message : '';
      const object = { code, status: 'PARTIAL_FAILURE', message, details: [{ errors }] };
      const failure = failureFrom(object, code, ownId, redact);
      return [index, errors.some(provesNothing) ? inDoubt(failure) : failure];
    }),
  );
}

/** `location.fieldPathElements[0].index` of `operations`; older versions say `location.operationIndex`. */
function operationIndex({ location }: FailureItem): number | undefined {
  const first = location?.fieldPathElements[0];
  const value =
    first?.fieldName === 'operations' ? (first.index ?? location?.operationIndex) : location?.operationIndex;
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN;
  if (typeof value !== 'string') return undefined;
  return /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
}

function inDoubt({ status, httpStatus, requestId, details, message }: ApiError): ApiError {
  return new ApiError(message, { status, httpStatus, requestId, details, outcome: 'unknown', transient: true });
}

function saying({ message }: PartialFailure, items: readonly FailureItem[]): string {
  return (message === '' ? items[0]?.message : message)?.replace(/\.$/, '') || 'no message';
}
