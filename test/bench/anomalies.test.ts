import { describe, expect, it } from 'vitest';
import { simulatedYears } from '../../bench/anomalies/simulated-years.ts';
import { tryAnomalies } from '../../bench/anomalies/try-anomalies.ts';
import { benchVariant } from '../../bench/anomalies/variant.ts';
import type { Change, Year } from '../../bench/anomalies/year.ts';
import { addDays, daysOf } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';

const FIRST = civilDate('2024-01-01');
const DAYS = daysOf({ from: FIRST, to: addDays(FIRST, 79) });
const READ = { query: 'queries/library/campaign_conversions.sql', for: 'campaign' } as const;
const HALF: Change = { metric: 'clicks', times: 0.5, days: 2 };

/** Campaigns with so many clicks a day, and half of them on unusual days. */
function clicksOf(daily: readonly number[], unusual: readonly number[] = []): Year {
  const clicks = (subject: number, day: number, days: readonly number[]) =>
    (daily[subject] ?? 0) * (days.includes(day) ? 0.5 : 1);
  return {
    days: DAYS,
    subjects: daily.length,
    figures: (_, subject, day) => clicks(subject, day, unusual),
    changed: (change, start) => (_, subject, day) => {
      const days = Array.from({ length: change.days }, (_, index) => start + index);
      return clicks(subject, day, [...unusual, ...days]);
    },
  };
}

const rule = (name: string, ...lines: string[]) => benchVariant(name, READ, lines.join('\n'));
const LOOKED_AT = rule('looked at', 'over: 1 day', 'when: median(clicks) same weekday over 4 weeks >= 20');
const BELOW = 'when: clicks < 0.6 * median(clicks) same weekday over 4 weeks';

describe('a trial of rules on a year', () => {
  const variants = [rule('one day', 'over: 1 day', BELOW), rule('two days', 'over: 1 day', BELOW, 'lasting: 2 days')];

  it('counts how often each rule begins to fire, by years of the subjects with enough', () => {
    const trial = tryAnomalies({
      year: clicksOf([100, 10], [50, 51, 60]),
      lookedAt: LOOKED_AT,
      variants,
      changes: [],
    });
    // Four weeks are needed before the first day that counts.
    expect(trial).toMatchObject({ subjects: 2, lookedAt: 1, years: (DAYS.length - 28) / 365 });
    expect(trial.outcomes.map(({ alarmsPerYear }) => Math.round(alarmsPerYear * trial.years))).toEqual([2, 1]);
  });

  it('finds a change if the rule begins to fire on one of its days', () => {
    const changes = [{ ...HALF, days: 1 }, HALF];
    const trial = tryAnomalies({ year: clicksOf([100]), lookedAt: LOOKED_AT, variants, changes });
    expect(trial.outcomes.map(({ found }) => found)).toEqual([
      [1, 1],
      [0, 1],
    ]);
  });

  it('evaluates a rule on conversions when its newest day is complete', () => {
    const seen: [number, number][] = [];
    const year: Year = {
      ...clicksOf([100]),
      figures: (metric, _, day, today) => {
        if (metric === 'conversions') seen.push([day, today]);
        return 100;
      },
    };
    const converting = rule('on conversions', 'over: 1 day', 'when: conversions = 0 AND clicks >= 1');
    expect(converting.waitDays).toBe(7);
    tryAnomalies({ year, lookedAt: converting, variants: [], changes: [] });
    expect(seen.map(([day, today]) => today - day)).toEqual(DAYS.map(() => 8));
    expect(rule('sooner', 'over: 1 day', 'when: conversions = 0', 'conversion_window: 1 day').waitDays).toBe(1);
  });
});

describe('simulated years', () => {
  const year = simulatedYears({ seeds: [1, 2], campaigns: 3, days: 60 });
  const sumOf = (figures: Year['figures'], metric: string, days: readonly number[], today: number) =>
    days.reduce((sum, day) => {
      const subjects = Array.from({ length: year.subjects }, (_, subject) => figures(metric, subject, day, today) ?? 0);
      return sum + subjects.reduce((total, value) => total + value, 0);
    }, 0);
  const first = Array.from({ length: 20 }, (_, day) => day);

  it('have a row for each campaign of each account', () => {
    expect([year.subjects, year.days.length]).toEqual([6, 60]);
    for (const subject of [0, 2, 3, 5]) expect(year.figures('clicks', subject, 10, 11)).toBeGreaterThan(0);
    expect(year.figures('clicks', 0, 10, 11)).not.toBe(year.figures('clicks', 3, 10, 11));
    expect(year.figures('clicks', 6, 10, 11)).toBeUndefined();
  });

  it('have conversions that arrive after their clicks', () => {
    const knownAfter = (days: number) =>
      first.map((day) => sumOf(year.figures, 'conversions', [day], day + days)).reduce((sum, one) => sum + one, 0);
    expect(knownAfter(0)).toBe(0);
    expect(knownAfter(1) / knownAfter(8)).toBeGreaterThan(0.4);
    expect(knownAfter(1) / knownAfter(8)).toBeLessThan(0.7);
  });

  it('change only the metric and the days of a change', () => {
    const dear = year.changed({ metric: 'cost_micros', times: 2, days: 3 }, 5);
    const cost = (figures: Year['figures'], day: number) => sumOf(figures, 'cost_micros', [day], 60);
    for (const day of [5, 6, 7]) expect(cost(dear, day)).toBe(2 * cost(year.figures, day));
    for (const day of [4, 8]) expect(cost(dear, day)).toBe(cost(year.figures, day));
    expect(sumOf(dear, 'conversions', first, 60)).toBe(sumOf(year.figures, 'conversions', first, 60));
  });

  it('lose conversions on the days on which they would arrive', () => {
    const broken = year.changed({ metric: 'conversions', times: 0, days: 4 }, 10);
    const during = [10, 11, 12, 13];
    expect(sumOf(broken, 'conversions', during, 14)).toBe(0);
    expect(sumOf(broken, 'conversions', during, 60)).toBeGreaterThan(0);
    expect(sumOf(broken, 'conversions', [9], 60)).toBeLessThan(sumOf(year.figures, 'conversions', [9], 60));
    expect(sumOf(broken, 'conversions', [14], 60)).toBe(sumOf(year.figures, 'conversions', [14], 60));
  });
});
