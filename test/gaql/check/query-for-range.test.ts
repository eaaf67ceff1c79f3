import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { CheckedQuery } from '../../../src/language/gaql/check/check-query.ts';
import { CALENDAR_NAMES, isCalendarName, resolveWindow } from '../../../src/language/gaql/check/date-window.ts';
import {
  daysAsked,
  fixedToItsWindow,
  isCuttable,
  queryFingerprint,
  queryForDay,
  queryForRange,
  tellsItsDays,
} from '../../../src/language/gaql/check/query-for-range.ts';
import { check } from '../findings.ts';

function queryOf(text: string): CheckedQuery {
  const { query, diagnostics } = check(text);
  if (!query) throw new Error(JSON.stringify(diagnostics));
  return query;
}

const SELECT = 'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE';
const JUNE = { from: civilDate('2026-06-01'), to: civilDate('2026-06-30') };

describe('whether the days of a query can change and be split', () => {
  it.each<[sentence: string, text: string, fixed: RegExp | undefined, cuttable: boolean]>([
    ['a period', `${SELECT} segments.date DURING LAST_7_DAYS`, undefined, true],
    ['a range', `${SELECT} segments.date BETWEEN '2026-01-01' AND '2026-01-31'`, undefined, true],
    ['a day', `${SELECT} segments.date = :yesterday`, undefined, true],
    ['two bounds', `${SELECT} segments.date >= '2026-01-01' AND segments.date < '2026-02-01'`, undefined, true],
    ['with other conditions', `${SELECT} segments.date DURING TODAY AND campaign.id IN (1, 2)`, undefined, true],
    ['ordered', `${SELECT} segments.date DURING TODAY ORDER BY metrics.clicks DESC`, undefined, true],
    ['a list of days', `${SELECT} segments.date IN ('2026-01-01', '2026-01-09')`, undefined, true],
    ['a pattern', `${SELECT} segments.date DURING TODAY AND segments.date LIKE '2026%'`, undefined, false],
    ['a LIMIT', `${SELECT} segments.date DURING TODAY LIMIT 9`, /^it has a LIMIT/, false],
    ['no days', 'SELECT campaign.id FROM campaign', /^it does not select segments\.date/, false],
    [
      'days in WHERE alone',
      'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date DURING TODAY',
      /^it does not select segments\.date/,
      false,
    ],
    [
      'a week beside the day',
      `SELECT campaign.id, segments.week, segments.date FROM campaign WHERE segments.date DURING LAST_14_DAYS`,
      undefined,
      false,
    ],
    [
      'a month without the day',
      `SELECT campaign.id, segments.month FROM campaign WHERE segments.date DURING LAST_MONTH`,
      /^it does not select segments\.date/,
      false,
    ],
    [
      'the hour, which is finer than a day',
      `SELECT campaign.id, segments.hour, segments.date FROM campaign WHERE segments.date DURING TODAY`,
      undefined,
      true,
    ],
  ])('%s', (_, text, fixed, cuttable) => {
    const query = queryOf(text);
    if (fixed === undefined) expect(fixedToItsWindow(query)).toBeUndefined();
    else expect(fixedToItsWindow(query)).toMatch(fixed);
    expect(isCuttable(query)).toBe(cuttable);
  });

  it('a query of days always has a window', () => {
    const { query } = check('SELECT campaign.id, segments.date FROM campaign');
    expect(query).toBeUndefined();
  });
});

describe('the query text for other days', () => {
  const sent = (text: string) => queryForRange(queryOf(text), JUNE);
  const whole = "segments.date BETWEEN '2026-06-01' AND '2026-06-30'";
  it.each([
    ['a period', `${SELECT} segments.date DURING LAST_7_DAYS`, `${SELECT} ${whole}`],
    ['a day of the calendar', `${SELECT} segments.date = :today-1`, `${SELECT} ${whole}`],
    [
      'two bounds become one, at the place of the first',
      `${SELECT} campaign.id > 5 AND segments.date >= '2026-01-01' AND metrics.clicks > 0 AND segments.date <= '2026-01-09'`,
      `${SELECT} campaign.id > 5 AND ${whole} AND metrics.clicks > 0`,
    ],
    [
      'later clauses stay, and aliases are not sent',
      `SELECT campaign.id AS c, segments.date FROM campaign WHERE segments.date DURING TODAY ORDER BY campaign.id PARAMETERS include_drafts=true`,
      `SELECT campaign.id, segments.date FROM campaign WHERE ${whole} ORDER BY campaign.id PARAMETERS include_drafts = true`,
    ],
    [
      'comments are not sent',
      `-- what it is for\n${SELECT} /* here */ segments.date DURING TODAY -- there`,
      `${SELECT} ${whole}`,
    ],
  ])('%s', (_, text, expected) => {
    const first = sent(text);
    expect(first).toBe(expected);
    expect(sent(first)).toBe(expected);
  });
});

describe('the fingerprint of a query per day', () => {
  const question = (text: string) => queryFingerprint(queryOf(text));
  it.each([
    ['the same for another window', `${SELECT} segments.date DURING LAST_30_DAYS`],
    ['the same for a fixed one', `${SELECT} segments.date BETWEEN '2026-01-01' AND '2026-01-31'`],
    [
      'the same with other names',
      SELECT.replace('campaign.id', 'campaign.id AS c').concat(' segments.date DURING TODAY'),
    ],
    ['the same in another layout', `${SELECT}\n\n  segments.date   DURING TODAY`],
  ])('is %s', (_, text) => {
    expect(question(text)).toBe(question(`${SELECT} segments.date DURING LAST_7_DAYS`));
  });

  it.each([
    [
      'another field',
      `${SELECT} segments.date DURING LAST_7_DAYS`.replace('metrics.clicks', 'metrics.clicks, metrics.impressions'),
    ],
    ['another condition', `${SELECT} segments.date DURING LAST_7_DAYS AND campaign.id = 1`],
    ['another resource', `${SELECT} segments.date DURING LAST_7_DAYS`.replace('FROM campaign', 'FROM keyword_view')],
    ['a LIMIT', `${SELECT} segments.date DURING LAST_7_DAYS LIMIT 5`],
  ])('changes with %s', (_, text) => {
    expect(question(text)).not.toBe(question(`${SELECT} segments.date DURING LAST_7_DAYS`));
  });

  it('covers the whole text if days depend on one another', () => {
    const limited = `${SELECT} segments.date DURING LAST_7_DAYS LIMIT 5`;
    expect(question(limited)).toBe(limited);
    expect(question(limited)).not.toBe(question(limited.replace('LAST_7', 'LAST_14')));
  });
});

describe('the days that a query requests', () => {
  const WEEK = { from: civilDate('2026-11-12'), to: civilDate('2026-11-18') };
  it.each([
    ['all of a period', 'DURING LAST_7_DAYS', ['12', '13', '14', '15', '16', '17', '18']],
    ['the days of a list only', 'IN (:today-7, :yesterday)', ['12', '18']],
    ['all but one', "DURING LAST_7_DAYS AND segments.date != '20261115'", ['12', '13', '14', '16', '17', '18']],
    [
      'all but a list',
      "DURING LAST_7_DAYS AND segments.date NOT IN ('2026-11-12', :yesterday)",
      ['13', '14', '15', '16', '17'],
    ],
    ['the days within two bounds', '> :today-7 AND segments.date <= :today-5', ['13', '14']],
    ['one', '= :yesterday', ['18']],
    ['a range', "BETWEEN '2026-11-12' AND '2026-11-14'", ['12', '13', '14']],
  ])('are %s', (_, condition, days) => {
    const query = queryOf(`${SELECT} segments.date ${condition}`);
    expect(daysAsked(query, WEEK, civilDate('2026-11-19')).map((day) => day.slice(8))).toEqual(days);
    expect(tellsItsDays(query)).toBe(true);
  });

  it('stay a list if the query has one', () => {
    const query = queryOf(`${SELECT} segments.date IN ('2026-11-01', '2026-11-09')`);
    const text = queryForRange(query, { from: civilDate('2026-11-08'), to: civilDate('2026-11-09') });
    expect(text).toContain("segments.date IN ('2026-11-08', '2026-11-09')");
  });

  it.each([
    ['a list of weeks', "segments.week IN ('2026-11-02', '2026-11-16')", false],
    ['one week', "segments.week = '2026-11-02'", true],
    ['a list of days, with a LIMIT', "segments.date IN ('2026-11-01', '2026-11-09') LIMIT 5", false],
    ['a period, with a LIMIT', 'segments.date DURING LAST_7_DAYS LIMIT 5', true],
  ])('are known individually or not: %s', (_, condition, known) => {
    expect(tellsItsDays(queryOf(`${SELECT} ${condition}`))).toBe(known);
  });
});

const S = 'SELECT campaign.id FROM campaign WHERE';

function onDay(condition: string, today: string) {
  const { query, diagnostics } = check(`${S} ${condition}`);
  expect(diagnostics).toEqual([]);
  if (!query?.window) throw new Error('No window.');
  const days = resolveWindow(query.window, civilDate(today));
  return { sent: queryForDay(query, civilDate(today)).slice(S.length + 1), days: days && [days.from, days.to] };
}

describe('days of the account’s calendar', () => {
  it.each([
    [':today', '2026-06-17', '2026-06-17'],
    [':today-7', '2026-03-01', '2026-02-22'],
    [':today-1', '2024-03-01', '2024-02-29'],
    [':today+1', '2026-12-31', '2027-01-01'],
    [':today-366', '2025-02-28', '2024-02-28'],
    [':yesterday', '2026-01-01', '2025-12-31'],
    [':yesterday-1', '2026-03-01', '2026-02-27'],
    [':week_start', '2026-06-15', '2026-06-15'],
    [':week_start', '2026-06-21', '2026-06-15'],
    [':week_start', '2026-01-01', '2025-12-29'],
    [':week_start-7', '2026-06-17', '2026-06-08'],
    [':month_start', '2026-06-01', '2026-06-01'],
    [':month_start', '2024-02-29', '2024-02-01'],
    [':month_start-1', '2024-03-31', '2024-02-29'],
    [':quarter_start', '2026-01-01', '2026-01-01'],
    [':quarter_start', '2026-03-31', '2026-01-01'],
    [':quarter_start', '2026-12-31', '2026-10-01'],
    [':quarter_start-1', '2026-05-05', '2026-03-31'],
    [':year_start', '2024-12-31', '2024-01-01'],
    [':year_start-1', '2026-01-01', '2025-12-31'],
  ])('%s on %s is %s', (written, today, day) => {
    expect(onDay(`segments.date = ${written}`, today)).toEqual({ sent: `segments.date = '${day}'`, days: [day, day] });
  });

  it.each([
    [
      'BETWEEN',
      'segments.date BETWEEN :month_start AND :yesterday',
      '2026-06-17',
      "segments.date BETWEEN '2026-06-01' AND '2026-06-16'",
      ['2026-06-01', '2026-06-16'],
    ],
    [
      'BETWEEN, on the first, where no day is left',
      'segments.date BETWEEN :month_start AND :yesterday',
      '2026-06-01',
      "segments.date BETWEEN '2026-06-01' AND '2026-05-31'",
      undefined,
    ],
    [
      'IN',
      'segments.date IN (:today, :today-7)',
      '2026-06-17',
      "segments.date IN ('2026-06-17', '2026-06-10')",
      ['2026-06-10', '2026-06-17'],
    ],
    [
      'IN months',
      'segments.month IN (:month_start, :year_start)',
      '2026-02-17',
      "segments.month IN ('2026-02-01', '2026-01-01')",
      ['2026-01-01', '2026-02-28'],
    ],
    [
      'two sides',
      'segments.date > :week_start AND segments.date <= :today',
      '2026-06-17',
      "segments.date > '2026-06-15' AND segments.date <= '2026-06-17'",
      ['2026-06-16', '2026-06-17'],
    ],
    [
      'a mixture',
      "segments.date >= '2026-06-10' AND segments.date < :today",
      '2026-06-17',
      "segments.date >= '2026-06-10' AND segments.date < '2026-06-17'",
      ['2026-06-10', '2026-06-16'],
    ],
    [
      'a period beside them',
      'segments.date DURING THIS_MONTH AND segments.date < :today',
      '2026-06-17',
      "segments.date DURING THIS_MONTH AND segments.date < '2026-06-17'",
      ['2026-06-01', '2026-06-16'],
    ],
    [
      'other conditions stay',
      'segments.date = :today AND campaign.name IS NOT NULL AND campaign.id IN (1)',
      '2026-06-17',
      "segments.date = '2026-06-17' AND campaign.name IS NOT NULL AND campaign.id IN (1)",
      ['2026-06-17', '2026-06-17'],
    ],
  ])('%s', (_, condition, today, sent, days) => {
    expect(onDay(condition, today)).toEqual({ sent, days });
  });

  it('keep the same text on every day, to identify a table', () => {
    expect(check(`${S} segments.date = :today-7`).query?.text).toBe(`${S} segments.date = :today-7`);
  });

  it('are known by name; built-in object names are not', () => {
    for (const name of CALENDAR_NAMES) expect(isCalendarName(name)).toBe(true);
    for (const name of ['toString', '__proto__', 'TODAY', '']) expect(isCalendarName(name)).toBe(false);
  });
});
