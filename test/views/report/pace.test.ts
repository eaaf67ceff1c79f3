import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { movers, moverWindows } from '../../../src/views/report/movers.ts';
import { paceOf, perMille, weekdayMeans } from '../../../src/views/report/pace.ts';
import type { DayFacts } from '../../../src/views/report/report-facts.ts';
import { settledDays } from '../../pages/report/report-facts.ts';

const costsOf = (days: readonly DayFacts[]) => {
  const costs = new Map(days.map(({ date, costMicros }) => [date, costMicros]));
  return (date: DayFacts['date']) => costs.get(date);
};
const pace = (days: readonly DayFacts[], daily?: bigint) => paceOf(days, daily, costsOf(days));
const isWeekend = (date: string) => [0, 6].includes(new Date(date).getUTCDay());

describe('the pace of a month', () => {
  it('compares with the daily budget × complete days, and × days of the month', () => {
    const days = settledDays('2026-11-01', '2026-11-20', () => 10);
    expect(pace(days, 12_000_000n)).toMatchObject({
      spent: 200_000_000n,
      idealOfMonth: 360_000_000n,
      projected: 300_000_000n,
      daysGone: 20,
      daysSettled: 20,
      newest: '2026-11-20',
    });
  });

  it('expects the recent weekday cost for each coming day', () => {
    const days = settledDays('2026-11-02', '2026-11-15', (date) => (isWeekend(date) ? 1 : 10));
    // Spent: 10 weekdays and 4 days of a weekend. To come: the 1st, a Sunday that was not read, and 16 to 30 November: 11
    // weekdays and 4 days of a weekend.
    expect(pace(days)?.projected).toBe(104_000_000n + 1_000_000n + 114_000_000n);
  });

  it('uses the mean of all days for a weekday without data', () => {
    const days = settledDays('2026-10-25', '2026-11-30', () => 7).filter(({ date }) => !isWeekend(date));
    expect(pace(days)?.projected).toBe(210_000_000n);
  });

  it('does not count an incomplete day as zero cost', () => {
    const days = settledDays('2026-11-01', '2026-11-20', () => 10).map((day) =>
      day.date === '2026-11-05' ? ({ ...day, state: 'missing', costMicros: undefined } as const) : day,
    );
    expect(pace(days, 10_000_000n)).toMatchObject({
      spent: 190_000_000n,
      daysGone: 20,
      daysSettled: 19,
      projected: 300_000_000n,
    });
  });

  it.each<[string, DayFacts[], unknown]>([
    ['nothing without a complete day', [], undefined],
    ['no forecast with six complete days', settledDays('2026-11-01', '2026-11-06', () => 1), undefined],
    ['a forecast with seven complete days', settledDays('2026-11-01', '2026-11-07', () => 1), 30_000_000n],
    [
      'no forecast if a cost is unknown',
      settledDays('2026-11-01', '2026-11-20', () => 1).map((day, index) =>
        index === 3 ? { ...day, costMicros: undefined } : day,
      ),
      undefined,
    ],
    ['the spend of a complete month', settledDays('2026-10-01', '2026-10-31', () => 1), 31_000_000n],
    ['a forecast with the leap day', settledDays('2028-02-01', '2028-02-28', () => 1), 29_000_000n],
    [
      'sums beyond int64 exactly',
      settledDays('2026-11-01', '2026-11-07', () => 4e12),
      30n * 4_000_000_000_000_000_000n,
    ],
  ])('gives %s', (_, days, projected) => expect(pace(days)?.projected).toBe(projected));
});

it('gives no mean for a weekday without days', () => {
  expect(
    weekdayMeans(
      settledDays('2026-11-16', '2026-11-17', () => 3),
      ({ costMicros }) => costMicros,
    ),
  ).toMatchObject([
    { weekday: 1, days: 1, mean: 3_000_000n },
    { weekday: 2, days: 1 },
    ...[3, 4, 5, 6, 7].map((weekday) => ({ weekday, days: 0, mean: undefined })),
  ]);
});

it('gives no share of zero', () => {
  expect(perMille(5n, 0n)).toBeUndefined();
  expect(perMille(-1n, 3n)).toBe(-333n);
});

describe('movers', () => {
  const days = settledDays('2026-11-01', '2026-11-20', () => 1);
  const campaign = (id: string, now: number, before: number) => ({
    campaignId: id,
    name: id,
    budget: undefined,
    days: new Map(
      days.map((day) => [
        day.date,
        { ...day, costMicros: BigInt(day.date >= '2026-11-14' ? now : before) * 1_000_000n },
      ]),
    ),
  });

  it('are the campaigns with most change in spend, up or down', () => {
    const windows = moverWindows(days);
    expect(windows?.now).toEqual({ from: '2026-11-14', to: '2026-11-20' });
    const found = movers([campaign('same', 5, 5), campaign('up', 9, 5), campaign('down', 1, 8)], windows ?? never());
    expect(found.map(({ campaign: { name } }) => name)).toEqual(['down', 'up']);
    expect(found[0]).toMatchObject({ now: { costMicros: 7_000_000n }, before: { costMicros: 56_000_000n } });
  });

  it('need fourteen complete days', () => {
    expect(
      moverWindows(days.map((day) => (day.date === civilDate('2026-11-09') ? { ...day, state: 'provisional' } : day))),
    ).toBeUndefined();
  });
});

function never(): never {
  throw new Error('All days are complete.');
}
