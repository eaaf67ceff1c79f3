import { describe, expect, it } from 'vitest';
import { checkDataTestFile } from '../../src/language/data-tests/data-test-file.ts';

const tableOf = (name: string, ...columns: string[]) => ({ name, columns: columns.map((one) => ({ name: one })) });
const TABLES = new Map(
  [
    tableOf('spend', 'customer_id', 'campaign_id', 'clicks', 'date'),
    tableOf('campaign', 'customer_id', 'campaign_id', 'campaign_status'),
  ].map((table) => [table.name, table]),
);

const check = (source: string, table = 'spend') => checkDataTestFile(table, source, TABLES, new Set(['broken']));
const messages = (source: string, table?: string) =>
  check(source, table).diagnostics.map(({ code, message, hint, span }) => [span.start.line, code, message, hint]);

describe('a file of tests', () => {
  it('names tests by their kind and columns, and numbers those that are alike', () => {
    const { tests, diagnostics } = check(`tests:
  - { unique: [customer_id, campaign_id, date] }
  - { not_null: clicks, severity: warn }
  - { not_null: clicks }
  - { name: never_negative, range: { column: clicks, min: 0 } }
  - { fresh: 2 days }
  - { row_count: { within: 50% } }
  - { equals: { column: clicks, to: campaign.campaign_id, tolerance: 1% } }
  - { sql: "SELECT 1" }
`);
    expect(diagnostics).toEqual([]);
    expect(tests.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
      'unique_customer_id_campaign_id_date error',
      'not_null_clicks warn',
      'not_null_clicks_2 error',
      'never_negative error',
      'fresh error',
      'row_count error',
      'equals_clicks error',
      'sql error',
    ]);
  });

  it.each([
    [
      'no query or model of its name',
      'tests: [{ not_null: clicks }]',
      'spent',
      'UNKNOWN_TABLE',
      'No query or model gives a table "spent"',
      'Did you mean spend',
    ],
    [
      'an unknown column',
      'tests: [{ not_null: click }]',
      'spend',
      'UNRECOGNIZED_FIELD',
      'The table spend has no column "click".',
      'Did you mean clicks',
    ],
    [
      'an unknown column of the other table',
      'tests: [{ relationships: { column: campaign_id, to: campaign.id } }]',
      'spend',
      'UNRECOGNIZED_FIELD',
      'The table campaign has no column "id".',
      'campaign_id',
    ],
    [
      'an unknown other table',
      'tests: [{ relationships: { column: campaign_id, to: campaigns.id } }]',
      'spend',
      'UNKNOWN_TABLE',
      'No query or model gives a table "campaigns".',
      'Did you mean campaign',
    ],
    [
      'no kind',
      'tests: [{ name: empty }]',
      'spend',
      'MISSING_KEY',
      'The test has no kind, expected one.',
      'Write one of unique, not_null',
    ],
    [
      'two kinds',
      'tests: [{ not_null: clicks, fresh: 1 day }]',
      'spend',
      'MISSING_KEY',
      'The test has the kinds not_null and fresh, expected one.',
      'Write one of',
    ],
    ['an unknown kind', 'tests: [{ uniqe: clicks }]', 'spend', 'UNKNOWN_KEY', 'uniqe', ''],
    [
      'a name twice',
      'tests: [{ name: a, not_null: clicks }, { name: a, not_null: date }]',
      'spend',
      'BAD_VALUE',
      'Two tests of spend have the name "a".',
      'another name',
    ],
    [
      'days of a table without days',
      'tests: [{ not_null: campaign_id, days: 3 }]',
      'campaign',
      'BAD_VALUE',
      'campaign has no column date.',
      'Remove "days".',
    ],
    [
      'days of SQL',
      'tests: [{ sql: "SELECT 1", days: 3 }]',
      'spend',
      'BAD_VALUE',
      'SQL chooses its days itself.',
      'Remove "days".',
    ],
    [
      'freshness without days',
      'tests: [{ fresh: 2 days }]',
      'campaign',
      'UNRECOGNIZED_FIELD',
      'The table campaign has no column "date".',
      '',
    ],
    ['a range without ends', 'tests: [{ range: { column: clicks } }]', 'spend', 'BAD_VALUE', 'min, max, or both', ''],
    ['no test', 'tests: []', 'spend', 'BAD_VALUE', 'at least one test', ''],
  ])('with %s says what it found and what it expects', (_, source, table, code, message, hint) => {
    const found = messages(source, table);
    expect(found).toHaveLength(1);
    expect(found[0]?.[1]).toBe(code);
    expect(found[0]?.[2]).toContain(message);
    expect(String(found[0]?.[3] ?? '')).toContain(hint);
  });

  it('reports all errors at their places, and none of a query that is broken itself', () => {
    expect(
      messages('tests:\n  - { not_null: click }\n  - { range: { column: cost, min: 0 } }\n').map(([line]) => line),
    ).toEqual([2, 3]);
    expect(messages('tests: [{ not_null: click }]', 'broken')).toEqual([]);
    expect(messages('tests: [{ relationships: { column: clicks, to: broken.id } }]')).toEqual([]);
  });
});
