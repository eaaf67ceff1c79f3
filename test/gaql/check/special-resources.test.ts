import { describe, expect, it } from 'vitest';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const WIDE = 'DATE_RANGE_TOO_WIDE';
const OPEN = 'EXPECTED_FILTERS_ON_DATE_RANGE';
const CLICKS = 'SELECT segments.date, click_view.gclid FROM click_view';

describe('click_view is read one day at a time', () => {
  it.each([
    ['today', 'segments.date DURING TODAY'],
    ['yesterday', 'segments.date DURING YESTERDAY'],
    ['a day', "segments.date = '2026-01-01'"],
    ['a range of one day', "segments.date BETWEEN '2026-01-01' AND '2026-01-01'"],
    ['a range of one day on both sides', "segments.date > '2025-12-31' AND segments.date < '2026-01-02'"],
    ['a list of one day', "segments.date IN ('2026-01-01')"],
    ['a day of the calendar', 'segments.date = :today-3'],
    ['a range of one day of the calendar', 'segments.date BETWEEN :yesterday AND :today-1'],
    ['the same on both sides', 'segments.date >= :week_start+2 AND segments.date < :week_start+3'],
    ['a day within a period', 'segments.date DURING LAST_7_DAYS AND segments.date = :yesterday'],
    ['yesterday within a range', "segments.date DURING YESTERDAY AND segments.date >= '2026-01-01'"],
    ['two days', "«segments.date» BETWEEN '2026-01-01' AND '2026-01-02'", WIDE],
    ['a week', '«segments.date» DURING LAST_7_DAYS', WIDE],
    ['two days of a list', "«segments.date» IN ('2026-01-01', '2026-01-03')", WIDE],
    ['two days of the calendar', '«segments.date» BETWEEN :yesterday AND :today', WIDE],
    ['days that depend on today', '«segments.date» BETWEEN :month_start AND :today', WIDE],
    ['days of another base', "«segments.date» >= '2026-01-01' AND segments.date <= :today", WIDE],
    ['days up to a fixed one', "«segments.date» >= :today AND segments.date <= '2099-01-01'", WIDE],
    ['a period among others', "«segments.date» >= '2026-01-01' AND segments.date DURING LAST_7_DAYS", WIDE],
    ['no end', "«segments.date» >= '2026-01-01'", OPEN],
    ['a date that cannot be read, which is told alone', 'segments.date = «yesterday»', 'INVALID_DATE_FORMAT'],
  ])('%s', (_, condition, ...codes) => {
    const { source, places } = marked(`${CLICKS} WHERE ${condition}`, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['no day', 'SELECT click_view.resource_name FROM «click_view»'],
    [
      'no day, beside another condition',
      "SELECT click_view.resource_name FROM «click_view» WHERE click_view.gclid = 'x'",
    ],
    ['an open range', "SELECT click_view.resource_name FROM click_view WHERE «segments.date» >= '2026-01-01'"],
    ['a selected day without a condition', 'SELECT «segments.date», click_view.gclid FROM click_view'],
  ])('and wants to be told which: %s', (_, text) => {
    const { source, places } = marked(text, OPEN);
    expect(placesOf(source)).toEqual(places);
  });

  it('is told what to write', () => {
    expect([
      ...messagesOf(`${CLICKS} WHERE segments.date DURING LAST_7_DAYS`),
      ...messagesOf('SELECT click_view.resource_name FROM click_view'),
    ]).toEqual([
      "click_view is read one day at a time. Filter with segments.date = '2026-01-31', or DURING YESTERDAY.",
      "click_view is read one day at a time, and WHERE names none. Filter with segments.date = '2026-01-31', or DURING YESTERDAY.",
    ]);
  });
});

describe.each([
  ['change_status', 'change_status.last_change_date_time'],
  ['change_event', 'change_event.change_date_time'],
])('%s', (resource, time) => {
  const S = `SELECT ${resource}.resource_name FROM`;
  const LIMITED = 'LIMITED_TABLE (note)';
  const INFINITE = 'CHANGE_DATE_RANGE_INFINITE';

  it.each([
    ['a period', `${time} DURING LAST_14_DAYS`],
    ['two days', `${time} BETWEEN '2026-01-01' AND '2026-01-05'`],
    ['one time', `${time} = '2026-01-01 10:00:00'`],
    ['both sides', `${time} >= '2026-01-01 10:00:00' AND ${time} <= '2026-01-02'`],
    ['both sides, without the ends', `${time} < '2026-01-05' AND ${time} > :today-10`],
  ])('takes %s and a LIMIT', (_, condition) => {
    const { source, places } = marked(`${S} ${resource} WHERE ${condition} LIMIT «10000»`, LIMITED);
    expect(placesOf(source)).toEqual(places);
    expect(check(source).query?.limit).toBe(10_000);
  });

  it.each([
    ['no time', `${S} «${resource}» LIMIT «5»`, INFINITE, LIMITED],
    [
      'no time among other conditions',
      `${S} «${resource}» WHERE ${resource}.resource_name != 'x' LIMIT «5»`,
      INFINITE,
      LIMITED,
    ],
    ['a beginning only', `${S} ${resource} WHERE «${time}» >= '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    ['an end only', `${S} ${resource} WHERE «${time}» < '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    ['all but a time', `${S} ${resource} WHERE «${time}» != '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    ['no LIMIT', `${S} «${resource}» WHERE ${time} DURING TODAY`, 'LIMIT_NOT_SPECIFIED'],
    ['neither', `${S} «${resource}»`, `${INFINITE}, LIMIT_NOT_SPECIFIED`],
    [
      'a LIMIT of more',
      `${S} ${resource} WHERE ${time} DURING TODAY LIMIT «10001»`,
      `INVALID_LIMIT_CLAUSE, ${LIMITED}`,
    ],
    [
      'a period that it does not have',
      `${S} ${resource} WHERE ${time} DURING «LAST_8_DAYS» LIMIT «5»`,
      'INVALID_VALUE_WITH_DURING_OPERATOR',
      LIMITED,
    ],
    [
      'the later day first',
      `${S} ${resource} WHERE ${time} BETWEEN «'2026-01-05 00:00:00'» AND '20260101' LIMIT «5»`,
      'INVALID_VALUE_WITH_BETWEEN_OPERATOR',
      LIMITED,
    ],
  ])('does not take %s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it('is told what to write', () => {
    expect([
      ...messagesOf(`${S} ${resource}`),
      ...messagesOf(`${S} ${resource} WHERE ${time} DURING TODAY LIMIT 10001`),
    ]).toEqual([
      `${resource} needs a first and a last time in WHERE. For example WHERE ${time} DURING LAST_14_DAYS.`,
      `${resource} needs a LIMIT of 10000 at most. Add LIMIT 10000 at the end.`,
      `Found 10001, and ${resource} takes a LIMIT of 10000 at most.`,
      'The table holds at most 10001 rows per account: it may be a part of what there is. Rules do not read such a table.',
    ]);
  });
});
