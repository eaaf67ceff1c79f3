import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_RULES } from '../../support/trim-rule.ts';
import { NOON } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';

const SPEND = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const FILES = {
  'queries/spend.sql': SPEND,
  'queries/stats.sql': SPEND,
  'models/days.sql':
    'SELECT customer_id, date, campaign_id, clicks, cost_micros FROM stats WHERE cost_micros > 9000000',
  'models/dear.sql': `SELECT customer_id, date, campaign_id, sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
    FROM days GROUP BY customer_id, date, campaign_id`,
  'rules/days.yaml': TRIM_RULES['trim.yaml'].replace('from: stats', 'from: dear'),
  'targets/northwind.yaml': `description: Northwind buys 40,000 EUR a month.
currency: EUR
amount: 40000
table: spend
members: [{ account: 4081725530 }, { account: 6193047821 }]
limits: { floor: 5, ceiling: 800 }
`,
};

function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = tempDir();
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const tables = (folder: string, ...words: readonly string[]) =>
  runInProcess(['tables', ...words], { folder, env: { PACEKEEPER_NOW: NOON }, width: 120 });

describe('pacekeeper tables', () => {
  it.each([
    ['of a query', 'spnd', 'Did you mean spend?'],
    ['of a table that pacekeeper makes', 'budget_chnge', 'Did you mean budget_change?'],
    ['that resembles none', 'elephants', 'Run pacekeeper tables.'],
  ])('refuses an unknown name %s, and helps', async (_, name, nextStep) => {
    const { code, stdout, stderr } = await tables(folderWith(), name);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `No such table: found ${name}, expected one that pacekeeper tables lists.\nnext step: ${nextStep}\n`,
    );
  });

  it.each([
    ['rule', 'rules/days.yaml', 'from: nowhere\n'],
    ['model', 'models/dear.sql', 'SELECT nothing FROM days'],
    ['target', 'targets/northwind.yaml', 'table: nowhere\n'],
  ])('lists nothing if a %s has errors, and shows them', async (_, path, text) => {
    const { code, stdout, stderr } = await tables(folderWith({ [path]: text }));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${path}:1:`);
    expect(stderr).toMatch(/^error: \d files? ha(s|ve) errors\. Nothing was sent\.$/m);
  });

  it('needs queries', async () => {
    const { code, stderr } = await runInProcess(['tables'], { folder: tempDir() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/The folder .*queries does not exist\./);
  });

  it('follows models to the queries behind them, and names a target of two accounts once', async () => {
    const { code, stdout } = await tables(folderWith(), '--format', 'json');
    expect(code).toBe(0);
    const all = JSON.parse(stdout) as { readonly name: string }[];
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    const named = (name: string) => all.find((table) => table.name === name);
    const [query, model, rule] = ['query', 'model', 'rule'].map((kind) => (name: string) => ({ kind, name }));
    const question = (name: string) => ({ kind: 'question', name });
    const asked = (table: string) => [
      question(`daily_spend_of_${table}_by_day`),
      question(`spend_of_${table}_by_month`),
    ];
    expect(named('spend')).toEqual({
      name: 'spend',
      kind: 'query',
      file: 'queries/spend.sql',
      reads: [],
      read_by: [{ kind: 'target', name: 'northwind' }, ...asked('spend')],
    });
    expect(named('stats')).toMatchObject({
      read_by: [model?.('days'), model?.('dear'), rule?.('days'), ...asked('stats')],
    });
    // The rule has the name of this model.
    expect(named('days')).toEqual({
      name: 'days',
      kind: 'model',
      file: 'models/days.sql',
      reads: [query?.('stats')],
      read_by: [model?.('dear'), rule?.('days')],
    });
    expect(named('dear')).toMatchObject({ reads: [query?.('stats'), model?.('days')], read_by: [rule?.('days')] });
    expect(named('stats_by_month')).toEqual({
      name: 'stats_by_month',
      kind: 'statistics',
      file: null,
      reads: [query?.('stats')],
      read_by: [question('spend_of_stats_by_month')],
    });
    expect(named('v_campaign_day')).toMatchObject({ reads: [query?.('spend'), query?.('stats')], read_by: [] });
    expect(named('budget_change')).toMatchObject({
      kind: 'record',
      reads: [],
      read_by: [question('budget_changes')],
    });
  });

  it('shows each name on a line below its table, of one table or of all', async () => {
    const folder = folderWith();
    const dear = ' {2}dear +model .*\\n {4}reads query stats\\n {4}reads model days\\n {4}read by rule days\\n';
    expect((await tables(folder, 'dear')).stdout).toMatch(new RegExp(`^.*\\n${dear}\\n1 table\\.\\n$`));
    expect((await tables(folder)).stdout).toMatch(new RegExp(`\\n${dear} {2}dim_campaign +statistics\\n`));
  });

  it('as CSV has the kind before each name', async () => {
    const [row] = parse((await tables(folderWith(), 'dear', '--format', 'csv')).stdout, { columns: true });
    expect(row).toMatchObject({ name: 'dear', reads: 'query stats, model days', read_by: 'rule days' });
  });
});
