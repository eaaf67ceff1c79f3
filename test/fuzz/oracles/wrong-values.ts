import { ApiError } from '../../../src/domain/errors.ts';
import { micros } from '../../../src/domain/micros.ts';
import { rational } from '../../../src/domain/rational.ts';
import { ASKS, answersTarget, SECRET_SENT } from '../targets/answers.ts';
import { VALUES, valuesTarget } from '../targets/values.ts';
import type { WrongProgram } from './found-out.ts';

const values = (wrong: Partial<typeof VALUES>) => valuesTarget({ ...VALUES, ...wrong });
const refusing = (change: Partial<ApiError>) =>
  answersTarget({
    ...ASKS,
    mutate: async () => {
      throw Object.assign(new ApiError('m', { status: 'X' } as never), change);
    },
  });
const NOTHING_REDACTED = Object.assign((text: string) => text, { learn: () => undefined });
const accepted = { kind: 'accepted', named: true, requestId: undefined } as const;

/** Values and answers, each beside a program that reads them wrongly. */
export const WRONG_VALUES: readonly WrongProgram[] = [
  [
    'an option of another day',
    values({ dateOption: () => '2026-11-21' as never }),
    '2026-11-22',
    'A date of an option',
  ],
  [
    'an id that is too large',
    values({ isId: (text): text is never => /^\d+$/.test(text) }),
    '9223372036854775808',
    'An id is judged',
  ],
  [
    'a customer of another number',
    values({ readCustomerId: () => ({ kind: 'ok', id: '1' as never }) }),
    '123-456-7890',
    'A customer id is another',
  ],
  [
    'an amount that went through a float',
    values({ parseAmount: (text) => micros(BigInt(Math.round(Number(text) * 1e6))) }),
    '9007199254.740993',
    'An amount is another',
  ],
  [
    'micros beyond 64 bits',
    values({ parseMicros: (text) => (/^\d+$/.test(text) ? micros(BigInt.asIntN(64, BigInt(text))) : undefined) }),
    '9223372036854775808',
    'Micros are judged',
  ],
  [
    'a number without its fraction',
    values({ parseDecimal: (text) => rational(BigInt(Math.trunc(Number(text) || 0)), 1n) }),
    '12.5',
    'A number is another',
  ],
  ['a pause of a year', values({ retryAfterMs: () => 365 * 86_400_000 }), '1', 'A pause that is none'],
  ['an expiry that is no time', values({ parseExpiry: () => Number.NaN }), '1', 'An expiry that is no time'],
  [
    'an expiry that rolls over',
    values({ parseExpiry: () => 1 }),
    '2026-02-30 00:00:00+00:00',
    'The expiry of a day that does not exist',
  ],
  ['a zone that is none', values({ isTimeZone: () => true }), 'Mars/Olympus', 'RangeError'],
  [
    'a refusal taken for an answer',
    answersTarget({ ...ASKS, mutate: async () => [accepted, accepted] }),
    '500\n{}',
    'A refusal is taken',
  ],
  [
    'a secret that is repeated',
    answersTarget({ ...ASKS, mutate: (ads, text) => ASKS.mutate({ ...ads, redact: NOTHING_REDACTED }, text) }),
    `400\n{"error":{"code":400,"message":"the token ${SECRET_SENT}","status":"INVALID_ARGUMENT"}}`,
    'A secret is repeated',
  ],
  ['a failure without words', refusing({ message: ' ' }), '400\n{}', 'A failure without words'],
  [
    'a wait without end',
    refusing({ retryAfterMs: Number.POSITIVE_INFINITY } as never),
    '400\n{}',
    'A pause that is none',
  ],
];
