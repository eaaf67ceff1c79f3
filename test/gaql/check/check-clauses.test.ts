import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { check, errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

const UNSELECTED = 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE';
const S = 'SELECT campaign.id FROM campaign';

describe('a field used as a filter must be selected', () => {
  it.each([
    'SELECT campaign.id FROM campaign WHERE «segments.device» = MOBILE',
    'SELECT campaign.id FROM campaign WHERE «segments.device» IS NOT NULL',
    'SELECT campaign.id FROM campaign WHERE «segments.month_of_year» = MAY',
    'SELECT click_view.gclid, segments.date FROM click_view WHERE segments.date DURING TODAY AND «campaign.id» = 5',
    "SELECT campaign_budget.id FROM campaign_budget WHERE «campaign.name» LIKE 'a%'",
    "SELECT campaign_budget.id, campaign.id FROM campaign_budget WHERE «campaign.name» = 'a'",
  ])('%s', (text) => {
    const { source, places } = marked(text, UNSELECTED);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    'SELECT campaign.id, segments.device FROM campaign WHERE segments.device = MOBILE',
    'SELECT campaign.id FROM campaign WHERE segments.date DURING TODAY',
    "SELECT campaign.id FROM campaign WHERE segments.week = '2026-01-05'",
    "SELECT campaign.id FROM campaign WHERE segments.month = '2026-01-01'",
    "SELECT campaign.id FROM campaign WHERE segments.quarter = '2026-01-01'",
    'SELECT campaign.id FROM campaign WHERE segments.year = 2026',
    "SELECT campaign.id FROM campaign WHERE campaign.name = 'x'",
    'SELECT campaign.id FROM campaign WHERE campaign_budget.amount_micros > 5',
    'SELECT campaign.id FROM campaign WHERE metrics.clicks > 0',
    'SELECT campaign_budget.id, campaign.id FROM campaign_budget WHERE campaign.id = 5',
  ])('does not apply to %s', (source) => {
    expect(placesOf(source)).toEqual([]);
  });

  it('explains the field and the next step', () => {
    expect([
      ...messagesOf(`${S} WHERE segments.device = MOBILE`),
      ...messagesOf('SELECT campaign_budget.id FROM campaign_budget WHERE campaign.id = 5'),
    ]).toEqual([
      '"segments.device" is a segment: WHERE can use it only if SELECT has it. Add segments.device to SELECT.',
      '"campaign.id" splits the rows of campaign_budget: WHERE can use it only if SELECT has it. Add campaign.id to SELECT.',
    ]);
  });
});

describe('a field in ORDER BY', () => {
  it.each([
    [`${S} ORDER BY «metrics.clicks» DESC`, UNSELECTED],
    [`${S} ORDER BY «segments.device»`, UNSELECTED],
    [`${S} ORDER BY «campaign_budget.id»`, UNSELECTED],
    [`${S} ORDER BY «campaign.name»`, `${UNSELECTED} (warning)`],
    [`${S} ORDER BY campaign.id, «metrics.clicks», «metrics.impressions»`, UNSELECTED, UNSELECTED],
    [`${S} ORDER BY campaign.resource_name, campaign_budget.resource_name`],
    [
      'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date DURING TODAY ORDER BY metrics.clicks DESC, campaign.id',
    ],
    ['SELECT ad_group.id FROM ad_group ORDER BY «campaign.name»', UNSELECTED],
  ])('%s', (text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });
});

describe('the name of a column', () => {
  const aliased = 'SELECT campaign.id, metrics.clicks AS spent FROM campaign';

  it.each([
    ['is no field of WHERE', `${aliased} WHERE «spent» > 5`, 'WHERE'],
    ['is no field of ORDER BY', `${aliased} ORDER BY «spent» DESC`, 'ORDER BY'],
  ])('%s, and the message names the field', (_, text, clause) => {
    const { source, places } = marked(text, 'UNRECOGNIZED_FIELD');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)).toEqual([
      `"spent" is a column name in this file, but ${clause} takes fields. Write metrics.clicks.`,
    ]);
  });

  it('does not hide its field', () => {
    expect(
      placesOf(`${aliased} WHERE metrics.clicks > 5 AND segments.date DURING TODAY ORDER BY metrics.clicks`),
    ).toEqual([]);
  });
});

describe('a LIMIT', () => {
  it('gets a note, because the table may be incomplete', () => {
    const { source, places } = marked(`${S} LIMIT «10»`, 'LIMITED_TABLE (note)');
    expect(placesOf(source)).toEqual(places);
    expect(check(source).query?.limit).toBe(10);
    expect(messagesOf(source)).toEqual([
      'The table holds at most 10 rows per account, so it may be incomplete. Rules do not read a table with a LIMIT. Remove the LIMIT to get all rows.',
    ]);
  });

  it('gets no note without a LIMIT', () => {
    expect(check(S).query?.limit).toBeUndefined();
  });
});

describe('request parameters', () => {
  it.each([
    [`${S} PARAMETERS include_drafts = true, omit_unselected_resource_names = FALSE`],
    [`${S} PARAMETERS include_drafts = 'true'`],
    [`${S} PARAMETERS «validate_only» = true`, 'BAD_PARAMETER_NAME'],
    [`${S} PARAMETERS include_drafts = true, «include_drafts» = true`, 'BAD_PARAMETER_NAME'],
    [`${S} PARAMETERS include_drafts = «1»`, 'BAD_PARAMETER_VALUE'],
    [`${S} PARAMETERS include_drafts = «yes»`, 'BAD_PARAMETER_VALUE'],
    [`${S} PARAMETERS «drafts» = «2»`, 'BAD_PARAMETER_NAME', 'BAD_PARAMETER_VALUE'],
  ])('%s', (text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it('get a hint with the known names', () => {
    const texts = [
      'include_draft = true',
      'validate_only = true',
      'include_drafts = true, include_drafts = true',
      'include_drafts = no',
    ];
    expect(texts.flatMap((text) => messagesOf(`${S} PARAMETERS ${text}`))).toEqual([
      'Unknown request parameter "include_draft". Did you mean include_drafts?',
      'Unknown request parameter "validate_only". Request parameters are include_drafts and omit_unselected_resource_names.',
      '"include_drafts" is given twice.',
      'Found "no", expected true or false.',
    ]);
  });
});

describe('the service keeps some resources for days only', () => {
  const today = civilDate('2026-06-15');
  const CHANGES = 'SELECT change_event.resource_name FROM change_event WHERE';
  const STATUS = 'SELECT change_status.resource_name FROM change_status WHERE';
  const CLICK = 'SELECT segments.date, click_view.gclid FROM click_view WHERE';
  const OLD = 'START_DATE_TOO_OLD';
  const time = 'change_event.change_date_time';

  it.each([
    ['changes of 30 days', `${CHANGES} ${time} DURING LAST_30_DAYS LIMIT 5`],
    ['changes since a day in them', `${CHANGES} ${time} >= '2026-05-16' AND ${time} <= :today LIMIT 5`],
    ['changes that a second condition limits', `${CHANGES} ${time} >= '2020-01-01' AND ${time} DURING TODAY LIMIT 5`],
    ['a status of 90 days', `${STATUS} change_status.last_change_date_time BETWEEN :today-90 AND :today LIMIT 5`],
    ['clicks of 90 days ago', `${CLICK} segments.date = '2026-03-17'`],
    ['older changes', `${CHANGES} «${time}» BETWEEN '2026-01-01' AND '2026-01-05 10:00:00' LIMIT 5`, OLD],
    ['older changes at a time', `${CHANGES} «${time}» = '2026-05-01 10:00:00' LIMIT 5`, OLD],
    ['older changes by today', `${CHANGES} «${time}» > :today-40 AND ${time} <= :today LIMIT 5`, OLD],
    ['changes of a longer period', `${CHANGES} «${time}» DURING LAST_MONTH LIMIT 5`, OLD],
    ['an older status', `${STATUS} «change_status.last_change_date_time» BETWEEN :today-92 AND :today LIMIT 5`, OLD],
    ['older clicks', `${CLICK} «segments.date» = '2026-03-01'`, OLD],
    ['older clicks by today', `${CLICK} «segments.date» = :month_start-100`, OLD],
  ])('%s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(errorsOf(source, { today })).toEqual(places);
    expect(errorsOf(source)).toEqual([]);
  });

  it('names the oldest day', () => {
    expect(messagesOf(`${CLICK} segments.date = '2026-01-01'`, { today })).toEqual([
      'The service keeps click_view for 90 days, since 2026-03-17, but the query starts on 2026-01-01. Name days since then, for example with segments.date DURING YESTERDAY.',
    ]);
  });
});

const WIDE = 'DATE_RANGE_TOO_WIDE';
const OPEN = 'EXPECTED_FILTERS_ON_DATE_RANGE';
const CLICKS = 'SELECT segments.date, click_view.gclid, click_view.keyword FROM click_view';

describe('A query of click_view must cover exactly one day', () => {
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
    ['an invalid date, reported alone', 'segments.date = «yesterday»', 'INVALID_DATE_FORMAT'],
  ])('%s', (_, condition, ...codes) => {
    const { source, places } = marked(`${CLICKS} WHERE ${condition}`, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    'SELECT click_view.resource_name FROM «click_view»',
    "SELECT click_view.resource_name FROM «click_view» WHERE click_view.gclid = 'x'",
    "SELECT click_view.resource_name FROM click_view WHERE «segments.date» >= '2026-01-01'",
    'SELECT «segments.date», click_view.gclid FROM click_view',
  ])('needs a day: %s', (text) => {
    const { source, places } = marked(text, OPEN);
    expect(placesOf(source)).toEqual(places);
  });

  it('gets a hint', () => {
    expect([
      ...messagesOf(`${CLICKS} WHERE segments.date DURING LAST_7_DAYS`),
      ...messagesOf('SELECT click_view.resource_name FROM click_view'),
    ]).toEqual([
      "A query of click_view must cover exactly one day. Filter with segments.date = '2026-01-31', or DURING YESTERDAY.",
      "A query of click_view must cover exactly one day, but WHERE names no day. Filter with segments.date = '2026-01-31', or DURING YESTERDAY.",
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
    [`${S} «${resource}» LIMIT «5»`, INFINITE, LIMITED],
    [`${S} «${resource}» WHERE ${resource}.resource_name != 'x' LIMIT «5»`, INFINITE, LIMITED],
    [`${S} ${resource} WHERE «${time}» >= '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    [`${S} ${resource} WHERE «${time}» < '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    [`${S} ${resource} WHERE «${time}» != '2026-01-01' LIMIT «5»`, INFINITE, LIMITED],
    [`${S} «${resource}» WHERE ${time} DURING TODAY`, 'LIMIT_NOT_SPECIFIED'],
    [`${S} «${resource}»`, `${INFINITE}, LIMIT_NOT_SPECIFIED`],
    [`${S} ${resource} WHERE ${time} DURING TODAY LIMIT «10001»`, `INVALID_LIMIT_CLAUSE, ${LIMITED}`],
    [`${S} ${resource} WHERE ${time} DURING «LAST_8_DAYS» LIMIT «5»`, 'INVALID_VALUE_WITH_DURING_OPERATOR', LIMITED],
    [
      `${S} ${resource} WHERE ${time} BETWEEN «'2026-01-05 00:00:00'» AND '20260101' LIMIT «5»`,
      'INVALID_VALUE_WITH_BETWEEN_OPERATOR',
      LIMITED,
    ],
  ])('does not take %s', (text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it('gets a hint', () => {
    expect([
      ...messagesOf(`${S} ${resource}`),
      ...messagesOf(`${S} ${resource} WHERE ${time} DURING TODAY LIMIT 10001`),
    ]).toEqual([
      `${resource} needs a first and a last time in WHERE. For example WHERE ${time} DURING LAST_14_DAYS.`,
      `${resource} needs a LIMIT of at most 10000. Add LIMIT 10000 at the end.`,
      `Found LIMIT 10001, expected at most 10000 for ${resource}.`,
      'The table holds at most 10001 rows per account, so it may be incomplete. Rules do not read a table with a LIMIT.',
    ]);
  });
});
