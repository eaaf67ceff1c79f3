import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { queryForDay } from '../../../src/language/gaql/check/query-for-range.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { byEffort, isThorough } from '../../support/effort.ts';
import { check, marked, messagesOf, place, placesOf } from '../findings.ts';

const S = 'SELECT campaign.id FROM campaign WHERE';

describe('a value fits its field', () => {
  it.each([
    ['a decimal number', 'metrics.ctr > 0.5'],
    ['a whole number for a decimal one', 'metrics.ctr > 1'],
    ['a negative number', 'metrics.ctr > -1.5'],
    ['a decimal number in quotes', "metrics.ctr > «'0.5'»", 'BAD_NUMBER'],
    ['a name for a decimal number', 'metrics.ctr > «HALF»', 'BAD_NUMBER'],
    ['decimals for a whole number', 'metrics.clicks > «0.5»', 'BAD_NUMBER'],
    ['decimals for a whole number in quotes', "metrics.clicks > «'0.5'»", 'BAD_NUMBER'],
    ['true in quotes', "campaign.network_settings.target_google_search = 'true'"],
    ['one for true', 'campaign.network_settings.target_google_search = «1»', 'BAD_VALUE'],
    ['yes for true', 'campaign.network_settings.target_google_search = «yes»', 'BAD_VALUE'],
    ['a name for a resource name', 'campaign.campaign_budget = «budget»', 'INVALID_STRING_VALUE'],
    ['a number for a resource name', 'campaign.campaign_budget = «5»', 'INVALID_STRING_VALUE'],
    ['a name of a list', "campaign.labels CONTAINS ANY ('a', «b»)", 'INVALID_STRING_VALUE'],
    [
      'a constant of a list',
      'campaign.primary_status_reasons CONTAINS ALL (CAMPAIGN_PAUSED, «PAUSED_CAMPAIGN»)',
      'BAD_ENUM_CONSTANT',
    ],
    ['a number of a list', 'campaign.shopping_setting.advertising_partner_ids CONTAINS NONE (1, «x»)', 'BAD_NUMBER'],
    ['a pattern without quotes', 'campaign.name REGEXP_MATCH «brand»', 'INVALID_STRING_VALUE'],
    ['a number as a pattern not to match', 'campaign.name NOT REGEXP_MATCH «5»', 'INVALID_STRING_VALUE'],
    ['a constant for LIKE', 'campaign.name LIKE «ENABLED»', 'INVALID_VALUE_WITH_LIKE_OPERATOR'],
    [
      'unknown constants',
      "campaign.status IN («UNKNOWN», «'UNSPECIFIED'»)",
      'PROHIBITED_ENUM_CONSTANT (warning)',
      'PROHIBITED_ENUM_CONSTANT (warning)',
    ],
    ['a number in place of a constant', 'campaign.status = «2»', 'BAD_ENUM_CONSTANT'],
  ])('%s', (_, condition, ...codes) => {
    const { source, places } = marked(`${S} ${condition}`, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it('names some of many constants', () => {
    expect(messagesOf(`${S} campaign.bidding_strategy_type = NOTHING_LIKE_IT`)).toMatchInlineSnapshot(`
      [
        ""NOTHING_LIKE_IT" is not a constant of campaign.bidding_strategy_type. Constants are COMMISSION, ENHANCED_CPC, FIXED_CPM, FIXED_SHARE_OF_VOICE, INVALID, MANUAL_CPA, MANUAL_CPC, MANUAL_CPM, MANUAL_CPV, MAXIMIZE_CONVERSIONS, MAXIMIZE_CONVERSION_VALUE, PAGE_ONE_PROMOTED and others.",
      ]
    `);
    expect(messagesOf(`${S} campaign.status = UNKNOWN`)).toEqual([
      'Clients use UNKNOWN for constants that they do not know. The service may refuse it in a filter.',
    ]);
  });
});

describe('BETWEEN takes the smaller value first', () => {
  it.each([
    ['numbers', 'metrics.clicks BETWEEN 1 AND 2'],
    ['the same twice', 'metrics.clicks BETWEEN 2 AND 2'],
    ['by their size, not as text', 'metrics.clicks BETWEEN 9 AND 10'],
    ['numbers in quotes', "metrics.clicks BETWEEN '9' AND '10'"],
    ['negative numbers', 'metrics.ctr BETWEEN -2.5 AND -1.5'],
    ['the greater number first', 'metrics.clicks BETWEEN «10» AND 9'],
    ['the greater decimal first', 'metrics.ctr BETWEEN «0.2» AND 0.1'],
    ['the later time first', "campaign.start_date_time BETWEEN «'2026-02-01 00:00:00'» AND '2026-01-01'"],
    ['times of one day', "campaign.start_date_time BETWEEN '2026-02-01 10:00:00' AND '2026-02-01'"],
    ['times, in both forms of a day', "campaign.start_date_time BETWEEN '20260101' AND '2026-01-02'"],
    ['times of the calendar', 'campaign.start_date_time BETWEEN :today-7 AND :today'],
  ])('%s', (_, condition) => {
    const { source, places } = marked(`${S} ${condition}`, 'INVALID_VALUE_WITH_BETWEEN_OPERATOR');
    expect(placesOf(source)).toEqual(places);
  });

  it('also applies to dates that are not core dates', () => {
    const { source, places } = marked(
      "SELECT ad_group_simulation.resource_name FROM ad_group_simulation WHERE ad_group_simulation.start_date BETWEEN «'2026-02-01'» AND '20260101'",
      'INVALID_VALUE_WITH_BETWEEN_OPERATOR',
    );
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)).toEqual([
      "BETWEEN '2026-02-01' AND '20260101' matches no value: the first value is greater. Swap the two values.",
    ]);
  });
});

describe('a list', () => {
  const listOf = (count: number, value: string) => Array.from({ length: count }, () => value).join(', ');

  // test/gaql/syntax/bad-input.test.ts says the same of what is sent.
  it.runIf(isThorough)('holds 20,000 values', () => {
    expect(placesOf(`${S} campaign.id IN (${listOf(20_000, '1')})`)).toEqual([]);
  });

  it('refuses more values', () => {
    const { source, places } = marked(`${S} campaign.id IN «(${listOf(20_001, '1')})»`, 'FILTER_HAS_TOO_MANY_VALUES');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)).toEqual(['The list has 20001 values, the service accepts at most 20000.']);
  });

  it('limits days, too', () => {
    const { source, places } = marked(
      `${S} segments.date IN «(${listOf(20_001, "'2026-01-01'")})»`,
      'FILTER_HAS_TOO_MANY_VALUES',
    );
    expect(placesOf(source)).toEqual(places);
  });

  it('limits parameters, too', () => {
    const parameters = new Map([['ids', Array.from({ length: 20_001 }, () => '1')]]);
    const { source, places } = marked(`${S} campaign.id IN «(:ids)»`, 'FILTER_HAS_TOO_MANY_VALUES');
    expect(placesOf(source, { parameters })).toEqual(places);
  });

  it.each([
    ['days', 'segments.date', "'2026-02-30'", 'INVALID_DATE_FORMAT'],
    ['months', 'segments.month', "'2026-01-02'", 'MISALIGNED_DATE_FOR_FILTER'],
    ['years', 'segments.year', '26', 'BAD_VALUE'],
    ['constants', 'campaign.status', 'ON', 'BAD_ENUM_CONSTANT'],
  ])('shows ten wrong %s and says that there is one more', (_, field, value, code) => {
    const { diagnostics } = check(`${S} ${field} IN (${listOf(11, value)})`);
    expect(diagnostics.map((found) => found.code)).toEqual(['BAD_VALUE', ...Array.from({ length: 10 }, () => code)]);
    expect(diagnostics[0]?.message).toBe('1 more value of this list does not fit.');
  });

  it('shows ten wrong values and counts the others', () => {
    const { diagnostics } = check(`${S} campaign.id IN (1, ${listOf(13, 'x')})`);
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'BAD_VALUE',
      ...Array.from({ length: 10 }, () => 'BAD_NUMBER'),
    ]);
    expect(diagnostics[0] && place(diagnostics[0])).toBe('BAD_VALUE 1:55-1:97');
    expect(diagnostics[0]?.message).toBe('3 more values of this list do not fit.');
  });
});

describe('no value changes the query', () => {
  const textOf = (value: string) => {
    const { query } = check(`SELECT campaign.id FROM campaign WHERE campaign.name = :x AND campaign.id = 1`, {
      parameters: new Map([['x', [value]]]),
    });
    if (!query) throw new Error('refused');
    const { tree, diagnostics } = parseQuery(queryForDay(query, civilDate('2026-06-17')));
    expect(diagnostics).toEqual([]);
    expect(tree.where).toHaveLength(2);
    expect(tree.select).toHaveLength(1);
    const [sentValue] = tree.where[0]?.values ?? [];
    return sentValue?.kind === 'string' ? sentValue.text : undefined;
  };

  it.each([
    ..."' \" \\ \\' :y :today /* ; «".split(' '),
    "' OR 1=1 --",
    'a\nb',
    '\r\n',
    '\t',
    "') LIMIT 1",
    '-- x',
    '',
    '\u2028',
    'x'.repeat(100_000),
  ])('not even %j', (value) => {
    expect(textOf(value)).toBe(value);
  });

  it('nor any other value', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom("'", '\\', '"', '\n', '\r', '\t', ':', ' ', 'n', '\u0000'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(hostile, (value) => {
        expect(textOf(value)).toBe(value);
      }),
      { numRuns: byEffort({ quick: 50, thorough: 250 }) },
    );
  });
});
