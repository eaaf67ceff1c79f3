import { describe, expect, it } from 'vitest';
import { check, errorsOf } from '../findings.ts';

const W = 'SELECT segments.date FROM campaign WHERE';
const UNSELECTED = 'SELECT metrics.clicks FROM campaign WHERE';
const windowOf = (source: string) => check(source).query?.window;

describe('the days a query asks for', () => {
  it.each([
    ['a period', 'segments.date DURING LAST_30_DAYS', { kind: 'period', period: 'LAST_30_DAYS' }],
    ['a period in lower case', 'segments.date DURING yesterday', { kind: 'period', period: 'YESTERDAY' }],
    ['BETWEEN', "segments.date BETWEEN '2026-01-01' AND '2026-01-31'", ['2026-01-01', '2026-01-31']],
    ['BETWEEN of one day', "segments.date BETWEEN '2026-01-01' AND '2026-01-01'", ['2026-01-01', '2026-01-01']],
    ['one day', "segments.date = '2024-02-29'", ['2024-02-29', '2024-02-29']],
    ['dates without dashes', 'segments.date BETWEEN \'20260101\' AND "20260131"', ['2026-01-01', '2026-01-31']],
    ['>= and <=', "segments.date >= '2026-01-01' AND segments.date <= '2026-01-31'", ['2026-01-01', '2026-01-31']],
    ['<= before >=', "segments.date <= '2026-01-31' AND segments.date >= '2026-01-01'", ['2026-01-01', '2026-01-31']],
    ['> and <', "segments.date > '2025-12-31' AND segments.date < '2026-02-01'", ['2026-01-01', '2026-01-31']],
    [
      'the narrowest of many',
      "segments.date >= '2026-01-01' AND segments.date >= '2026-01-10' AND segments.date <= '2026-03-01' AND segments.date BETWEEN '2026-01-05' AND '2026-02-01'",
      ['2026-01-10', '2026-02-01'],
    ],
    [
      'a list, from its first day to its last',
      "segments.date IN ('2026-01-10', '2026-01-05')",
      ['2026-01-05', '2026-01-10'],
    ],
    [
      'a range with a hole, as a whole',
      "segments.date BETWEEN '2026-01-01' AND '2026-01-31' AND segments.date != '2026-01-05'",
      ['2026-01-01', '2026-01-31'],
    ],
  ])('B13: by %s', (_, condition, expected) => {
    const window = Array.isArray(expected)
      ? { kind: 'fixed', range: { from: expected[0], to: expected[1] } }
      : expected;
    expect(windowOf(`${W} ${condition}`)).toEqual(window);
  });

  it('are known where the date is not selected, too', () => {
    expect(windowOf(`${UNSELECTED} segments.date DURING TODAY`)).toEqual({ kind: 'period', period: 'TODAY' });
  });

  it('are none where no date is named', () => {
    const { query } = check('SELECT campaign.id FROM campaign');
    expect(query).toBeDefined();
    expect(query?.window).toBeUndefined();
  });

  it('may be open where the date is not selected', () => {
    expect(errorsOf(`${UNSELECTED} segments.date >= '2026-01-01'`)).toEqual([]);
  });
});

describe('dates that cannot be asked for', () => {
  it.each([
    ['no condition', 'SELECT segments.date FROM campaign', ['EXPECTED_FILTERS_ON_DATE_RANGE 1:8-1:21']],
    ['no end', `${W} segments.date >= '2026-01-01'`, ['EXPECTED_FILTERS_ON_DATE_RANGE 1:42-1:55']],
    ['no beginning', `${W} segments.date < '2026-01-01'`, ['EXPECTED_FILTERS_ON_DATE_RANGE 1:42-1:55']],
    ['an unknown period', `${W} segments.date DURING LAST_8_DAYS`, ['INVALID_VALUE_WITH_DURING_OPERATOR 1:63-1:74']],
    ['a period in quotes', `${W} segments.date DURING 'TODAY'`, ['INVALID_VALUE_WITH_DURING_OPERATOR 1:63-1:70']],
    ['a number for a period', `${W} segments.date DURING 7`, ['INVALID_VALUE_WITH_DURING_OPERATOR 1:63-1:64']],
    ['a date without quotes', `${W} segments.date = 2026-01-01`, ['INVALID_DATE_FORMAT 1:58-1:68']],
    ['a date in no form', `${W} segments.date = '01.02.2026'`, ['INVALID_DATE_FORMAT 1:58-1:70']],
    ['a day that does not exist', `${W} segments.date = '2026-02-30'`, ['INVALID_DATE_FORMAT 1:58-1:70']],
    ['the same without dashes', `${W} segments.date = '20260230'`, ['INVALID_DATE_FORMAT 1:58-1:68']],
    [
      'both ends',
      `${W} segments.date BETWEEN '2026-02-30' AND '2026-13-01'`,
      ['INVALID_DATE_FORMAT 1:64-1:76', 'INVALID_DATE_FORMAT 1:81-1:93'],
    ],
    [
      'a wrong date of a list',
      `${UNSELECTED} segments.date IN ('2026-01-01', '2026-01-32')`,
      ['INVALID_DATE_FORMAT 1:75-1:87'],
    ],
    [
      'BETWEEN the wrong way round',
      `${W} segments.date BETWEEN '2026-02-03' AND '2026-02-01'`,
      ['DATE_RANGE_TOO_NARROW 1:64-1:76'],
    ],
    [
      'no day in common',
      `${W} segments.date >= '2026-02-03' AND segments.date <= '2026-02-01'`,
      ['DATE_RANGE_TOO_NARROW 1:56-1:58'],
    ],
    [
      'no day at the end of time',
      `${W} segments.date > '9999-12-31' AND segments.date <= '9999-12-31'`,
      ['DATE_RANGE_TOO_NARROW 1:56-1:57'],
    ],
  ])('%s', (_, source, places) => {
    expect(errorsOf(source)).toEqual(places);
  });

  it('are told with an example', () => {
    const sources = [
      'SELECT segments.date FROM campaign',
      `${W} segments.date >= '2026-01-01'`,
      `${W} segments.date DURING LAST_8_DAYS`,
      `${W} segments.date DURING whenever_it_suits`,
      `${W} segments.date = 2026-01-01`,
      `${W} segments.date = '2026-02-30'`,
      `${W} segments.date BETWEEN '2026-02-03' AND '2026-02-01'`,
    ];
    const messages = sources
      .flatMap((source) => check(source).diagnostics.filter(({ severity }) => severity === 'error'))
      .map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "segments.date is selected and WHERE does not say which days. For example WHERE segments.date DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'.
      The condition on segments.date is open: it needs a first and a last day. For example WHERE segments.date DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'.
      DURING has no period "LAST_8_DAYS". Did you mean LAST_7_DAYS, LAST_14_DAYS or LAST_30_DAYS? Any other length is BETWEEN :today-8 AND :yesterday.
      DURING has no period "whenever_it_suits". Periods are TODAY, YESTERDAY, LAST_7_DAYS, LAST_14_DAYS, LAST_30_DAYS, LAST_BUSINESS_WEEK, LAST_WEEK_MON_SUN, LAST_WEEK_SUN_SAT, THIS_WEEK_MON_TODAY, THIS_WEEK_SUN_TODAY, THIS_MONTH, LAST_MONTH.
      Found 2026-01-01, expected a date in quotes for segments.date: 'YYYY-MM-DD'.
      There is no day 2026-02-30 in the calendar.
      BETWEEN 2026-02-03 AND 2026-02-01 holds no day: the first date is the later one. Swap the two dates."
    `);
  });
});
