import { describe, expect, it } from 'vitest';
import { type CivilDate, daysOf, halve } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { planRange, planSlices } from '../../../src/engine/read/plan-extraction.ts';
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
    ['are the window for a new table', NONE, [[BACK, true]]],
    ['are the window even if all days are complete', allBut('2026-11-01'), [[BACK, true]]],
    ['are the window if the first reading lies within it', allBut('2026-11-15'), [[BACK, true]]],
    [
      'are a gap before the window, and the window',
      allBut('2026-11-01', '2026-11-05'),
      [
        [days('2026-11-05'), false],
        [BACK, true],
      ],
    ],
    [
      'are one slice if a gap ends at the window',
      allBut('2026-11-01', '2026-11-11', '2026-11-12'),
      [[days('2026-11-11', '2026-11-19'), false]],
    ],
    [
      'are each of two gaps, and the window',
      allBut('2026-11-01', '2026-11-02', '2026-11-03', '2026-11-10'),
      [
        [days('2026-11-02', '2026-11-03'), false],
        [days('2026-11-10'), false],
        [BACK, true],
      ],
    ],
    [
      'have at most 31 days each after three months without a reading',
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
      'with a LIMIT is never cut and has no gaps',
      'WHERE segments.date DURING LAST_30_DAYS LIMIT 5',
      '2026-10-21',
      '2026-11-19',
    ],
    [
      'with fixed days has no gaps before them',
      "WHERE segments.date BETWEEN '2026-11-01' AND '2026-11-02'",
      '2026-11-01',
      '2026-11-02',
    ],
  ])('a query %s', (_, where, from, to) => {
    const plans = planSlices(queryOf(`${SELECT} ${where}`), TODAY, allBut('2026-09-01', '2026-09-05'));
    expect(plans).toEqual([{ days: days(from, to), isWindow: true }]);
  });

  it('a query with separate days is read for those days alone, and has no gaps', () => {
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
    expect(planRange(weekly, days('2026-01-01', '2026-03-31'), TODAY)).toEqual([
      { days: days('2026-01-01', '2026-03-31'), isWindow: false },
    ]);
  });

  it('a long window is cut into slices of at most 31 days, none marked as the window', () => {
    const long = queryOf(`${SELECT} WHERE segments.date BETWEEN '2026-09-01' AND '2026-11-10'`);
    expect(planSlices(long, TODAY, NONE)).toEqual([
      { days: days('2026-09-01', '2026-10-01'), isWindow: false },
      { days: days('2026-10-02', '2026-11-01'), isWindow: false },
      { days: days('2026-11-02', '2026-11-10'), isWindow: false },
    ]);
  });

  it('a query without days is one slice, like a window without a day yet if the table keeps no days', () => {
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

describe('clicks, of which the service answers one day a request', () => {
  const clicks = queryOf(`SELECT segments.date, click_view.gclid, click_view.keyword FROM click_view
    WHERE segments.date DURING YESTERDAY`);
  const planned = (known: Parameters<typeof planSlices>[2]) =>
    planSlices(clicks, TODAY, known).map((plan) => [plan.days?.from, plan.days?.to, plan.isWindow]);

  it('are asked for day by day after days without a run', () => {
    expect(planned(allBut('2026-11-01', '2026-11-17', '2026-11-18', '2026-11-19'))).toEqual([
      ['2026-11-17', '2026-11-17', false],
      ['2026-11-18', '2026-11-18', false],
      ['2026-11-19', '2026-11-19', true],
    ]);
  });

  it('are not asked for once the service no longer keeps them, which is after 90 days', () => {
    expect(planned(allBut('2026-07-01', '2026-08-21', '2026-08-22', '2026-11-19'))).toEqual([
      ['2026-08-22', '2026-08-22', false],
      ['2026-11-19', '2026-11-19', true],
    ]);
    expect(planRange(clicks, days('2026-08-01', '2026-08-23'), TODAY)).toEqual([
      { days: days('2026-08-22'), isWindow: false },
      { days: days('2026-08-23'), isWindow: false },
    ]);
  });
});

describe('a range of days', () => {
  it('is cut into slices of at most 31 days', () => {
    expect(planRange(LAST_WEEK, days('2026-01-01', '2026-02-28'), TODAY).map((plan) => plan.days)).toEqual([
      days('2026-01-01', '2026-01-31'),
      days('2026-02-01', '2026-02-28'),
    ]);
  });

  it.each([
    ['two days', '2026-11-01', '2026-11-02', ['2026-11-01', '2026-11-01'], ['2026-11-02', '2026-11-02']],
    [
      'three days, the earlier half is longer',
      '2026-11-01',
      '2026-11-03',
      ['2026-11-01', '2026-11-02'],
      ['2026-11-03', '2026-11-03'],
    ],
    [
      'days across the end of a month',
      '2026-02-27',
      '2026-03-02',
      ['2026-02-27', '2026-02-28'],
      ['2026-03-01', '2026-03-02'],
    ],
  ])('is halved: %s', (_, from, to, first, second) => {
    expect(halve(days(from, to))?.map((half) => [half.from, half.to])).toEqual([first, second]);
  });

  it('is not halved if it is one day', () => {
    expect(halve(days('2026-11-01'))).toBeUndefined();
  });
});
