import * as z from 'zod';
import { ApiError, type RemoteErrorDetail } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { classifyStatus, malformed } from '../http/classify-failure.ts';
import type { Redact } from '../http/redact.ts';
import { retryAfterMs } from '../http/retry.ts';
import { DETAILS_MAX, moreDetails, SENTENCE_LENGTH_MAX, tellable, tellableId, tellableWord } from '../http/tellable.ts';

const failureDetail = z.object({
  requestId: z.string().optional(),
  retryDelay: z.string().optional(),
  errors: z
    .array(
      z.object({
        message: z.string().default(''),
        errorCode: z.record(z.string(), z.string()).optional(),
        location: z
          .object({
            // Accept any `index`, so that a malformed index does not hide the error.
            fieldPathElements: z.array(z.object({ fieldName: z.string(), index: z.unknown().optional() })).default([]),
            operationIndex: z.unknown().optional(),
          })
          .optional(),
        details: z.object({ quotaErrorDetails: z.object({ retryDelay: z.string() }).partial().optional() }).optional(),
      }),
    )
    .default([]),
});

type FailureItem = z.infer<typeof failureDetail>['errors'][number];

const NO_STATUS_WORD = 'UNKNOWN';

export const errorObject = z.object({
  code: z.number().int(),
  message: z.string().default(''),
  status: z.string().default(NO_STATUS_WORD),
  details: z.array(failureDetail.catch({ errors: [] })).default([]),
});

type ErrorObject = z.infer<typeof errorObject>;

export const ADS_NEXT_STEPS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'Set ADS_ACCESS_TOKEN to an OAuth 2.0 access token, not a client secret or refresh token. Or set ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN to fetch one.',
  PERMISSION_DENIED:
    'Check that the credentials have access to this account. For an account under a manager, also check ADS_LOGIN_CUSTOMER_ID.',
  RESOURCE_EXHAUSTED: 'Run again later.',
};

/** An error in brackets tells more than the status. */
export const ADS_CODE_STEPS: Readonly<Record<string, string>> = {
  'authorizationError.CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION':
    'In the cloud project of the OAuth client or service account, ask for explorer access. Then set ads.access: explorer.',
  'requestError.UNSUPPORTED_VERSION':
    'Set ads.version to a version that the service still offers. Then run pacekeeper catalogue refresh and check --online.',
};

/** These errors are temporary, whatever the HTTP status. */
const PASSING = new Set([
  'TRANSIENT_ERROR',
  'INTERNAL_ERROR',
  'CONCURRENT_MODIFICATION',
  'RESOURCE_TEMPORARILY_EXHAUSTED',
]);

const LOCATION_LENGTH_MAX = 200;

/** This error means that the daily quota is used up. Without a delay in the answer, the next attempt waits for a day. */
const DAILY_QUOTA = 'RESOURCE_EXHAUSTED';
const DAY_MS = 86_400_000;

export function withoutPlace(message: string): string {
  return message.replace(/ ?\(line \d+, column \d+\)$/, '');
}

/** Implements requirements B12 and B15. Without an error object in `body`, the outcome is unknown. */
export function readFailure(
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  body: string,
  redact: Redact,
): ApiError {
  const requestId = answer.headers['request-id'];
  const error = parseErrorBody(body);
  if (error) return failureFrom(error, answer.status, requestId, redact, answer.headers);
  const html = /^\s*</.test(body);
  const found = html ? 'an HTML page' : `${JSON.stringify(redact(body).slice(0, 120))}`;
  return new ApiError(`The advertising interface answered HTTP ${answer.status} with ${found}, expected JSON.`, {
    transient: classifyStatus(answer.status).transient,
    outcome: 'unknown',
    httpStatus: answer.status,
    status: html ? 'HTML' : 'MALFORMED',
    requestId: tellableId(requestId, redact),
    retryAfterMs: retryAfterMs(answer.headers),
    nextStep:
      answer.status === 404
        ? 'Check ADS_URL and ADS_VERSION. The service may no longer support this version.'
        : answer.status === 411
          ? 'A proxy may have removed the content length. Check your proxies.'
          : undefined,
  });
}

function parseErrorBody(body: string): ErrorObject | undefined {
  const value = parseJson(body);
  const candidate = Array.isArray(value) ? value[0] : value;
  const parsed = z.object({ error: errorObject }).safeParse(candidate);
  return parsed.success ? parsed.data.error : undefined;
}

/** An incomplete or contradictory error leaves the outcome `unknown` (section 7.3). */
export function failureFrom(
  error: ErrorObject,
  httpStatus: number,
  headerRequestId: string | undefined,
  redact: Redact,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  const failures = error.details.flatMap(({ errors }) => errors);
  const details: RemoteErrorDetail[] = toTell(failures).map(({ message, errorCode, location }) => {
    const code = codeOf({ errorCode });
    const path = location?.fieldPathElements.map(({ fieldName }) => fieldName).join('.');
    return {
      message: tellable(message, redact, SENTENCE_LENGTH_MAX),
      ...(code ? { code: tellableWord(code, redact) } : {}),
      ...(path ? { location: tellable(path, redact, LOCATION_LENGTH_MAX) } : {}),
    };
  });
  const codes = failures.flatMap(({ errorCode }) => Object.values(errorCode ?? {}));
  const status = httpStatus === 200 ? error.code : httpStatus;
  const classified = classifyStatus(status);
  const isProof = error.code === httpStatus && error.status !== NO_STATUS_WORD;
  const delay = failures.map((failure) => failure.details?.quotaErrorDetails?.retryDelay).find(Boolean);
  const ownDelay = error.details.map(({ retryDelay }) => retryDelay).find(Boolean);
  const explained = details.map(({ message, code, location }) =>
    [message, code && `[${code}]`, location && `at ${location}`].filter(Boolean).join(' '),
  );
  const more = moreDetails(failures.length);
  const said = error.message === '' ? '.' : `: ${tellable(error.message, redact, 2 * SENTENCE_LENGTH_MAX)}`;
  // Any text of an answer can repeat secrets, even an error name.
  const word = tellableWord(error.status, redact);
  return new ApiError(
    [`The advertising interface answered ${word} (${error.code})${said}`, ...explained, ...more].join('\n  '),
    {
      httpStatus: status,
      status: word,
      outcome: isProof ? classified.outcome : 'unknown',
      transient: classified.transient || codes.some((code) => PASSING.has(code)),
      requestId: tellableId(error.details.map(({ requestId }) => requestId).find(Boolean) ?? headerRequestId, redact),
      details,
      retryAfterMs:
        durationMs(delay ?? ownDelay) ?? retryAfterMs(headers) ?? (codes.includes(DAILY_QUOTA) ? DAY_MS : undefined),
      nextStep: details.map(({ code = '' }) => ADS_CODE_STEPS[code]).find(Boolean) ?? ADS_NEXT_STEPS[error.status],
    },
  );
}

/** If there are too many errors, prefers the first error of each code, because callers decide by the code. */
function toTell(failures: readonly FailureItem[]): readonly FailureItem[] {
  if (failures.length <= DETAILS_MAX) return failures;
  const firsts = new Map(failures.toReversed().map((failure) => [codeOf(failure), failure]));
  const rank = (failure: FailureItem) => (firsts.get(codeOf(failure)) === failure ? 0 : 1);
  return failures.toSorted((one, other) => rank(one) - rank(other)).slice(0, DETAILS_MAX);
}

function codeOf({ errorCode }: Pick<FailureItem, 'errorCode'>): string | undefined {
  return Object.entries(errorCode ?? {}).map(([kind, name]) => `${kind}.${name}`)[0];
}

function durationMs(text = ''): number | undefined {
  return retryAfterMs({ 'retry-after': text.trim().replace(/s$/, '') });
}

export const partialFailureShape = z.object({
  code: z.number().optional(),
  message: z.string().default(''),
  details: z.array(failureDetail.catch({ errors: [] })).default([]),
});

type PartialFailure = z.infer<typeof partialFailureShape>;

/** HTTP statuses by gRPC code. Other codes become 520, which leaves the outcome unknown. */
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

/** The service can send this error even after the change was made. */
const provesNothing = ({ errorCode }: FailureItem) => errorCode?.internalError === 'INTERNAL_ERROR';

/** An error without a valid index puts all operations in doubt. A single operation needs no index. */
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
    const words = `The answer to ${operations} budget changes has an error but does not say which change failed`;
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
      // The overall message is about the first error, which can belong to another operation.
      const message = operations === 1 ? partial.message : '';
      const object = { code, status: 'PARTIAL_FAILURE', message, details: [{ errors }] };
      const failure = failureFrom(object, code, ownId, redact);
      return [index, errors.some(provesNothing) ? inDoubt(failure) : failure];
    }),
  );
}

/** Older versions of the API use `location.operationIndex`. */
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
