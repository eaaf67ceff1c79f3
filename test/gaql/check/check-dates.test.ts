import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { resolveWindow } from '../../../src/language/gaql/check/date-window.ts';
import { check, errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

const W = 'SELECT segments.date FROM campaign WHERE';
const UNSELECTED = 'SELECT metrics.clicks FROM campaign WHERE';
const windowOf = (source: string) => check(source).query?.window;

describe('the days that a query requests', () => {
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
      'a range with a gap, as a whole',
      "segments.date BETWEEN '2026-01-01' AND '2026-01-31' AND segments.date != '2026-01-05'",
      ['2026-01-01', '2026-01-31'],
    ],
  ])('B13: by %s', (_, condition, expected) => {
    const window = Array.isArray(expected)
      ? { kind: 'fixed', range: { from: expected[0], to: expected[1] } }
      : expected;
    expect(windowOf(`${W} ${condition}`)).toEqual(window);
  });

  it('are also known if the date is not selected', () => {
    expect(windowOf(`${UNSELECTED} segments.date DURING TODAY`)).toEqual({ kind: 'period', period: 'TODAY' });
  });

  it('are undefined without a date condition', () => {
    const { query } = check('SELECT campaign.id FROM campaign');
    expect(query).toBeDefined();
    expect(query?.window).toBeUndefined();
  });

  it('may be open if the date is not selected', () => {
    expect(errorsOf(`${UNSELECTED} segments.date >= '2026-01-01'`)).toEqual([]);
  });
});

describe('invalid date conditions', () => {
  it('get an example', () => {
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
      "segments.date is selected, but WHERE names no days. For example WHERE segments.date DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'.
      The condition on segments.date is open: it needs a first and a last day. For example WHERE segments.date DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'.
      Unknown period "LAST_8_DAYS" after DURING. Did you mean LAST_7_DAYS, LAST_14_DAYS or LAST_30_DAYS?
      Unknown period "whenever_it_suits" after DURING. Periods are TODAY, YESTERDAY, LAST_7_DAYS, LAST_14_DAYS, LAST_30_DAYS, LAST_BUSINESS_WEEK, LAST_WEEK_MON_SUN, LAST_WEEK_SUN_SAT, THIS_WEEK_MON_TODAY, THIS_WEEK_SUN_TODAY, THIS_MONTH, LAST_MONTH. For other days, write BETWEEN :today-14 AND :yesterday.
      Found 2026-01-01, expected a date in quotes for segments.date: 'YYYY-MM-DD'. For a day that moves with the calendar, write :today-7 without quotes.
      The day 2026-02-30 does not exist.
      BETWEEN 2026-02-03 AND 2026-02-01 contains no day: the first date is later. Swap the two dates."
    `);
  });
});

const TODAY = civilDate('2026-06-17');
const OPEN = 'EXPECTED_FILTERS_ON_DATE_RANGE';
const NARROW = 'DATE_RANGE_TOO_NARROW';
const MISALIGNED = 'MISALIGNED_DATE_FOR_FILTER';

function daysOf(conditions: string, selected = 'segments.date'): string {
  const { query, diagnostics } = check(`SELECT campaign.id, ${selected} FROM campaign WHERE ${conditions}`);
  expect(diagnostics).toEqual([]);
  const days = query?.window && resolveWindow(query.window, TODAY);
  return days ? `${days.from} ${days.to}` : 'none';
}

describe('a finite range of each core date', () => {
  it.each([
    ['segments.date', "segments.date = '2026-01-05'", '2026-01-05 2026-01-05'],
    ['segments.date', "segments.date BETWEEN '2026-01-05' AND '2026-01-07'", '2026-01-05 2026-01-07'],
    ['segments.date', "segments.date >= '2026-01-05' AND segments.date <= '2026-01-07'", '2026-01-05 2026-01-07'],
    ['segments.date', "segments.date > '2026-01-05' AND segments.date < '2026-01-07'", '2026-01-06 2026-01-06'],
    ['segments.date', 'segments.date DURING LAST_7_DAYS', '2026-06-10 2026-06-16'],
    ['segments.date', 'segments.date IN (:today-3, :yesterday, :today-5)', '2026-06-12 2026-06-16'],
    ['segments.date', "segments.date IN ('2026-01-05', '2026-01-03')", '2026-01-03 2026-01-05'],
    ['segments.week', "segments.week = '2026-01-05'", '2026-01-05 2026-01-11'],
    ['segments.week', "segments.week BETWEEN '2026-01-05' AND '2026-01-12'", '2026-01-05 2026-01-18'],
    ['segments.week', "segments.week > '2026-01-05' AND segments.week < '2026-01-26'", '2026-01-12 2026-01-25'],
    ['segments.week', 'segments.week = :week_start-7', '2026-06-08 2026-06-14'],
    ['segments.week', 'segments.week DURING LAST_WEEK_MON_SUN', '2026-06-08 2026-06-14'],
    ['segments.month', "segments.month = '2024-02-01'", '2024-02-01 2024-02-29'],
    ['segments.month', "segments.month >= '2026-01-01' AND segments.month <= '2026-03-01'", '2026-01-01 2026-03-31'],
    ['segments.month', "segments.month > '2026-01-01' AND segments.month < '2026-03-01'", '2026-02-01 2026-02-28'],
    ['segments.month', 'segments.month BETWEEN :year_start AND :month_start', '2026-01-01 2026-06-30'],
    ['segments.month', "segments.month IN ('2026-01-01', '2026-04-01')", '2026-01-01 2026-04-30'],
    ['segments.month', 'segments.month = :quarter_start', '2026-04-01 2026-04-30'],
    ['segments.month', 'segments.month DURING LAST_MONTH', '2026-05-01 2026-05-31'],
    ['segments.quarter', 'segments.quarter DURING THIS_MONTH', '2026-06-01 2026-06-17'],
    ['segments.quarter', "segments.quarter = '2026-10-01'", '2026-10-01 2026-12-31'],
    [
      'segments.quarter',
      'segments.quarter >= :year_start AND segments.quarter <= :quarter_start',
      '2026-01-01 2026-06-30',
    ],
    ['segments.quarter', 'segments.quarter IN (:year_start)', '2026-01-01 2026-03-31'],
    ['segments.year', 'segments.year = 2024', '2024-01-01 2024-12-31'],
    ['segments.year', "segments.year = '2024'", '2024-01-01 2024-12-31'],
    ['segments.year', 'segments.year BETWEEN 2024 AND 2025', '2024-01-01 2025-12-31'],
    ['segments.year', 'segments.year > 2023 AND segments.year < 2026', '2024-01-01 2025-12-31'],
    ['segments.year', 'segments.year IN (2023, 2025)', '2023-01-01 2025-12-31'],
    ['segments.week', 'segments.date DURING LAST_30_DAYS', '2026-05-18 2026-06-16'],
    ['segments.date', "segments.month = '2026-05-01' AND segments.date >= '2026-05-20'", '2026-05-20 2026-05-31'],
    ['segments.date', 'segments.date DURING THIS_MONTH AND segments.date >= :week_start', '2026-06-15 2026-06-17'],
    [
      'segments.date',
      'segments.date IN (:today, :yesterday) AND segments.date DURING THIS_WEEK_MON_TODAY',
      '2026-06-16 2026-06-17',
    ],
  ])('lets %s be selected: %s', (selected, conditions, days) => {
    expect(daysOf(conditions, selected)).toBe(days);
  });
});

describe('an open range', () => {
  it.each([
    ['no condition', 'SELECT campaign.id, «segments.week» FROM campaign'],
    ['a first day only', "SELECT campaign.id, segments.date FROM campaign WHERE «segments.date» > '2026-01-01'"],
    ['a last month only', "SELECT campaign.id, segments.month FROM campaign WHERE «segments.month» <= '2026-01-01'"],
    [
      'a first quarter only',
      'SELECT campaign.id, segments.quarter FROM campaign WHERE «segments.quarter» >= :quarter_start',
    ],
    ['a last year only', 'SELECT campaign.id, segments.year FROM campaign WHERE «segments.year» < 2026'],
    ['a day that is not', 'SELECT campaign.id, segments.year FROM campaign WHERE «segments.year» != 2026'],
    ['years that are not', 'SELECT campaign.id, segments.year FROM campaign WHERE «segments.year» NOT IN (2026)'],
    ['being there', 'SELECT campaign.id, segments.date FROM campaign WHERE «segments.date» IS NOT NULL'],
    [
      'a beginning of another date',
      "SELECT campaign.id, segments.week FROM campaign WHERE «segments.date» >= '2026-01-01'",
    ],
  ])('is refused with a selected date: %s', (_, text) => {
    const { source, places } = marked(text, OPEN);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['a first day', "segments.date >= '2026-01-01'"],
    ['a last month', "segments.month <= '2026-01-01'"],
    ['all but a year', 'segments.year != 2026'],
    ['being there', 'segments.date IS NOT NULL'],
  ])('is accepted without a selected date: %s', (_, condition) => {
    const { query, diagnostics } = check(`SELECT campaign.id FROM campaign WHERE ${condition}`);
    expect(diagnostics).toEqual([]);
    expect(query?.window).toBeUndefined();
  });

  it('names its field', () => {
    expect(
      messagesOf("SELECT campaign.id, segments.week FROM campaign WHERE segments.date >= '2026-01-01'")[0],
    ).toContain('The condition on segments.date is open');
  });
});

describe('a day that is not the first of its period', () => {
  it.each([
    ['a Tuesday for a week', "segments.week = «'2026-01-06'»"],
    ['a Sunday for a week', "segments.week = «'2026-01-04'»"],
    ['today for a week', 'segments.week = «:today»'],
    ['six days after a Monday', 'segments.week = «:week_start-6»'],
    ['the month’s first day for a week', 'segments.week = «:month_start»'],
    ['the second for a month', "segments.month = «'2026-01-02'»"],
    ['a moved month', 'segments.month = «:month_start-30»'],
    ['a week’s first day for a month', 'segments.month = «:week_start»'],
    ['February for a quarter', "segments.quarter = «'20260201'»"],
    ['a month’s first day for a quarter', 'segments.quarter = «:month_start»'],
    ['the day before the quarter', 'segments.quarter = «:quarter_start-1»'],
    ['both ends', "segments.month BETWEEN «'2026-01-02'» AND «'2026-02-28'»"],
    ['some of a list', "segments.month IN («'2026-01-02'», '2026-02-01', «'2026-03-31'»)"],
  ])('%s', (_, condition) => {
    const { source, places } = marked(`SELECT campaign.id FROM campaign WHERE ${condition}`, MISALIGNED, MISALIGNED);
    expect(placesOf(source)).toEqual(places);
  });

  it('gets a hint', () => {
    const told = (condition: string) => messagesOf(`SELECT campaign.id FROM campaign WHERE ${condition}`);
    expect([...told("segments.week = '2026-01-06'"), ...told("segments.quarter = '2026-02-01'")]).toEqual([
      'segments.week takes the first day of a week, a Monday. Write that day, or :week_start.',
      'segments.quarter takes the first day of a quarter. Write that day, or :quarter_start.',
    ]);
  });
});

it('DURING is refused for a year, which is a number', () => {
  const { source, places } = marked(
    'SELECT campaign.id, segments.year FROM campaign WHERE segments.year «DURING» TODAY',
    'OPERATOR_FIELD_MISMATCH',
  );
  expect(placesOf(source)).toEqual(places);
});

describe('dates that leave no day', () => {
  it.each([
    ['the later first', "segments.date BETWEEN «'2026-01-02'» AND '2026-01-01'"],
    ['the later month first', "segments.month BETWEEN «'2026-02-01'» AND '2026-01-01'"],
    ['the later year first', 'segments.year BETWEEN «2026» AND 2025'],
    ['after the last day', "segments.date «>» '2026-01-01' AND segments.date < '2026-01-02'"],
    ['a day outside the month', "segments.month «=» '2026-01-01' AND segments.date = '2026-02-01'"],
    ['two years', 'segments.year «=» 2025 AND segments.year = 2026'],
    ['today to yesterday, empty on every day', 'segments.date «BETWEEN» :today AND :yesterday'],
    ['the calendar the wrong way round', 'segments.date «>=» :month_start+3 AND segments.date < :month_start+3'],
  ])('%s', (_, condition) => {
    const { source, places } = marked(`SELECT campaign.id FROM campaign WHERE ${condition}`, NARROW);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['the first of a month', 'segments.date BETWEEN :month_start AND :yesterday', '2026-06-01'],
    ['a Monday', 'segments.date >= :week_start AND segments.date < :today', '2026-06-15'],
  ])('are accepted if empty on %s only', (_, condition, today) => {
    const { query, diagnostics } = check(`SELECT campaign.id FROM campaign WHERE ${condition}`);
    expect(diagnostics).toEqual([]);
    expect(query?.window && resolveWindow(query.window, civilDate(today))).toBeUndefined();
    expect(query?.window && resolveWindow(query.window, TODAY)).toBeDefined();
  });
});
