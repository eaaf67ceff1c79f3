import { describe, expect, it } from 'vitest';
import { operatorsOf } from '../../../src/gaql/check/check-condition.ts';
import { marked, messagesOf, placesOf } from '../findings.ts';

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
  '=',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  'BETWEEN',
  'IN',
  'NOT IN',
  'LIKE',
  'NOT LIKE',
  'REGEXP_MATCH',
  'NOT REGEXP_MATCH',
  'CONTAINS ANY',
  'CONTAINS ALL',
  'CONTAINS NONE',
  'DURING',
  'IS NULL',
  'IS NOT NULL',
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

  it('offers what the table gives', () => {
    const repeated = type.endsWith('[]');
    const plain = type.replace('[]', '') as Parameters<typeof operatorsOf>[0]['type'];
    expect(operatorsOf({ type: plain, repeated })).toEqual(fitting);
  });
});

it('a message that is no list is selected only', () => {
  expect(operatorsOf({ type: 'MESSAGE', repeated: false })).toEqual([]);
});

it.each([
  ['DURING needs a date, and campaign.status is an ENUM field.', 'campaign.status DURING TODAY'],
  ['CONTAINS ANY needs a list, and campaign.id is an INT64 field.', 'campaign.id CONTAINS ANY (5)'],
  ['DURING needs a date, and campaign.labels is a list of RESOURCE_NAME.', 'campaign.labels DURING TODAY'],
  ['= is not documented for campaign.labels, a list of RESOURCE_NAME.', "campaign.labels = 'x'"],
  ['BETWEEN is not documented for campaign.name, a STRING field.', "campaign.name BETWEEN 'b' AND 'a'"],
])('is told in a sentence: %s', (message, where) => {
  const [first = ''] = messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`);
  expect(first).toContain(`${message} Operators for it are `);
});

it.each([
  [
    'a part of a text is asked for with LIKE',
    "campaign.name CONTAINS ANY ('x')",
    "Use LIKE '%text%' for a part of a text.",
  ],
  [
    'so it is where nothing says of what',
    "campaign.name CONTAINS 'x'",
    "Did you mean LIKE '%text%' for a part of a text",
  ],
  ['and where another language has a function', "campaign.name STARTS_WITH 'x'", 'Did you mean LIKE?'],
])('%s', (_, where, hint) => {
  expect(messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`)[0]).toContain(hint);
});

it.each([['metrics.clicks > metrics.impressions'], ['campaign.name = campaign.status']])(
  'a field is not compared with another: %s',
  (where) => {
    const [first] = messagesOf(`SELECT campaign.id FROM campaign WHERE ${where}`);
    expect(first).toContain('A field is compared with values only');
  },
);

it('a resource name is told to be a path, not a text', () => {
  const [first] = messagesOf('SELECT campaign.id FROM campaign WHERE campaign.campaign_budget = 5');
  expect(first).toContain("such as 'customers/1234567890/campaigns/5'");
});
