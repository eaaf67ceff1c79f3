import { describe, expect, it } from 'vitest';
import { type CivilDate, daysOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { halve, planRange, planSlices } from '../../../src/pipeline/read/plan-extraction.ts';
import { days, queryOf } from '../../extract/loads.ts';

const SELECT = 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign';
const TODAY = civilDate('2026-11-20');
const NONE = { firstDay: undefined, settled: new Set<CivilDate>() };
const LAST_WEEK = queryOf(`${SELECT} WHERE segments.date DURING LAST_7_DAYS`);
const BACK = days('2026-11-13', '2026-11-19');

/** From the first day on all are settled but these. */
function allBut(firstDay: string, ...missing: string[]) {
  const settled = daysOf(days(firstDay, '2026-11-19')).filter((day) => !missing.includes(day));
  return { firstDay: civilDate(firstDay), settled: new Set(settled) };
}

describe('the slices that bring a table up to date', () => {
  it.each([
    ['of a table that nobody has read: the window', NONE, [[BACK, true]]],
    ['all of whose days are settled: the window all the same', allBut('2026-11-01'), [[BACK, true]]],
    ['that was first read within the window', allBut('2026-11-15'), [[BACK, true]]],
    [
      'with a hole before the window',
      allBut('2026-11-01', '2026-11-05'),
      [
        [days('2026-11-05'), false],
        [BACK, true],
      ],
    ],
    [
      'with a hole that ends at the window: both at once',
      allBut('2026-11-01', '2026-11-11', '2026-11-12'),
      [[days('2026-11-11', '2026-11-19'), false]],
    ],
    [
      'with two holes',
      allBut('2026-11-01', '2026-11-02', '2026-11-03', '2026-11-10'),
      [
        [days('2026-11-02', '2026-11-03'), false],
        [days('2026-11-10'), false],
        [BACK, true],
      ],
    ],
    [
      'that was not read for three months: no more than 31 days at once',
      { firstDay: civilDate('2026-08-20'), settled: new Set([civilDate('2026-08-20')]) },
      [
        [days('2026-08-21', '2026-09-20'), false],
        [days('2026-09-21', '2026-10-21'), false],
        [days('2026-10-22', '2026-11-19'), false],
      ],
    ],
  ])('%s', (_, known, expected) => {
    const plans = planSlices(LAST_WEEK, TODAY, known);
    expect(plans.map(({ days: range, isWindow }) => [range, isWindow])).toEqual(expected);
  });

  it.each([
    [
      'with a LIMIT is never cut and has no holes',
      'WHERE segments.date DURING LAST_30_DAYS LIMIT 5',
      '2026-10-21',
      '2026-11-19',
    ],
    [
      'of a fixed window has no holes before it',
      "WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-02'",
      '2026-11-01',
      '2026-11-02',
    ],
  ])('a query %s', (_, where, from, to) => {
    const plans = planSlices(queryOf(`${SELECT} ${where}`), TODAY, allBut('2026-09-01', '2026-09-05'));
    expect(plans).toEqual([{ days: days(from, to), isWindow: true }]);
  });

  it('a query whose days leave gaps is read for those days alone, and has no holes', () => {
    const plans = planSlices(
      queryOf(`${SELECT} WHERE segments.date IN (:today-7, :today-6, :yesterday)`),
      TODAY,
      allBut('2026-09-01', '2026-09-05'),
    );
    expect(plans).toEqual([
      { days: days('2026-11-13', '2026-11-14'), isWindow: false },
      { days: days('2026-11-19'), isWindow: false },
    ]);
  });

  it('a query with a coarser date segment is never cut', () => {
    const weekly = queryOf(
      `SELECT campaign.id, segments.week, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS`,
    );
    expect(planSlices(weekly, TODAY, allBut('2026-09-01', '2026-09-05'))).toEqual([{ days: BACK, isWindow: true }]);
    expect(planRange(weekly, days('2026-01-01', '2026-03-31'))).toEqual([
      { days: days('2026-01-01', '2026-03-31'), isWindow: false },
    ]);
  });

  it('a long window is cut into no more than 31 days, of which none is the window', () => {
    const long = queryOf(`${SELECT} WHERE segments.date BETWEEN '2026-09-01' AND '2026-11-10'`);
    expect(planSlices(long, TODAY, NONE)).toEqual([
      { days: days('2026-09-01', '2026-10-01'), isWindow: false },
      { days: days('2026-10-02', '2026-11-01'), isWindow: false },
      { days: days('2026-11-02', '2026-11-10'), isWindow: false },
    ]);
  });

  it('a query without days is one slice, and so is a window without a day yet where the table keeps no days', () => {
    expect(planSlices(queryOf('SELECT campaign.id FROM campaign'), TODAY, NONE)).toEqual([
      { days: undefined, isWindow: true },
    ]);
    const where = 'WHERE segments.date BETWEEN :month_start AND :yesterday';
    const first = civilDate('2026-11-01');
    expect(planSlices(queryOf(`SELECT campaign.id, metrics.clicks FROM campaign ${where}`), first, NONE)).toEqual([
      { days: undefined, isWindow: true },
    ]);
    expect(planSlices(queryOf(`${SELECT} ${where}`), first, NONE)).toEqual([]);
  });
});

describe('a range', () => {
  it('is cut into 31 days each', () => {
    expect(planRange(LAST_WEEK, days('2026-01-01', '2026-02-28')).map((plan) => plan.days)).toEqual([
      days('2026-01-01', '2026-01-31'),
      days('2026-02-01', '2026-02-28'),
    ]);
  });

  it.each([
    ['two days', '2026-11-01', '2026-11-02', ['2026-11-01', '2026-11-01'], ['2026-11-02', '2026-11-02']],
    [
      'three: the earlier half is not the shorter',
      '2026-11-01',
      '2026-11-03',
      ['2026-11-01', '2026-11-02'],
      ['2026-11-03', '2026-11-03'],
    ],
    ['across a month', '2026-02-27', '2026-03-02', ['2026-02-27', '2026-02-28'], ['2026-03-01', '2026-03-02']],
  ])('is halved: %s', (_, from, to, first, second) => {
    expect(halve(days(from, to))?.map((half) => [half.from, half.to])).toEqual([first, second]);
  });

  it('of one day is not halved', () => {
    expect(halve(days('2026-11-01'))).toBeUndefined();
  });
});
