import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate, daysBetween } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { sameWeekdays } from '../../../src/rules/evaluate/resolve-window.ts';

const THURSDAY = civilDate('2026-11-19');
const days = (...dates: string[]): ReadonlySet<CivilDate> => new Set(dates.map(civilDate));
const always = () => true;

describe('the same weekdays', () => {
  it.each<[string, Parameters<typeof sameWeekdays>[2], string[]]>([
    ['are the last weeks, oldest first', {}, ['2026-10-29', '2026-11-05', '2026-11-12']],
    [
      'leave a holiday out, for an earlier week',
      { holidays: days('2026-11-05'), settled: always },
      ['2026-10-22', '2026-10-29', '2026-11-12'],
    ],
    [
      'are fewer where the earlier week is not there',
      { holidays: days('2026-11-05'), settled: () => false },
      ['2026-10-29', '2026-11-12'],
    ],
    [
      'pass over an earlier week that is not there for one that is',
      { holidays: days('2026-11-05'), settled: (day) => day !== '2026-10-22' },
      ['2026-10-15', '2026-10-29', '2026-11-12'],
    ],
    [
      'pass over a holiday among the earlier weeks, too',
      { holidays: days('2026-11-05', '2026-10-22'), settled: always },
      ['2026-10-15', '2026-10-29', '2026-11-12'],
    ],
    [
      'reach back twice as many weeks and no farther',
      { holidays: days('2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'), settled: always },
      ['2026-10-08', '2026-10-15'],
    ],
    [
      'mind no holiday on another weekday',
      { holidays: days('2026-11-04') },
      ['2026-10-29', '2026-11-05', '2026-11-12'],
    ],
  ])('%s', (_, known, expected) => {
    expect(sameWeekdays(3, THURSDAY, known)).toEqual(expected);
  });

  it('are never more than the weeks, no holidays, and of the weekday', () => {
    const places = fc.uniqueArray(fc.integer({ min: 1, max: 12 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), places, places, (weeks, free, missing) => {
        const at = (week: number) => addDays(THURSDAY, -7 * week);
        const holidays = new Set(free.map(at));
        const absent = new Set(missing.map(at));
        const found = sameWeekdays(weeks, THURSDAY, { holidays, settled: (day) => !absent.has(day) });
        expect(found.length).toBeLessThanOrEqual(weeks);
        expect(found).toEqual([...new Set(found)].sort());
        expect(found.every((day) => !holidays.has(day) && daysBetween(day, THURSDAY) % 7 === 0)).toBe(true);
        // A day that a plan asks for and the table lacks holds the rule back: only the usual weeks are asked for unseen.
        const extra = found.filter((day) => daysBetween(day, THURSDAY) > 7 * weeks);
        expect(extra.every((day) => !absent.has(day))).toBe(true);
      }),
    );
  });
});
