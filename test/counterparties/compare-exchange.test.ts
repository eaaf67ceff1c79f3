import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/language/gaql/codes.ts';
import { readFailure } from '../../src/services/ads/read-failure.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { disagreements } from './compare-exchange.ts';
import { numberOf, roundTrip, VERSION } from './protocol-definitions.ts';

const STREAM = { method: 'POST', path: `/${VERSION}/customers/1/googleAds:searchStream`, status: 200 };
const RIGHT = [
  { results: [{ metrics: { clicks: '1' }, segments: { date: '2026-11-20' } }], fieldMask: 'metrics.clicks' },
];

function found(answer: unknown, sent: unknown = { query: 'SELECT' }, status = 200): string[] {
  return disagreements({ ...STREAM, status, sent: JSON.stringify(sent), answered: JSON.stringify(answer) });
}

describe('the comparison', () => {
  it('accepts valid exchanges', () => {
    expect(found(RIGHT)).toEqual([]);
  });

  it.each<[sentence: string, problems: string[]]>([
    ['a number where int64 is text', found([{ results: [{ metrics: { clicks: 1 } }] }])],
    ['text where a number is expected', found([{ results: [{ metrics: { ctr: '0.5' } }] }])],
    ['a name with an underscore', found([{ results: [{ metrics: { cost_micros: '1' } }] }])],
    ['an unknown field', found([{ results: [{ campaign: { budget: '1' } }] }])],
    ['an unknown enumeration value', found([{ results: [{ campaign: { status: 'RUNNING' } }] }])],
    ['a value in lower case', found([{ results: [{ campaign: { status: 'enabled' } }] }])],
    ['a mask in snake case', found([{ fieldMask: 'metrics.cost_micros' }])],
    ['a request with an unknown member', found(RIGHT, { query: 'SELECT', pageToken: 'a' })],
    ['an error with another name', found([errorOf({ queryError: 'BAD_ALIAS' })], undefined, 400)],
    ['an error of another family', found([errorOf({ quarryError: 'BAD_VALUE' })], undefined, 400)],
    ['an error of another type', found([errorOf({}, 'google.ads.GoogleAdsFailure')], undefined, 400)],
    ['an error beside other data', found([{ ...errorOf({}), results: [] }], undefined, 400)],
  ])('finds %s', (_, problems) => {
    expect(problems).toHaveLength(1);
  });
});

describe('we read what the definitions write', () => {
  it.each<[sentence: string, errorCode: object, wanted: object]>([
    ['a concurrent budget change', { databaseError: 'CONCURRENT_MODIFICATION' }, { transient: true }],
    ['a temporary error', { internalError: 'TRANSIENT_ERROR' }, { transient: true }],
    ['a failure of the service', { internalError: 'INTERNAL_ERROR' }, { transient: true }],
    ['a temporary quota', { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' }, { transient: true, retryAfterMs: 30_500 }],
    ['a bad value', { queryError: 'BAD_VALUE' }, { transient: false, outcome: 'not_processed' }],
  ])('%s', (_, errorCode, wanted) => {
    const failure = {
      '@type': `type.googleapis.com/google.ads.googleads.${VERSION}.errors.GoogleAdsFailure`,
      errors: [
        {
          errorCode,
          message: 'No.',
          trigger: { stringValue: 'x' },
          location: { fieldPathElements: [{ fieldName: 'operations', index: 7 }, { fieldName: 'update' }] },
          details: { quotaErrorDetails: { rateScope: 'ACCOUNT', rateName: 'a', retryDelay: '30.500s' } },
        },
      ],
      requestId: 'their-id',
    };
    const written = roundTrip('google.rpc.Status', { code: 400, message: 'Bad.', details: [failure] }) as object;
    expect(written).toEqual({ code: 400, message: 'Bad.', details: [failure] });
    const body = JSON.stringify({ error: { ...written, status: 'INVALID_ARGUMENT' } });
    const error = readFailure({ status: 400, headers: {} }, body, createRedact([]));
    const [family, word] = Object.entries(errorCode)[0] ?? [];
    expect(error).toMatchObject({ ...wanted, requestId: 'their-id', details: [{ code: `${family}.${word}` }] });
  });

  it('our codes are the service’s names, except for files, tables and unnamed errors', () => {
    const families = ['QueryErrorEnum.QueryError', 'ChangeStatusErrorEnum.ChangeStatusError'];
    const isTheirs = (code: string) => families.some((name) => numberOf(`errors.${name}`, code) !== undefined);
    expect([...CODES.keys()].filter((code) => !isTheirs(code)).sort()).toEqual([
      'BAD_ALIAS',
      'BAD_TABLE_NAME',
      'BEYOND_RETENTION',
      'COMMENT_NOT_TERMINATED',
      'DUPLICATE_COLUMN',
      'DUPLICATE_FIELD',
      'INVALID_REGULAR_EXPRESSION',
      'LIMITED_TABLE',
      'METRICS_WITHOUT_PERIOD',
      'MISSING_ROW_KEY',
      'UNBOUND_PARAMETER',
      'UNREADABLE_FILE',
    ]);
  });
});

function errorOf(errorCode: object, type = `google.ads.googleads.${VERSION}.errors.GoogleAdsFailure`) {
  const details = [{ '@type': `type.googleapis.com/${type}`, errors: [{ errorCode, message: 'No.' }], requestId: 'a' }];
  return { error: { code: 400, message: 'Bad.', status: 'INVALID_ARGUMENT', details } };
}
