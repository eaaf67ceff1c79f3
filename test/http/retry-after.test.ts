import { expect, it } from 'vitest';
import { retryAfterMs } from '../../src/services/http/retry.ts';

const NOW = 'Fri, 20 Nov 2026 12:00:00 GMT';

it.each<[sentence: string, text: string | undefined, date: string | undefined, expected: number | undefined]>([
  ['seconds', '30', NOW, 30_000],
  ['seconds with a fraction, rounded up', '1.0001', undefined, 1001],
  ['a date, measured from the date of the answer', 'Fri, 20 Nov 2026 12:01:30 GMT', NOW, 90_000],
  ['a date beside an answer without one', 'Fri, 20 Nov 2026 12:01:30 GMT', undefined, undefined],
  ['a date that has passed', 'Fri, 20 Nov 2026 11:00:00 GMT', NOW, undefined],
  ['no pause', '0', NOW, undefined],
  ['a negative pause', '-5', NOW, undefined],
  ['a pause that is too long as a day', '99999999999999999999', NOW, 86_400_000],
  ['a date too far ahead as a day', 'Fri, 20 Nov 2099 12:00:00 GMT', NOW, 86_400_000],
  ['infinity', '1e400', NOW, undefined],
  ['a word', 'soon', NOW, undefined],
  ['nothing', '', NOW, undefined],
  ['no header', undefined, NOW, undefined],
])('reads %s', (_, text, date, expected) => {
  const headers = { ...(text === undefined ? {} : { 'retry-after': text }), ...(date === undefined ? {} : { date }) };
  expect(retryAfterMs(headers)).toBe(expected);
});
