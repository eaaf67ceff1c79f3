import { describe, expect, it } from 'vitest';
import { readFailure } from '../../../src/services/ads/read-failure.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { errorBody } from './ads-client.ts';

const redact = createRedact(['very-secret-token']);
const PERMANENT = { outcome: 'not_processed', transient: false };
const REFUSED_FOR_NOW = { outcome: 'not_processed', transient: true };
const UNCERTAIN = { outcome: 'unknown', transient: true };
/** Nobody knows what became of the request, and asking again will come to the same. */
const NO_ANSWER = { outcome: 'unknown', transient: false };

const read = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  readFailure({ status, headers }, typeof body === 'string' ? body : JSON.stringify(body), redact);

describe('an error object', () => {
  const failure = {
    errorCode: { queryError: 'UNRECOGNIZED_FIELD' },
    message: 'Unrecognized field: very-secret-token.',
    trigger: { stringValue: 'x' },
    location: { fieldPathElements: [{ fieldName: 'operations', index: 0 }, { fieldName: 'query' }] },
  };
  const body = errorBody(400, 'INVALID_ARGUMENT', failure, { requestId: 'request-1' });

  it.each([
    ['bare', body],
    ['as the one element of an array', [body]],
  ])('B15: %s gives the request id, the status, the messages and their locations', (_, sent) => {
    const error = read(400, sent);
    expect(error).toMatchObject({ httpStatus: 400, status: 'INVALID_ARGUMENT', requestId: 'request-1', ...PERMANENT });
    expect(error.details).toEqual([
      {
        message: 'Unrecognized field: [redacted].',
        code: 'queryError.UNRECOGNIZED_FIELD',
        location: 'operations.query',
      },
    ]);
    expect(error.message).toMatchInlineSnapshot(`
      "The advertising interface answered INVALID_ARGUMENT (400): Request contains an invalid argument.
        Unrecognized field: [redacted]. [queryError.UNRECOGNIZED_FIELD] at operations.query"
    `);
  });

  it.each([
    [
      'authorizationError',
      'CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION',
      403,
      /^In the cloud project .* explorer access/,
    ],
    ['requestError', 'UNSUPPORTED_VERSION', 400, /^Set ads\.version to a version that the service still offers/],
  ])('has the next step of its own for %s.%s, not that of its status', (kind, name, status, nextStep) => {
    const sent = errorBody(status, status === 403 ? 'PERMISSION_DENIED' : 'INVALID_ARGUMENT', {
      errorCode: { [kind]: name },
    });
    expect(read(status, [sent])).toMatchObject({ nextStep: expect.stringMatching(nextStep), ...PERMANENT });
  });

  it('shows no secret, wherever the service repeats it', () => {
    const secret = 'very-secret-token';
    const item = {
      message: secret,
      errorCode: { [secret]: secret },
      location: { fieldPathElements: [{ fieldName: secret }] },
    };
    const details = [{ requestId: `of ${secret}`, errors: [item] }];
    const error = read(400, { error: { code: 400, message: secret, status: `NO_${secret}`, details } });
    expect([error.message, JSON.stringify(error)].join()).not.toContain(secret);
    expect(error).toMatchObject({ status: 'NO_[redacted]', requestId: 'of [redacted]' });
    expect(read(500, 'x', { 'request-id': secret }).requestId).toBe('[redacted]');
    expect(read(500, 'x', { 'request-id': 'r'.repeat(10_000) }).requestId).toHaveLength(200);
  });

  it('B15: takes the request id from a header', () => {
    const sent = { error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } };
    expect(read(400, sent, { 'request-id': 'request-2' }).requestId).toBe('request-2');
  });

  it('B12: needs no more than its code', () => {
    expect(read(403, { error: { code: 403 } }).message).toMatchInlineSnapshot(
      `"The advertising interface answered UNKNOWN (403)."`,
    );
  });

  it('tolerates details of an unknown shape', () => {
    const details = [7, { errors: 'none' }, { '@type': 'ErrorInfo', reason: 'X', metadata: { a: '1' } }];
    const error = read(400, { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'No.', details } });
    expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', details: [] });
  });

  it.each([
    ['wins over a body that disagrees', 500, 400, UNCERTAIN],
    ['wins over a remote-procedure code', 503, 14, UNCERTAIN],
    ['of a refusal proves nothing beside another code', 400, 500, NO_ANSWER],
    ['of a refusal proves nothing beside a code alone', 403, 403, NO_ANSWER],
  ])('the HTTP status %s', (_, status, code, classification) => {
    expect(read(status, { error: { code } })).toMatchObject({ httpStatus: status, ...classification });
  });

  it.each([
    ['a concurrent change is transient', 400, { databaseError: 'CONCURRENT_MODIFICATION' }, REFUSED_FOR_NOW],
    ['a transient error is transient', 400, { internalError: 'TRANSIENT_ERROR' }, REFUSED_FOR_NOW],
    ['an internal error may come after the work', 500, { internalError: 'INTERNAL_ERROR' }, UNCERTAIN],
    ['a wrong field is permanent', 400, { queryError: 'UNRECOGNIZED_FIELD' }, PERMANENT],
    ['an unknown code follows the status', 400, { newError: 'SOMETHING' }, PERMANENT],
  ])('%s', (_, status, errorCode, classification) => {
    expect(read(status, errorBody(status, 'X', { errorCode }))).toMatchObject(classification);
  });
});

describe('the requested pause', () => {
  const quota = (details?: object) => ({ errorCode: { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' }, details });
  const asked = (retryDelay: string) => errorBody(429, 'X', quota({ quotaErrorDetails: { retryDelay } }));

  it.each([
    ['in whole seconds', asked('30s'), {}, 30_000],
    ['in parts of a second', asked('1.5s'), {}, 1_500],
    ['of hours', asked('7200s'), {}, 7_200_000],
    ['in no known form', asked('soon'), {}, undefined],
    ['in its own detail', { error: { code: 429, status: 'X', details: [{ retryDelay: '4s' }] } }, {}, 4_000],
    ['in a header beside an error object', { error: { code: 429, status: 'X' } }, { 'retry-after': '7' }, 7_000],
    ['in a header beside an HTML page', '<html>', { 'retry-after': '7' }, 7_000],
    [
      'in a header as a date',
      '<html>',
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' },
      60_000,
    ],
    ['in a header if the body’s is unreadable', asked('soon'), { 'retry-after': '7' }, 7_000],
    ['too long, cut to a day', '<html>', { 'retry-after': '99999999999' }, 86_400_000],
    ['too long in the body, cut to a day', asked('99999999999s'), {}, 86_400_000],
    ['not at all', errorBody(429, 'X', quota()), {}, undefined],
  ])('%s', (_, body, headers, retryAfterMs) => {
    expect(read(429, body, headers)).toMatchObject({ retryAfterMs, transient: true });
  });

  it('is a day if the daily quota is used up, longer than any policy waits', () => {
    const error = read(429, errorBody(429, 'RESOURCE_EXHAUSTED', { errorCode: { quotaError: 'RESOURCE_EXHAUSTED' } }));
    expect(error).toMatchObject({ retryAfterMs: 86_400_000, nextStep: 'Run again later.' });
  });
});

describe('an answer without an error object', () => {
  it.each([
    ['a missing content length', 411, '<!DOCTYPE html>\n<title>Length Required</title>', NO_ANSWER],
    ['an unsupported version', 404, '\n<html>Not Found</html>', NO_ANSWER],
    ['a rate limiter', 429, '<html>Slowly</html>', UNCERTAIN],
    ['a redirect', 302, '<html>Elsewhere</html>', NO_ANSWER],
    ['a gateway', 502, '<html><h1>502 Bad Gateway</h1></html>', UNCERTAIN],
  ])('B12: an HTML page is reported as one: %s', (_, status, body, classification) => {
    const error = read(status, body, { 'request-id': 'request-3' });
    expect(error).toMatchObject({ status: 'HTML', httpStatus: status, requestId: 'request-3', ...classification });
  });

  it('B12: reports what was found and the next step', () => {
    const words = (status: number) => {
      const { message, nextStep } = read(status, '<html>');
      return [message, nextStep ?? ''].join('\n');
    };
    expect(words(411)).toMatchInlineSnapshot(`
      "The advertising interface answered HTTP 411 with an HTML page, expected JSON.
      A proxy may have removed the content length. Check your proxies."
    `);
    expect(words(404)).toMatchInlineSnapshot(`
      "The advertising interface answered HTTP 404 with an HTML page, expected JSON.
      Check ADS_URL and ADS_VERSION. The service may no longer support this version."
    `);
    expect(words(502)).toMatchInlineSnapshot(`
      "The advertising interface answered HTTP 502 with an HTML page, expected JSON.
      "
    `);
  });

  it.each(['', 'upstream timed out', '{"error":', '{"error":"text"}', '[]', 'null', '{"error":{"code":"400"}}'])(
    'B12: never breaks the reader: %j',
    (body) => {
      expect(read(503, body)).toMatchObject({ status: 'MALFORMED', httpStatus: 503, ...UNCERTAIN });
    },
  );

  it('shows its beginning, without half a secret at the cut', () => {
    const { message } = read(500, `${'x'.repeat(110)}very-secret-token and ${'y'.repeat(500)}`);
    expect(message).toMatchInlineSnapshot(
      `"The advertising interface answered HTTP 500 with "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx[redacted]", expected JSON."`,
    );
  });
});

describe('a very long refusal', () => {
  const long = 'lorem ipsum '.repeat(200);
  const mistake = (errorCode: object, message = long) => ({
    errorCode,
    message,
    location: { fieldPathElements: [{ fieldName: long }] },
  });
  const many = [
    ...Array.from({ length: 500 }, () => mistake({ queryError: 'UNRECOGNIZED_FIELD' })),
    mistake({ authorizationError: 'CUSTOMER_NOT_ENABLED' }),
    mistake({ internalError: 'TRANSIENT_ERROR' }),
  ];
  const details = [{ errors: many, requestId: long }];
  const error = read(400, { error: { code: 400, status: long, message: long, details } });

  it('has a message of bounded length, with twenty of its errors', () => {
    expect(error.message.length).toBeLessThan(20_000);
    expect(error.message).toMatch(/\n {2}and 482 more errors$/);
    expect(error.status.length).toBeLessThanOrEqual(100);
    expect(error.requestId).toHaveLength(200);
    expect(error.details).toHaveLength(20);
    for (const { message, location = '' } of error.details) {
      expect(message.length).toBeLessThanOrEqual(500);
      expect(location.length).toBeLessThanOrEqual(200);
    }
  });

  it('keeps every code among many, and all codes count for decisions', () => {
    const codes = error.details.map(({ code }) => code);
    expect(codes[0]).toBe('queryError.UNRECOGNIZED_FIELD');
    expect(codes).toContain('authorizationError.CUSTOMER_NOT_ENABLED');
    expect(error.transient).toBe(true);
  });

  it('has codes of a bounded length', () => {
    const { details } = read(400, { error: { code: 400, details: [{ errors: [mistake({ queryError: long })] }] } });
    expect(details[0]?.code?.length).toBeLessThanOrEqual(100);
  });
});
