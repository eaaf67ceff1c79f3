import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { PERIOD_NAMES } from '../../../src/language/gaql/check/date-window.ts';
import { errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

const FORMAT = 'INVALID_DATE_FORMAT';
const S = 'SELECT campaign.id FROM campaign WHERE';
const SIMULATION = 'SELECT ad_group_simulation.resource_name FROM ad_group_simulation WHERE';
const CHANGE =
  'SELECT change_event.resource_name FROM change_event WHERE change_event.change_date_time DURING TODAY AND';

describe('a day is an existing date in quotes', () => {
  it.each([
    ['with dashes', "segments.date = '2026-02-28'"],
    ['without', "segments.date = '20260228'"],
    ['in double quotes', 'segments.date = "2026-02-28"'],
    ['a leap day', "segments.date = '2024-02-29'"],
    ['the leap day of a century that has one', "segments.date = '2000-02-29'"],
    ['the last of a year', "segments.date = '2026-12-31'"],
    ['the 29th of February in a common year', "segments.date = «'2026-02-29'»"],
    ['the leap day of a century that has none', "segments.date = «'1900-02-29'»"],
    ['the 31st of April', "segments.date = «'2026-04-31'»"],
    ['no month', "segments.date = «'2026-13-01'»"],
    ['no day', "segments.date = «'20260100'»"],
    ['one digit short', "segments.date = «'2026-1-01'»"],
    ['the day first', "segments.date = «'31.01.2026'»"],
    ['slashes', "segments.date = «'2026/01/01'»"],
    ['a time of day', "segments.date = «'2026-01-01 10:00:00'»"],
    ['nothing', "segments.date = «''»"],
    ['a pattern instead of a day', "segments.date «LIKE» '2026-%'", 'OPERATOR_FIELD_MISMATCH (warning)'],
    [
      'a pattern without quotes',
      'segments.date «LIKE» «TODAY»',
      'OPERATOR_FIELD_MISMATCH (warning)',
      'INVALID_VALUE_WITH_LIKE_OPERATOR',
    ],
    ['a day of the calendar as a pattern', 'segments.date «LIKE» :today', 'OPERATOR_FIELD_MISMATCH (warning)'],
    ['no quotes', 'segments.date = «2026-01-01»'],
    ['a number', 'segments.date = «20260101»'],
    ['a period', 'segments.date = «TODAY»'],
    ['both ends', "segments.date BETWEEN «'2026-02-30'» AND «today»"],
    ['one of a list', "segments.date IN ('2026-01-01', «'2026-01-32'»)"],
  ])('%s', (_, condition, ...codes) => {
    const { source, places } = marked(`${S} ${condition}`, ...(codes.length > 0 ? codes : [FORMAT, FORMAT]));
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['a day', "ad_group_simulation.start_date = '2026-01-01'"],
    ['a day of the calendar', 'ad_group_simulation.start_date >= :today-30'],
    ['a day that does not exist', "ad_group_simulation.start_date = «'2026-02-30'»"],
    ['a number', 'ad_group_simulation.end_date < «20260101»'],
    ['some of a list', "ad_group_simulation.end_date IN (:today, «'x'»)"],
  ])('also applies to other dates than core dates: %s', (_, condition) => {
    const { source, places } = marked(`${SIMULATION} ${condition}`, FORMAT);
    expect(placesOf(source)).toEqual(places);
  });
});

describe('a time is a day in quotes, with or without a time of day', () => {
  it.each([
    ['a day', "'2026-01-01'"],
    ['a day without dashes', "'20260101'"],
    ['a day of the calendar', ':today-3'],
    ['midnight', "'2026-01-01 00:00:00'"],
    ['the last second', "'2026-01-01 23:59:59'"],
    ['parts of a second', "'2026-01-01 12:30:00.123456'"],
    ['an offset', "'2026-01-01 12:30:00+01:00'"],
    ['no day of the calendar', "«'2026-02-30 10:00:00'»"],
    ['the 25th hour', "«'2026-01-01 24:00:00'»"],
    ['the 61st minute', "«'2026-01-01 10:60:00'»"],
    ['no seconds', "«'2026-01-01 10:00'»"],
    ['a T between them', "«'2026-01-01T10:00:00'»"],
    ['two spaces', "«'2026-01-01  10:00:00'»"],
    ['no quotes', '«2026»'],
    ['a name', '«TODAY»'],
    ['nothing', "«''»"],
  ])('%s', (_, value) => {
    const { source, places } = marked(
      `${CHANGE} change_event.change_date_time >= ${value} LIMIT «5»`,
      ...(value.includes('«') ? [FORMAT] : []),
      'LIMITED_TABLE (note)',
    );
    expect(placesOf(source)).toEqual(places);
  });

  it('lists the valid formats', () => {
    expect(messagesOf(`${CHANGE} change_event.change_date_time >= '2026-01-01T10:00:00' LIMIT 5`)[0]).toBe(
      "Found '2026-01-01T10:00:00', expected a day, or a day and a time, in quotes for change_event.change_date_time. Write 'YYYY-MM-DD' or 'YYYY-MM-DD hh:mm:ss'.",
    );
  });
});

describe('calendar days move by at most a century', () => {
  it.each([
    ['a century back', 'segments.date = :today-36525'],
    ['a century on', 'segments.date = :today+36525'],
    ['a day more', 'segments.date = «:today-36526»'],
    ['a number without end', `segments.date = «:today+${'9'.repeat(400)}»`],
  ])('%s', (_, condition) => {
    const { source, places } = marked(`${S} ${condition}`, 'BAD_VALUE');
    expect(placesOf(source)).toEqual(places);
  });

  it('also applies to times', () => {
    const { source, places } = marked(
      `${CHANGE} change_event.change_date_time < «:today-99999» LIMIT «5»`,
      'BAD_VALUE',
      'LIMITED_TABLE (note)',
    );
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toBe('Found :today moved by -99999 days, expected at most 36525.');
  });
});

describe('a year is a number of four digits', () => {
  it.each([
    ['two digits', 'segments.year = «26»', 'BAD_VALUE'],
    ['five digits', 'segments.year = «20260»', 'BAD_VALUE'],
    ['before our time', 'segments.year > «-5»', 'BAD_VALUE'],
    ['decimals', 'segments.year = «2026.5»', 'BAD_NUMBER'],
    ['a date', "segments.year = «'2026-01-01'»", 'BAD_NUMBER'],
    ['a name', 'segments.year = «THIS»', 'BAD_NUMBER'],
    ['a day of the calendar', 'segments.year = «:year_start»', 'BAD_VALUE'],
  ])('%s', (_, condition, code) => {
    const { source, places } = marked(`${S} ${condition}`, code);
    expect(placesOf(source)).toEqual(places);
  });
});

describe('DURING', () => {
  it.each(PERIOD_NAMES)('takes %s, in any case', (period) => {
    expect(placesOf(`${S} segments.date DURING ${period} AND segments.date DURING ${period.toLowerCase()}`)).toEqual(
      [],
    );
  });

  it.each([
    [
      'an unknown length',
      `${S} segments.date DURING «LAST_8_DAYS»`,
      'Unknown period "LAST_8_DAYS" after DURING. Did you mean LAST_7_DAYS, LAST_14_DAYS or LAST_30_DAYS?',
    ],
    [
      'quotes',
      `${S} segments.date DURING «'today'»`,
      "Found 'today', expected a period without quotes after DURING. Write TODAY.",
    ],
    ['a text', `${S} segments.date DURING «'last year'»`, 'Unknown period "last year" after DURING. '],
    ['a number', `${S} segments.month DURING «7»`, 'Unknown period "7" after DURING. Periods are TODAY, '],
    [
      'a length of a date that is no core date',
      `${SIMULATION} ad_group_simulation.start_date DURING «LAST_90_DAYS»`,
      'Unknown period "LAST_90_DAYS" after DURING. ',
    ],
    [
      'a day of the calendar',
      `${S} segments.date DURING «:today»`,
      ':today is a day, but DURING takes a period. Use BETWEEN for two days.',
      'BAD_VALUE',
    ],
  ])('does not take %s', (_, text, message, code = 'INVALID_VALUE_WITH_DURING_OPERATOR') => {
    const { source, places } = marked(text, code);
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(message);
  });
});

describe('the service keeps 37 months of days', () => {
  const BEYOND = 'BEYOND_RETENTION (warning)';
  it.each([
    ['the oldest day', "segments.date = '2023-05-15'"],
    ['the day before it', "segments.date «=» '2023-05-14'", BEYOND],
    ['a range that begins before it', "segments.date «BETWEEN» '2015-01-01' AND '2026-01-01'", BEYOND],
    ['a year that begins before it', 'segments.year «=» 2023', BEYOND],
    ['days of the calendar before it', 'segments.date «BETWEEN» :today-2000 AND :today', BEYOND],
    ['a period', 'segments.date DURING LAST_30_DAYS'],
    ['the beginning of the calendar', "segments.date «=» '0001-01-01'", BEYOND],
    ['a window that is empty today', 'segments.date BETWEEN :today AND :month_start'],
  ])('%s', (_, condition, ...codes) => {
    const { source, places } = marked(`${S} ${condition}`, ...codes);
    expect(placesOf(source, { today: civilDate('2026-06-15') })).toEqual(places);
    expect(placesOf(source)).toEqual([]);
  });

  it('names the day', () => {
    expect(messagesOf(`${S} segments.date = '2015-01-01'`, { today: civilDate('2026-06-15') })).toEqual([
      'The service keeps days for 37 months, since 2023-05-15, but the query starts on 2015-01-01. Expect no rows, or an error, for earlier days.',
    ]);
  });
});

it('refuses two periods only if they share no day', () => {
  const during = (...periods: readonly string[]) =>
    `SELECT campaign.id FROM campaign WHERE ${periods.map((period) => `segments.date DURING ${period}`).join(' AND ')}`;
  expect(errorsOf(during('TODAY', 'YESTERDAY'))).toEqual(['DATE_RANGE_TOO_NARROW 1:54-1:60']);
  expect(errorsOf(during('TODAY', 'THIS_MONTH'))).toEqual([]);
  expect(errorsOf(during('LAST_7_DAYS', 'LAST_MONTH'))).toEqual([]);
});

it('accepts a range from a fixed to a calendar day that is empty on some days only', () => {
  const where = "segments.date >= '2027-06-01' AND segments.date <= :today";
  expect(errorsOf(`SELECT campaign.id FROM campaign WHERE ${where}`)).toEqual([]);
});
