import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { createWorld, writeFolder } from '../../support/world.ts';

const EUR = '4081725530';
const GBP = '7350926148';
const BOTH = [EUR, GBP];
const CUSTOMERS = BOTH.map(customerId);

const query = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS
  AND campaign.name IN ('Regenjacken', 'Road Bikes', 'Isomatten', 'Children')`;
const rule = (from: string, over = '7 days') =>
  `description: Tell of clicks.\nfrom: ${from}\nfor: campaign\nover: ${over}\nwhen: clicks >= 0\nalert: { text: "x" }\n`;
const target = (table: string, inEur: string, inGbp: string) => `description: One amount.
table: ${table}
currency: EUR
amount: 3000
members:
  - { account: ${EUR}, where: "campaign_name = '${inEur}'" }
  - { account: ${GBP}, where: "campaign_name = '${inGbp}'" }
limits: { floor: 5 }
`;

async function world() {
  const made = await createWorld({
    config: `ads: { customer_ids: [${BOTH}] }\nexchange_rates: [{ date: 2026-01-01, from: GBP, to: EUR, rate: 1.17 }]\n`,
    queries: { 'a.sql': query, 'b.sql': query },
    rules: {
      'a.yaml': rule('a'),
      'a-month.yaml': rule('a', '30 days'),
      'b.yaml': rule('b'),
      'sums.yaml': rule('sums'),
      'days.yaml': rule('days'),
    },
  });
  writeFolder(made.folder, 'models', {
    'sums.sql':
      'SELECT customer_id, date, campaign_id, sum(clicks) AS clicks FROM a GROUP BY customer_id, date, campaign_id',
    'days.sql': 'SELECT customer_id, date, campaign_id, CAST(clicks AS BIGINT) AS clicks FROM sums',
  });
  writeFolder(made.folder, 'targets', {
    'on-a.yaml': target('a', 'Regenjacken', 'Road Bikes'),
    'on-b.yaml': target('b', 'Isomatten', 'Children'),
  });
  const first = await made.report({ customers: CUSTOMERS });
  expect([first.failures, stoppedIn(first)]).toEqual([[], {}]);
  return made;
}

type Report = Awaited<ReturnType<Awaited<ReturnType<typeof createWorld>>['report']>>;

/** The names of stopped rules and targets, by account. `all` has targets that are stopped in every account. */
function stoppedIn({ rules, withheld = [] }: Report): Record<string, string[]> {
  const stopped = [
    ...rules.flatMap(({ rule, customerId, notEvaluated }) =>
      notEvaluated?.startsWith('the test ') ? [[String(customerId), rule] as const] : [],
    ),
    ...withheld.map(({ rule }) => ['all', rule] as const),
  ];
  return Object.fromEntries(
    Array.from(
      Map.groupBy(stopped, ([where]) => where),
      ([where, found]) => [where, [...new Set(found.map(([, name]) => name))].sort()],
    ),
  );
}

/** The names that the failures of the run mention. */
function namedIn({ failures }: Report): string[] {
  const lists = failures.map((one) => /Not evaluated there: (.+)\.$/.exec(one)?.[1] ?? '');
  return [...new Set(lists.flatMap((list) => list.split(/, | and /)))].sort();
}

const failsFor = (customer: string, table: string) =>
  `tests: [{ sql: "SELECT * FROM ${table} WHERE customer_id = ${customer}" }]`;
const failsForNone = (table: string) => `tests: [{ sql: "SELECT max(clicks) AS most FROM ${table}" }]`;
const A = ['a', 'a-month', 'days', 'sums'];

const CASES: readonly (readonly [
  what: string,
  tests: Readonly<Record<string, string>>,
  stopped: Record<string, string[]>,
])[] = [
  [
    'a query, in the account of the rows',
    { 'queries/a': failsFor(EUR, 'a') },
    { [EUR]: [...A, 'on-a'].sort(), all: ['on-a'] },
  ],
  ['another query', { 'queries/b': failsFor(GBP, 'b') }, { [GBP]: ['b', 'on-b'], all: ['on-b'] }],
  ['a model that another model reads', { 'models/sums': failsFor(GBP, 'sums') }, { [GBP]: ['days', 'sums'] }],
  ['the last model', { 'models/days': failsFor(EUR, 'days') }, { [EUR]: ['days'] }],
  ['rows of no account', { 'models/sums': failsForNone('sums') }, { [EUR]: ['days', 'sums'], [GBP]: ['days', 'sums'] }],
  [
    'two tables in one account',
    { 'queries/b': failsFor(EUR, 'b'), 'models/days': failsFor(EUR, 'days') },
    { [EUR]: ['b', 'days', 'on-b'], all: ['on-b'] },
  ],
  ['nothing', { 'queries/a': 'tests: [{ not_null: [campaign_id] }]' }, {}],
  ['a warning', { 'queries/a': failsForNone('a').replace('{ ', '{ severity: warn, ') }, {}],
  [
    'several tests, one of which passes or warns',
    {
      'queries/a': `tests: [{ not_null: [campaign_id] }, { severity: warn, sql: "SELECT * FROM a" }, { name: x, sql: "SELECT * FROM a WHERE customer_id = ${GBP}" }]`,
      'models/days': failsFor(EUR, 'days'),
    },
    { [EUR]: ['days'], [GBP]: [...A, 'on-a'].sort(), all: ['on-a'] },
  ],
];

it('an error stops exactly what reads its table', async () => {
  const { folder, report } = await world();
  for (const [what, tests, stopped] of CASES) {
    const files = Object.entries(tests).map(([table, text]) => {
      const path = join(folder, `${table}.tests.yaml`);
      writeFileSync(path, text);
      return path;
    });
    const result = await report({ customers: CUSTOMERS, noExtract: true });
    expect([what, stoppedIn(result)]).toEqual([what, stopped]);
    expect([what, namedIn(result)]).toEqual([what, [...new Set(Object.values(stopped).flat())].sort()]);
    for (const path of files) rmSync(path);
  }
});

it('an account that could not be found is not tested, and its last error stays', async () => {
  const made = await world();
  const test = (text: string) => writeFileSync(join(made.folder, 'queries', 'a.tests.yaml'), text);
  const failed = () => made.rows('state', "SELECT customer_id FROM data_test WHERE state = 'failed'");
  test(failsFor(GBP, 'a'));
  await made.report({ customers: CUSTOMERS, noExtract: true });
  expect(failed()).toEqual([{ customer_id: Number(GBP) }]);
  made.fault = ({ customerId }) => (customerId === GBP ? { kind: 'status', status: 403 } : undefined);
  const { failures } = await made.report({ customers: CUSTOMERS, noExtract: true });
  expect(failures).toEqual([expect.stringContaining(`Account ${GBP}:`)]);
  expect(failed()).toEqual([{ customer_id: Number(GBP) }]);
});
