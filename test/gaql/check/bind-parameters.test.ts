import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { queryForDay } from '../../../src/language/gaql/check/query-for-range.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const TODAY = civilDate('2026-06-17');
const S = 'SELECT campaign.id FROM campaign WHERE';

const given = (values: Readonly<Record<string, string | readonly string[]>>) => ({
  parameters: new Map(Object.entries(values).map(([name, value]) => [name, [value].flat()])),
});

function whereSent(condition: string, values: Parameters<typeof given>[0], select = S): string {
  const { query, diagnostics } = check(`${select} ${condition}`, given(values));
  expect(diagnostics).toEqual([]);
  return query ? (queryForDay(query, TODAY).split(' WHERE ')[1] ?? '') : 'refused';
}

describe('a parameter takes a value of its field’s type', () => {
  it.each([
    ['INT64', 'campaign.id = :x', '5', 'campaign.id = 5'],
    ['a negative INT64', 'metrics.clicks > :x', '-5', 'metrics.clicks > -5'],
    ['DOUBLE', 'metrics.ctr > :x', '0.25', 'metrics.ctr > 0.25'],
    ['ENUM', 'campaign.status = :x', 'ENABLED', "campaign.status = 'ENABLED'"],
    [
      'BOOLEAN',
      'campaign.network_settings.target_google_search = :x',
      'True',
      'campaign.network_settings.target_google_search = True',
    ],
    ['STRING', 'campaign.name = :x', 'brand', "campaign.name = 'brand'"],
    ['STRING of digits', 'campaign.name = :x', '5', "campaign.name = '5'"],
    ['STRING with a quote', 'campaign.name = :x', "O'Neill", "campaign.name = 'O\\'Neill'"],
    ['a pattern', 'campaign.name LIKE :x', 'a%', "campaign.name LIKE 'a%'"],
    [
      'RESOURCE_NAME',
      'campaign.campaign_budget = :x',
      'customers/1/campaignBudgets/2',
      "campaign.campaign_budget = 'customers/1/campaignBudgets/2'",
    ],
    ['DATE', 'segments.date = :x', '2026-01-05', "segments.date = '2026-01-05'"],
    ['DATE of the calendar', 'segments.date = :x', ':today-7', "segments.date = '2026-06-10'"],
    ['DATE of the calendar, not moved', 'segments.date = :x', ':month_start', "segments.date = '2026-06-01'"],
    [
      'DATE_TIME',
      'campaign.start_date_time >= :x',
      '2026-01-05 10:00:00',
      "campaign.start_date_time >= '2026-01-05 10:00:00'",
    ],
    [
      'DATE_TIME of the calendar',
      'campaign.start_date_time >= :x',
      ':yesterday',
      "campaign.start_date_time >= '2026-06-16'",
    ],
    ['a year', 'segments.year = :x', '2026', 'segments.year = 2026'],
    ['a period', 'segments.date DURING :x', 'last_7_days', 'segments.date DURING LAST_7_DAYS'],
    ['both ends', 'metrics.clicks BETWEEN :x AND :x', '5', 'metrics.clicks BETWEEN 5 AND 5'],
    ['an item of a list', 'campaign.id IN (1, :x)', '5', 'campaign.id IN (1, 5)'],
  ])('%s', (_, condition, value, sent) => {
    expect(whereSent(condition, { x: value })).toBe(sent);
  });

  it.each([
    ['numbers', 'campaign.id IN (:x)', ['1', '2'], 'campaign.id IN (1, 2)'],
    [
      'texts among others',
      "campaign.name NOT IN ('a', :x, 'd')",
      ['b', 'c'],
      "campaign.name NOT IN ('a', 'b', 'c', 'd')",
    ],
    ['days', 'segments.date IN (:x)', ['2026-01-05', ':today'], "segments.date IN ('2026-01-05', '2026-06-17')"],
    ['constants of a list', 'campaign.labels CONTAINS ANY (:x)', ['a', 'b'], "campaign.labels CONTAINS ANY ('a', 'b')"],
  ])('a list takes several: %s', (_, condition, values, sent) => {
    expect(whereSent(condition, { x: values })).toBe(sent);
  });

  it('lists each parameter name once', () => {
    const { query } = check(
      `${S} campaign.id = :a AND campaign.id IN (:b, :a) AND segments.date = :today AND campaign.name IS NULL`,
      given({ a: '1', b: '2' }),
    );
    expect(query?.parameters).toEqual(['a', 'b']);
  });
});

describe('an invalid value is refused with its parameter', () => {
  it('where it stands in the query', () => {
    const wrong: [condition: string, value: string][] = [
      ['campaign.id = «:x»', 'abc'],
      ['campaign.id IN («:x»)', '1,2'],
      ['campaign.id = «:x»', '1.5'],
      ['metrics.ctr = «:x»', '1e5'],
      ['campaign.status = «:x»', 'enabled'],
      ['campaign.network_settings.target_google_search = «:x»', '1'],
      ['segments.date = «:x»', '2026-02-30'],
      ['segments.date = «:x»', ':tomorrow'],
      ['segments.date = «:x»', ':today-40000'],
      ['campaign.start_date_time > «:x»', 'noon'],
      ['segments.date DURING «:x»', 'LAST_8_DAYS'],
      ['segments.year = «:x»', '26'],
      ['campaign.id = «:x»', ''],
    ];
    const told = wrong.map(([condition, x]) => {
      const [code = ''] = placesOf(`${S} ${condition.replaceAll(/[«»]/g, '')}`, given({ x }))[0]?.split(' ') ?? [];
      const { source, places } = marked(`${S} ${condition}`, code);
      expect(placesOf(source, given({ x }))).toEqual(places);
      return `${code} ${messagesOf(source, given({ x })).join(' … ')}`;
    });
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "BAD_NUMBER Found "abc" (:x), expected a whole number for campaign.id.
      BAD_NUMBER Found "1,2" (:x), expected a whole number for campaign.id. Repeat --param x=… for each value.
      BAD_NUMBER Found "1.5" (:x), expected a whole number for campaign.id.
      BAD_NUMBER Found "1e5" (:x), expected a number for metrics.ctr.
      BAD_ENUM_CONSTANT "enabled" (:x) is not a constant of campaign.status. Did you mean ENABLED?
      BAD_VALUE Found "1" (:x), expected TRUE or FALSE for campaign.network_settings.target_google_search.
      INVALID_DATE_FORMAT The day 2026-02-30 does not exist.
      INVALID_DATE_FORMAT Found ":tomorrow" (:x), expected a date for segments.date: YYYY-MM-DD.
      BAD_VALUE Found :today moved by -40000 days, expected at most 36525.
      INVALID_DATE_FORMAT Found "noon" (:x), expected a day, or a day and a time, in quotes for campaign.start_date_time. Write 'YYYY-MM-DD' or 'YYYY-MM-DD hh:mm:ss'.
      INVALID_VALUE_WITH_DURING_OPERATOR Unknown period "LAST_8_DAYS" (:x) after DURING. Did you mean LAST_7_DAYS, LAST_14_DAYS or LAST_30_DAYS?
      BAD_VALUE Found "26" (:x), expected a year of four digits.
      BAD_NUMBER Found "" (:x), expected a whole number for campaign.id."
    `);
  });

  it.each([
    ['a comparison', 'campaign.id = «:x»'],
    ['one end', 'campaign.id BETWEEN 1 AND «:x»'],
    ['a period', 'segments.date DURING «:x»'],
  ])('several values where one is expected: %s', (_, condition) => {
    const { source, places } = marked(`${S} ${condition}`, 'EXPECTED_SINGLE_VALUE');
    expect(placesOf(source, given({ x: ['1', '2'] }))).toEqual(places);
    expect(messagesOf(source, given({ x: ['1', '2'] }))).toEqual([
      'The parameter has 2 values, expected one. Use IN for a list.',
    ]);
  });

  it.each([
    ['a number', 'campaign.id = «:today»', ':today is a date, but campaign.id is not.'],
    ['a text', 'campaign.name IN («:month_start»)', ':month_start is a date, but campaign.name is not.'],
    [
      'a period',
      'segments.date DURING «:today»',
      ':today is a day, but DURING takes a period. Use BETWEEN for two days.',
    ],
    [
      'a parameter that is moved',
      'segments.date = «:x-7»',
      'Only calendar dates accept added days, but :x is a parameter. Calendar dates are :today, :yesterday, :week_start, :month_start, :quarter_start, :year_start.',
    ],
  ])('a calendar day is invalid as %s', (_, condition, message) => {
    const { source, places } = marked(`${S} ${condition}`, 'BAD_VALUE');
    expect(placesOf(source, given({ x: '2026-01-01' }))).toEqual(places);
    expect(messagesOf(source, given({ x: '2026-01-01' }))).toEqual([message]);
  });
});

describe('a parameter without a value', () => {
  const text = `${S} campaign.id IN (1, «:campaigns») AND segments.date BETWEEN «:since» AND «:until»`;

  it('is an error before sending the query', () => {
    const { source, places } = marked(text, 'UNBOUND_PARAMETER', 'UNBOUND_PARAMETER', 'UNBOUND_PARAMETER');
    expect(placesOf(source)).toEqual(places);
    expect(check(source).query).toBeUndefined();
  });

  it('is only a warning in a check, without follow-up errors', () => {
    const warning = 'UNBOUND_PARAMETER (warning)';
    const { source, places } = marked(
      text.replace('campaign.id FROM', 'campaign.id, segments.date FROM'),
      warning,
      warning,
      warning,
    );
    expect(placesOf(source, { unbound: 'warning' })).toEqual(places);
    const { query } = check(source, { unbound: 'warning' });
    expect(query?.parameters).toEqual(['campaigns', 'since', 'until']);
    expect(query && (() => queryForDay(query, TODAY))).toThrow('The parameter :campaigns was not bound.');
  });

  it.each([
    [
      'a similar name',
      { campaign: ['1'] },
      'Did you mean :campaign? Otherwise set it with --param campaigns=VALUE, or under "params" in pacekeeper.yaml.',
    ],
    ['no similar name', {}, 'Set it with --param campaigns=VALUE, or under "params" in pacekeeper.yaml.'],
    [
      'its own name without a value',
      { campaigns: [] },
      'Set it with --param campaigns=VALUE, or under "params" in pacekeeper.yaml.',
    ],
  ])('gets a hint for %s', (_, values, hint) => {
    expect(messagesOf(`${S} campaign.id IN (:campaigns)`, given(values))).toEqual([
      `The parameter :campaigns has no value. ${hint}`,
    ]);
  });
});
