import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
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

  it('do not exist without a complete day', () => {
    expect(rangeFigures(days, range('2027-01-01', '2027-01-31'))).toBeUndefined();
    expect(rangeFigures([], range('2026-10-01', '2026-10-31'))).toBeUndefined();
  });
});
