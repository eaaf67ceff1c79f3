import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { rational } from '../../src/domain/rational.ts';
import {
  asKnownBy,
  type DayRecord,
  evaluatedAt,
  leastCertain,
  readingBefore,
} from '../../src/language/trial/as-known.ts';

const CLICKS = [{ column: 'clicks', type: 'INT64' }] as const;
const totals = (clicks: bigint) => new Map([['clicks', clicks]]);
const at = (readMs: number, clicks: bigint, rows = 3n) => ({ readMs, rows, totals: totals(clicks) });

describe('an account day', () => {
  const record: DayRecord = {
    now: { readMs: 300, rows: 3n, totals: totals(12n) },
    readings: [at(100, 10n), at(200, 12n)],
  };
  it.each([
    ['not on record before it was read', 100, undefined],
    ['by its first reading until there is another', 200, 10n],
    ['by the newest from then on', 201, 12n],
  ])('is known %s', (_, atMs, clicks) => {
    expect(readingBefore(record, atMs)?.totals?.get('clicks')).toBe(clicks);
  });

  it('is not on record if nothing is known of it', () => {
    expect(readingBefore(undefined, 1)).toBeUndefined();
    expect(asKnownBy(undefined, record.now, CLICKS, 250)).toEqual({ how: 'not_on_record', seen: undefined });
    expect(asKnownBy(at(1, 1n), undefined, CLICKS, 250).how).toBe('not_on_record');
  });

  it.each([
    ['it came to the same', at(1, 12n), 'known', undefined],
    [
      'only metrics that the rule does not read moved',
      {
        ...at(1, 12n),
        totals: new Map([
          ['clicks', 12n],
          ['cost_micros', 5n],
        ]),
      },
      'known',
      undefined,
    ],
    ['it came to less', at(1, 9n), 'restated', { hadRows: true, factors: [rational(3n, 4n)] }],
    ['it came to nothing', at(1, 0n), 'restated', { hadRows: true, factors: [rational(0n)] }],
    ['it had no rows', at(1, 0n, 0n), 'restated', { hadRows: false, factors: [rational(0n)] }],
    [
      'the metric was not on record',
      { ...at(1, 0n), totals: new Map() },
      'restated',
      { hadRows: true, factors: [undefined] },
    ],
  ])('is seen as it was: %s', (_, then, how, seen) => {
    expect(asKnownBy(then, record.now, CLICKS, 250)).toEqual({ how, seen });
  });

  it('is known if it was read again after the record and before the morning', () => {
    expect(asKnownBy(at(1, 9n), record.now, CLICKS, 301)).toEqual({ how: 'known', seen: undefined });
    expect(asKnownBy(undefined, record.now, CLICKS, 301)).toEqual({ how: 'known', seen: undefined });
  });

  it('cannot be scaled if its total fell to zero', () => {
    const now = { readMs: 300, rows: 3n, totals: totals(0n) };
    expect(asKnownBy(at(1, 5n), now, CLICKS, 250)).toEqual({
      how: 'restated',
      seen: { hadRows: true, factors: [undefined] },
    });
  });
});

it('several days are as certain as the least certain one', () => {
  expect(leastCertain([])).toBe('known');
  expect(leastCertain(['known', 'restated', 'known'])).toBe('restated');
  expect(leastCertain(['restated', 'not_on_record', 'known'])).toBe('not_on_record');
});

describe('the assumed time of evaluation of a past day is', () => {
  const ms = (text: string) => Date.parse(text);
  const runs = (...instants: string[]) => instants.map((one) => ({ firstMs: ms(one), lastMs: ms(one) + 900 }));
  const today = civilDate('2026-11-19');
  // The shipped schedule: 05:30 UTC, which is another time of the day on each account's clock.
  const shipped = runs('2026-11-18T05:30:00Z', '2026-11-19T05:30:00Z', '2026-11-20T05:30:00Z');
  it.each<[zone: string, seenAt: string]>([
    ['Europe/Berlin', '2026-11-19T05:30:00.901Z'],
    ['Europe/London', '2026-11-19T05:30:00.901Z'],
    // There the run of the 20th is in the evening of the 19th.
    ['America/Los_Angeles', '2026-11-20T05:30:00.901Z'],
    ['Asia/Tokyo', '2026-11-19T05:30:00.901Z'],
  ])('when the shipped schedule had read it in %s', (timeZone, seenAt) => {
    expect(evaluatedAt(today, shipped, { timeZone, closesAt: '03:00' })).toBe(ms(seenAt));
  });

  it.each<[what: string, readings: string[], closesAt: string, seenAt: string]>([
    ['at six where nothing was read on it', [], '03:00', '2026-11-19T05:00:00Z'],
    ['when the day before had closed, if that is later', [], '07:00', '2026-11-19T06:00:00Z'],
    ['not by a run before that', ['2026-11-19T00:30:00Z'], '03:00', '2026-11-19T05:00:00Z'],
    [
      'by the first run after that',
      ['2026-11-19T03:30:00Z', '2026-11-19T09:00:00Z'],
      '03:00',
      '2026-11-19T03:30:00.901Z',
    ],
    ['not by a run of the day after', ['2026-11-19T23:30:00Z'], '03:00', '2026-11-19T05:00:00Z'],
  ])('%s', (_what, readings, closesAt, seenAt) => {
    expect(evaluatedAt(today, runs(...readings), { timeZone: 'Europe/Berlin', closesAt })).toBe(ms(seenAt));
  });
});
