import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { comparedDay, comparedRange, comparedWords } from '../../../src/views/report/comparison.ts';
import { rangeFigures } from '../../../src/views/report/range-figures.ts';
import { settledDays } from '../../pages/report/report-facts.ts';

const range = (from: string, to: string) => ({ from: civilDate(from), to: civilDate(to) });
const days = settledDays('2026-10-01', '2026-11-20', (_, index) => index + 1);

describe('the figures of a range', () => {
  it('sum its complete days, and those of the equally long range before', () => {
    const figures = rangeFigures(days, range('2026-10-06', '2026-10-10'));
    expect(figures).toMatchObject({ until: '2026-10-10', days: 5 });
    // 6 + 7 + 8 + 9 + 10 against 1 + 2 + 3 + 4 + 5.
    expect([figures?.sums.costMicros, figures?.before?.costMicros]).toEqual([40_000_000n, 15_000_000n]);
  });

  it('end at the newest complete day, and the range before gets shorter, too', () => {
    const figures = rangeFigures(days, range('2026-11-19', '2026-12-31'));
    expect(figures).toMatchObject({ until: '2026-11-20' });
    // 17 and 18 November.
    expect(figures?.before?.costMicros).toBe(97_000_000n);
  });

  it('are not compared if a day of either range is missing', () => {
    const open = days.map((day) => (day.date === '2026-10-03' ? { ...day, state: 'missing' as const } : day));
    expect(rangeFigures(open, range('2026-10-06', '2026-10-10'))?.before).toBeUndefined();
    expect(rangeFigures(open, range('2026-10-02', '2026-10-04'))).toMatchObject({
      days: 2,
      before: undefined,
    });
    expect(rangeFigures(days, range('2026-10-01', '2026-10-02'))?.before).toBeUndefined();
  });

  it('compare conversions only if at least half of the days are complete for them', () => {
    const lagUntil = (until: string) => ({
      completeUntil: civilDate(until),
      ages: new Map(),
      steps: [],
      windowDays: 7,
    });
    const fortnight = range('2026-11-01', '2026-11-14');
    const compared = rangeFigures(days, fortnight, lagUntil('2026-11-07'))?.converted;
    expect([compared?.days, compared?.before]).toEqual([7, expect.anything()]);
    const few = rangeFigures(days, fortnight, lagUntil('2026-11-06'))?.converted;
    expect([few?.days, few?.before]).toEqual([6, undefined]);
    expect(rangeFigures(days, fortnight, lagUntil('2026-10-31'))?.converted).toBeUndefined();
  });

  it('compare no conversions with days whose conversions are still arriving', () => {
    const lag = { completeUntil: civilDate('2026-11-13'), ages: new Map(), steps: [], windowDays: 7 };
    const against = (from: string, to: string) =>
      rangeFigures(days, range('2026-10-12', '2026-10-16'), lag, { kind: 'range', range: range(from, to) });
    const arrived = against('2026-11-09', '2026-11-13')?.converted;
    expect([arrived?.before?.costMicros, arrived?.against?.arriving]).toEqual([210_000_000n, 0]);
    const young = against('2026-11-10', '2026-11-14');
    // 41 to 45.
    expect(young?.before?.costMicros).toBe(215_000_000n);
    expect([young?.converted?.before, young?.converted?.against?.arriving]).toEqual([undefined, 1]);
  });

  it('of a partial range are compared with as many days of an equally long one, and with all of another one', () => {
    const partial = range('2026-11-19', '2026-11-22');
    const against = (from: string, to: string) =>
      rangeFigures(days, partial, undefined, { kind: 'range', range: range(from, to) });
    expect(against('2026-10-01', '2026-10-04')?.before).toMatchObject({ days: 2, costMicros: 3_000_000n });
    expect(against('2026-10-01', '2026-10-03')?.before).toMatchObject({ days: 3, costMicros: 6_000_000n });
    expect(rangeFigures(days, partial, undefined, { kind: 'none' })).toMatchObject({ days: 2, against: undefined });
  });

  it.each([
    ['2028-02-29', '2028-02-29', '2027-02-28', '2027-02-28', '28 February stands for 29 February.'],
    ['2028-02-01', '2028-02-29', '2027-02-01', '2027-02-28', '29 days against 28: sums are'],
    ['2028-02-01', '2028-03-31', '2027-02-01', '2027-03-31', 'Only one of them has 29 February.'],
    ['2025-02-01', '2025-03-31', '2024-02-01', '2024-03-31', '59 days against 60: sums are'],
    ['2025-11-01', '2026-12-31', '2024-11-01', '2025-12-31', '61 days in both.'],
  ])(
    'of %s to %s are compared with %s to %s of the year before, in words, too',
    (from, to, thenFrom, thenTo, words) => {
      const own = range(from, to);
      expect(comparedRange({ kind: 'year' }, own)).toEqual(range(thenFrom, thenTo));
      expect(comparedWords({ kind: 'year' }, own)).toContain(words);
    },
  );

  it('show each day beside the compared day with its place, or with its date a year before', () => {
    const spring = range('2028-02-28', '2028-03-01');
    const of = (comparison: Parameters<typeof comparedDay>[0]) =>
      daysOf(spring).map((date) => comparedDay(comparison, spring, comparedRange(comparison, spring) ?? spring, date));
    expect(of({ kind: 'year' })).toEqual(['2027-02-28', '2027-02-28', '2027-03-01']);
    expect(of({ kind: 'previous' })).toEqual(['2028-02-25', '2028-02-26', '2028-02-27']);
    expect(of({ kind: 'range', range: range('2026-05-30', '2026-05-31') })).toEqual([
      '2026-05-30',
      '2026-05-31',
      undefined,
    ]);
  });

  it('do not exist without a complete day', () => {
    expect(rangeFigures(days, range('2027-01-01', '2027-01-31'))).toBeUndefined();
    expect(rangeFigures([], range('2026-10-01', '2026-10-31'))).toBeUndefined();
  });
});
