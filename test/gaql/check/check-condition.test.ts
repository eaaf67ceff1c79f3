import { describe, expect, it } from 'vitest';
import { operatorsOf } from '../../../src/language/gaql/check/check-condition.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const W = 'SELECT campaign.id FROM campaign WHERE';
const places = (condition: string) => placesOf(`${W} ${condition}`);

describe('a regular expression', () => {
  it.each([
    ['in the syntax of RE2 is accepted', String.raw`'(?i).*(brand|name)\\d{2}.*'`],
    ['in NOT REGEXP_MATCH, too', "'^a[bc]$'", 'NOT REGEXP_MATCH'],
    ['longer than 4000 characters is left to the service', `'${'('.repeat(4001)}'`],
    ['without a closing parenthesis', "«'(brand'»"],
    ['without it in NOT REGEXP_MATCH', "«'(brand'»", 'NOT REGEXP_MATCH'],
    ['with a look-ahead', "«'(?=brand)b'»"],
    ['with a back-reference', String.raw`«'(a)\\1'»`],
    ['with too many repetitions', "«'a{1001}'»"],
    ['with a star after a star', "«'a**'»"],
    ['nested too deeply', `«'${'('.repeat(1500)}a${')'.repeat(1500)}'»`],
  ])('%s', (_, pattern, operator = 'REGEXP_MATCH') => {
    const { source, places: expected } = marked(
      `${W} campaign.name ${operator} ${pattern}`,
      'INVALID_REGULAR_EXPRESSION',
    );
    expect(placesOf(source)).toEqual(expected);
  });

  it('of a parameter is checked, too, and the message names the fault', () => {
    const parameters = new Map([['brand', ['(a']]]);
    expect(messagesOf(`${W} campaign.name REGEXP_MATCH :brand`, { parameters })).toEqual([
      'Invalid regular expression: missing closing ): `(a`. Use the syntax of RE2. It has no look-ahead, look-behind or back-references.',
    ]);
  });
});

describe('operators and types', () => {
  it.each([
    ['a number with every comparison', 'campaign.id = 1 AND campaign.id != 1 AND metrics.clicks <= 5'],
    ['a number between two', 'metrics.clicks BETWEEN 1 AND 5'],
    ['a number in quotes', "campaign.id = '12'"],
    ['numbers in a list', "campaign.id IN (1, '2', -3)"],
    ['a constant', 'campaign.status = ENABLED'],
    ['a constant in quotes', 'campaign.status IN (\'ENABLED\', "PAUSED")'],
    ['text', "campaign.name LIKE 'a%' AND campaign.name NOT IN ('b', 'c')"],
    ['a resource name', "campaign.campaign_budget = 'customers/1/campaignBudgets/2'"],
    [
      'true and false in any case',
      "campaign_budget.explicitly_shared = true AND campaign_budget.explicitly_shared != 'FALSE'",
    ],
    ['null tests of anything', 'campaign.status IS NOT NULL AND metrics.clicks IS NULL'],
  ])('B13: %s fit', (_, condition) => {
    expect(places(condition)).toEqual([]);
  });

  it.each([
    ['text for a number', "campaign.id = 'x'", ['BAD_NUMBER 1:54-1:57']],
    ['a name for a number', 'campaign.id = ENABLED', ['BAD_NUMBER 1:54-1:61']],
    ['decimals for a whole number', 'campaign.id > 1.5', ['BAD_NUMBER 1:54-1:57']],
    ['a date for a number', 'campaign.id = 2026-01-01', ['BAD_NUMBER 1:54-1:64']],
    ['each wrong number of a list', "campaign.id IN (1, x, 2, 'y')", ['BAD_NUMBER 1:59-1:60', 'BAD_NUMBER 1:65-1:68']],
    ['both wrong ends', 'metrics.clicks BETWEEN a AND b', ['BAD_NUMBER 1:63-1:64', 'BAD_NUMBER 1:69-1:70']],
    ['a misspelt constant', 'campaign.status = ENABELD', ['BAD_ENUM_CONSTANT 1:58-1:65']],
    ['a constant in lower case', 'campaign.status = enabled', ['BAD_ENUM_CONSTANT 1:58-1:65']],
    ["another field's constant", "campaign.status IN (ENABLED, 'SEARCH')", ['BAD_ENUM_CONSTANT 1:69-1:77']],
    ['a number for a constant', 'campaign.status = 2', ['BAD_ENUM_CONSTANT 1:58-1:59']],
    ['a name of every object for a constant', 'campaign.status = toString', ['BAD_ENUM_CONSTANT 1:58-1:66']],
    ['a name for text', 'campaign.name = ENABLED', ['INVALID_STRING_VALUE 1:56-1:63']],
    ['a number for text', "campaign.name IN ('a', 5)", ['INVALID_STRING_VALUE 1:63-1:64']],
    ['a number after LIKE', 'campaign.name LIKE 5', ['INVALID_VALUE_WITH_LIKE_OPERATOR 1:59-1:60']],
    ['a name after NOT LIKE', 'campaign.name NOT LIKE x', ['INVALID_VALUE_WITH_LIKE_OPERATOR 1:63-1:64']],
    ['neither true nor false', 'campaign_budget.explicitly_shared = maybe', ['BAD_VALUE 1:76-1:81']],
  ])('%s', (_, condition, expected) => {
    expect(places(condition)).toEqual(expected);
  });

  it('reports the found value, the expectation and the next step', () => {
    const conditions = [
      "campaign.id LIKE '5'",
      'campaign.id DURING TODAY',
      "campaign.id = 'x'",
      'campaign.status = ENABELD',
      'campaign.status = NONSENSE_VALUE',
      'campaign.name = ENABLED',
      'campaign_budget.explicitly_shared = maybe',
    ];
    const messages = conditions
      .flatMap((condition) => check(`${W} ${condition}`).diagnostics)
      .map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "The service does not document LIKE for campaign.id, an INT64 field. Operators for this field are =, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, IS NULL, IS NOT NULL.
      DURING needs a date, but campaign.id is an INT64 field. Operators for this field are =, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, IS NULL, IS NOT NULL.
      Found 'x', expected a whole number for campaign.id.
      "ENABELD" is not a constant of campaign.status. Did you mean ENABLED?
      "NONSENSE_VALUE" is not a constant of campaign.status. Constants are ENABLED, PAUSED, REMOVED.
      Found ENABLED, expected text for campaign.name. Put it in quotes: 'ENABLED'.
      Found maybe, expected TRUE or FALSE for campaign_budget.explicitly_shared."
    `);
  });
});

const MISMATCH = 'OPERATOR_FIELD_MISMATCH';

/** A field of each type and a value that fits it; the value of `segments.month_of_year` and the like is selected. */
const FIELDS = [
  ['BOOLEAN', 'SELECT campaign_budget.id FROM campaign_budget', 'campaign_budget.explicitly_shared', 'TRUE'],
  ['DATE', 'SELECT campaign.id FROM campaign', 'segments.date', "'2026-01-01'"],
  ['DATE_TIME', 'SELECT campaign.id FROM campaign', 'campaign.start_date_time', "'2026-01-01 00:00:00'"],
  ['ENUM', 'SELECT campaign.id FROM campaign', 'campaign.status', 'ENABLED'],
  ['DOUBLE', 'SELECT campaign.id FROM campaign', 'metrics.ctr', '0.5'],
  ['INT64', 'SELECT campaign.id FROM campaign', 'campaign.id', '5'],
  ['STRING', 'SELECT campaign.id FROM campaign', 'campaign.name', "'x'"],
  ['RESOURCE_NAME', 'SELECT campaign.id FROM campaign', 'campaign.campaign_budget', "'customers/1/campaignBudgets/2'"],
  ['STRING[]', 'SELECT ad.id FROM ad', 'ad.final_urls', "'x'"],
  ['RESOURCE_NAME[]', 'SELECT campaign.id FROM campaign', 'campaign.labels', "'customers/1/labels/2'"],
  ['ENUM[]', 'SELECT campaign.id FROM campaign', 'campaign.primary_status_reasons', 'CAMPAIGN_PAUSED'],
  ['INT64[]', 'SELECT campaign.id FROM campaign', 'campaign.shopping_setting.advertising_partner_ids', '5'],
  ['MESSAGE[]', 'SELECT ad.id FROM ad', 'ad.app_ad.descriptions', "'x'"],
] as const;

const OPERATORS = [
  ...'=, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, LIKE, NOT LIKE, REGEXP_MATCH, NOT REGEXP_MATCH'.split(', '),
  ...'CONTAINS ANY, CONTAINS ALL, CONTAINS NONE, DURING, IS NULL, IS NOT NULL'.split(', '),
];

const LISTS = 'CONTAINS ANY, CONTAINS ALL, CONTAINS NONE';
/** What the provider's table gives for each type, beside IS NULL and IS NOT NULL. */
const FITTING: Readonly<Record<(typeof FIELDS)[number][0], string>> = {
  BOOLEAN: '=, !=',
  DATE: '=, <, >, <=, >=, BETWEEN, DURING, IN',
  DATE_TIME: '=, !=, <, >, <=, >=, BETWEEN, DURING',
  ENUM: '=, !=, IN, NOT IN',
  DOUBLE: '=, !=, <, >, <=, >=, BETWEEN, IN, NOT IN',
  INT64: '=, !=, <, >, <=, >=, BETWEEN, IN, NOT IN',
  STRING: '=, !=, LIKE, NOT LIKE, IN, NOT IN, REGEXP_MATCH, NOT REGEXP_MATCH',
  RESOURCE_NAME: '=, !=, LIKE, NOT LIKE, IN, NOT IN, REGEXP_MATCH, NOT REGEXP_MATCH',
  'STRING[]': LISTS,
  'RESOURCE_NAME[]': LISTS,
  'ENUM[]': LISTS,
  'INT64[]': LISTS,
  'MESSAGE[]': LISTS,
};

function condition(field: string, operator: string, value: string): string {
  if (operator === 'BETWEEN') return `${field} «BETWEEN» ${value} AND ${value}`;
  if (operator === 'DURING') return `${field} «DURING» TODAY`;
  if (operator.startsWith('IS')) return `${field} «${operator}»`;
  if (/IN$|^CONTAINS/.test(operator)) return `${field} «${operator}» (${value})`;
  return `${field} «${operator}» ${/LIKE|REGEXP/.test(operator) ? "'x'" : value}`;
}

describe.each(FIELDS)('%s', (type, select, field, value) => {
  const fitting = [...FITTING[type].split(', '), 'IS NULL', 'IS NOT NULL'];

  it.each(OPERATORS)(`and %s`, (operator) => {
    const impossible = operator === 'DURING' || (operator.startsWith('CONTAINS') && !type.endsWith('[]'));
    const text = `${select} WHERE ${condition(field, operator, value)}`;
    const { source, places } = marked(text, impossible ? MISMATCH : `${MISMATCH} (warning)`);
    expect(placesOf(source)).toEqual(fitting.includes(operator) ? [] : places);
  });

  it('offers the operators of the table', () => {
    const repeated = type.endsWith('[]');
    const plain = type.replace('[]', '') as Parameters<typeof operatorsOf>[0]['type'];
    expect(operatorsOf({ type: plain, repeated })).toEqual(fitting);
  });
});

it('a message that is not a list can only be selected', () => {
  expect(operatorsOf({ type: 'MESSAGE', repeated: false })).toEqual([]);
});

it.each([
  ['DURING needs a date, but campaign.status is an ENUM field.', 'campaign.status DURING TODAY'],
  ['CONTAINS ANY needs a list, but campaign.id is an INT64 field.', 'campaign.id CONTAINS ANY (5)'],
  ['DURING needs a date, but campaign.labels is a list of RESOURCE_NAME.', 'campaign.labels DURING TODAY'],
  ['The service does not document = for campaign.labels, a list of RESOURCE_NAME.', "campaign.labels = 'x'"],
  ['The service does not document BETWEEN for campaign.name, a STRING field.', "campaign.name BETWEEN 'b' AND 'a'"],
])('reports in a sentence: %s', (message, where) => {
  const [first = ''] = messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`);
  expect(first).toContain(`${message} Operators for this field are `);
});

it.each([
  ['part of a text needs LIKE', "campaign.name CONTAINS ANY ('x')", "Use LIKE '%text%' to match part of a text."],
  [
    'part of a text needs LIKE, even without a value',
    "campaign.name CONTAINS 'x'",
    "Did you mean LIKE '%text%' for part of a text",
  ],
  ['a function of another language becomes LIKE', "campaign.name STARTS_WITH 'x'", 'Did you mean LIKE?'],
])('%s', (_, where, hint) => {
  expect(messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`)[0]).toContain(hint);
});

it.each([['metrics.clicks > metrics.impressions'], ['campaign.name = campaign.status']])(
  'a field cannot be compared with another: %s',
  (where) => {
    const [first] = messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`);
    expect(first).toContain('Compare a field with values only');
  },
);

it('the message explains that a resource name is a path', () => {
  const [first] = messagesOf('SELECT campaign.id FROM campaign WHERE campaign.campaign_budget = 5');
  expect(first).toContain("such as 'customers/1234567890/campaigns/5'");
});
