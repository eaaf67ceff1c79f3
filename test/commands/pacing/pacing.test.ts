import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACING_COLUMNS } from '../../../src/views/pacing.ts';
import { chartsBelow } from '../../support/terminal-charts.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { NOON, writeFolder } from '../../support/world.ts';
import { type ProgramResult, runInProcess } from '../run-in-process.ts';

const QUERIES = {
  'campaign_days.sql': `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
};

const RULES = {
  'month.yaml': `description: Paces.
from: campaign_days
for: account
where: campaign_name LIKE 'Generisch%'
currency: EUR
change: pace budget to 2000 per month
limits: { floor: 5, step: 20% }
mode: propose
`,
  'own.yaml': `description: Paces each.
from: campaign_days
for: campaign
where: campaign_name LIKE 'Generisch%'
currency: EUR
change: pace budget to 900 per month
limits: { floor: 1 }
mode: apply
`,
  'cut.yaml': `description: Cuts.
from: campaign_days
for: campaign
over: 7 days
when: clicks >= 0
currency: GBP
change: decrease budget by 10%
limits: { step: 20% }
`,
};

/** One folder whose days were read once; nothing that is asked of it here changes a budget. */
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (args: readonly string[], columns?: number): Promise<ProgramResult> =>
  runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOON }, ...(columns === undefined ? {} : { columns }) });
const json = async (args: readonly string[]) => {
  const { code, stdout, stderr } = await run(['pacing', ...args, '--format', 'json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  writeFolder(folder, 'queries', QUERIES);
  writeFolder(folder, 'rules', RULES);
  expect(await run(['extract'])).toMatchObject({ code: 0 });
});

describe('pacekeeper pacing', () => {
  it('shows for each target the spend, the ideal, and the suggested budgets after all guards', async () => {
    const { targets, rules } = await json([]);
    const [account, ...campaigns] = targets;
    expect(account).toMatchObject({
      rule: 'month',
      customer_id: TRIMMED.customerId,
      campaign_id: null,
      from: '2026-11-01',
      to: '2026-11-30',
      currency: 'EUR',
      target_micros: 2_000_000_000,
      settled_until: '2026-11-19',
      state: 'overspent',
      decision: 'proposed',
      limited_by: ['step'],
      budget_micros: 145_000_000,
      should_be_micros: 116_000_000,
    });
    const spent = account.days.reduce(
      (sum: number, day: { cost_micros: number | null }) => sum + (day.cost_micros ?? 0),
      0,
    );
    expect(account.spent_micros).toBe(spent);
    expect(campaigns.map(({ campaign_name: name }: { campaign_name: string }) => name)).toEqual([
      'Generisch - Wanderschuhe',
      'Generisch - Zelte',
    ]);
    expect(rules.map(({ rule }: { rule: string }) => rule)).not.toContain('cut');
  });

  it('lists the same rows as CSV and NDJSON, with every column', async () => {
    const { targets } = await json([]);
    const lines = (await run(['pacing', '--format', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      targets.map((target: Record<string, unknown>) =>
        Object.fromEntries(PACING_COLUMNS.map(({ key }) => [key, target[key]])),
      ),
    );
    const rows = parse((await run(['pacing', '--format', 'csv'])).stdout, { columns: true });
    expect(rows[0]).toMatchObject({ target_micros: '2000000000', target: '2000.00', limited_by: 'step' });
  });

  it('filters the targets by rule and by campaign', async () => {
    const ofRule = await json(['--rule', 'own']);
    expect(ofRule.targets.map(({ rule }: { rule: string }) => rule)).toEqual(['own', 'own']);
    const ofCampaign = await json(['--campaign', TRIMMED.campaignId]);
    expect(ofCampaign.targets.map(({ rule, campaign_id: id }: Record<string, string>) => [rule, id])).toEqual([
      ['month', null],
      ['own', TRIMMED.campaignId],
    ]);
  });

  it('decides like a report: a rule that is not shown may win the budget', async () => {
    const { targets } = await json(['--rule', 'own']);
    // Both cut, and the rule for the account comes first by its name.
    expect(targets[0]).toMatchObject({ decision: 'refused', codes: ['DECIDED_BY_OTHER'], budget_micros: 60_000_000 });
    expect(targets[0].others).toMatchObject([{ rule: 'month', from_micros: 60_000_000 }]);
    expect(targets[0].should_be_micros).toBe(targets[0].others[0].to_micros);
  });

  it('shows a flight with its days, and by how much it will miss its target', async () => {
    const rules = join(folder, 'flights');
    const rule = RULES['month.yaml']
      .replace('2000 per month', '9000 from 2026-11-10 to 2026-12-10')
      .replace('step: 20%', 'ceiling: 90');
    writeFolder(folder, 'flights', { 'flight.yaml': rule });
    const { targets } = await json(['--rules', rules]);
    expect(targets).toMatchObject([
      {
        from: '2026-11-10',
        to: '2026-12-10',
        target_micros: 9_000_000_000,
        month_target_micros: 9_000_000_000,
        shortfall_reason: 'ceiling',
      },
    ]);
    // Two budgets of 90 on 21 days.
    const [{ spent_micros: spent, shortfall_micros: shortfall }] = targets;
    expect(shortfall).toBe(9_000_000_000 - spent - 2 * 90_000_000 * 21);
    const missed = `will miss the target by ${(shortfall / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} EUR: the ceiling is too low.`;
    const flat = (text: string) => text.replace(/\s+/g, ' ');
    const listing = flat((await run(['pacing', '--rules', rules])).stdout);
    expect(listing).toContain('Covers 2026-11-10 to 2026-12-10: 31 days.');
    expect(listing).toContain(`W${missed.slice(1)}`);
    expect((await run(['pacing', '--rules', rules, '--format', 'html'])).stdout).toContain(
      'Covers 2026-11-10 to 2026-12-10: 31 days.',
    );
    const report = await run(['report', '--no-extract', '--dry-run', '--rules', rules]);
    expect(flat(report.stdout)).toContain(`flight, account ${TRIMMED.customerId}: ${missed}`);
    const explained = await run(['rules', 'explain', 'flight', '--rules', rules]);
    expect(flat(explained.stdout)).toContain(missed.slice(0, -1));
  });

  it('prints a page to a pipe, and writes it beside the report on a terminal', async () => {
    const { code, stdout, stderr } = await run(['pacing', '--format', 'html']);
    expect([code, stderr, stdout.slice(0, 15)]).toEqual([0, '', '<!DOCTYPE html>']);
    const path = join(folder, 'data', 'pacing.html');
    expect(existsSync(path)).toBe(false);
    expect((await run(['pacing', '--format', 'html'], 80)).stdout).toBe(`${path}\n`);
    expect(readFileSync(path, 'utf8')).toBe(stdout);
  });

  it('reports a campaign without a target, and the possible reason', async () => {
    const { targets, notes } = await json(['--rule', 'month', '--campaign', '17204209458']);
    expect([targets.length, notes.length]).toEqual([1, 0]);
    const far = await json(['--campaign', '99']);
    expect(far.notes).toEqual([
      expect.stringMatching(/^Campaign 99 was not found in the evaluated accounts\. The rules that were not evaluated/),
    ]);
    const other = await json(['--customer', '6193047821']);
    expect(other.targets).toEqual([]);
    expect(other.rules).toMatchObject([{ not_evaluated: 'for EUR only' }, { not_evaluated: 'for EUR only' }]);
  });

  describe('on a terminal', () => {
    const withRules = (name: string, rules: Readonly<Record<string, string>>) => {
      writeFolder(folder, name, rules);
      return ['pacing', '--rules', join(folder, name)];
    };
    const piped = async (args: readonly string[], width: number) =>
      (await runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOON }, width })).stdout;
    const chartsOf = async (args: readonly string[], columns = 100) =>
      chartsBelow(await piped(args, columns), (await run(args, columns)).stdout);

    it('also draws the spend until the newest complete day, and the projection from there', async () => {
      const [chart = [], ...others] = await chartsOf(['pacing', '--rule', 'month']);
      expect(others).toEqual([]);
      expect(`\n${chart.join('\n')}\n`).toMatchInlineSnapshot(`
        "
        month, account 4081725530, EUR:  ● spent  · ideal  ○ projected
           3,208┤                                                                                ○○○○○○○○○
                │                                                                 ○○○○○○○○○○○○○○○○
                │                                                  ●●●●●●○○○○○○○○○○                  ·····
           1,637┤                                   ●●●●●●●●●●●●●●●●         ························
                │                     ●●●●●●●●●●●●●● ························
                │      ●●●●●●●●●●●●●●●●···············
              67┤●●●●●●●······
                └┬─────────────────────────────────────────┬─────────────────────────────────────────────┬─
        2026-11-01                                2026-11-15                                    2026-11-30
        "
      `);
    });

    it('draws three targets at most, those with a change first', async () => {
      const calm = RULES['own.yaml'].replace('900 per month', '3000 per month\npace: { band: 1% to 900% }');
      const charts = await chartsOf(withRules('five', { ...RULES, 'calm.yaml': calm }));
      expect(charts.map(([head]) => head?.split(',')[0])).toEqual(['month', 'own', 'own']);
    });

    it('draws no target of a single day, of the future or of another account', async () => {
      const oneDay = RULES['month.yaml'].replace('2000 per month', '90 from 2026-11-20 to 2026-11-20');
      const later = RULES['month.yaml'].replace('2000 per month', '900 from 2026-12-01 to 2026-12-24');
      expect(await chartsOf(withRules('short', { 'one-day.yaml': oneDay, 'later.yaml': later }))).toEqual([]);
      expect(await chartsOf(['pacing', '--customer', '6193047821'])).toEqual([]);
    });

    it('draws nothing before the first day is read, or in less than 60 columns', async () => {
      const unread = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
      writeFolder(unread, 'queries', QUERIES);
      writeFolder(unread, 'rules', RULES);
      const options = { folder: unread, env: { PACEKEEPER_NOW: NOON } };
      const { stdout } = await runInProcess(['pacing'], options);
      expect(stdout).toContain('No data yet.');
      expect((await runInProcess(['pacing'], { ...options, columns: 100 })).stdout).toBe(stdout);
      rmSync(unread, { recursive: true, force: true });
      expect((await run(['pacing'], 59)).stdout).toBe(await piped(['pacing'], 60));
    });

    it('names a campaign in Japanese, and keeps to the width', async () => {
      const yen = RULES['own.yaml'].replace('Generisch%', '%').replace('EUR', 'JPY');
      const args = withRules('yen', { 'yen.yaml': yen });
      for (const columns of [60, 80]) {
        const charts = await chartsOf(args, columns);
        expect(charts).toHaveLength(3);
        for (const chart of charts) {
          expect(chart.join('\n')).toMatch(/^yen, \p{Lo}/u);
          expect(chart.filter((line) => stringWidth(line) > columns)).toEqual([]);
        }
      }
    });

    it('adds nothing to other formats', async () => {
      for (const format of ['json', 'csv', 'ndjson']) {
        const args = ['pacing', '--format', format];
        expect((await run(args, 100)).stdout).toBe((await run(args)).stdout);
      }
    });
  });

  it.each([
    [
      'an unknown rule, and suggests the nearest',
      ['--rule', 'mnth'],
      'No such rule: found mnth, expected one of cut, month, own.',
      'month',
    ],
    [
      'a rule without a pacing target',
      ['--rule', 'cut'],
      'The rule cut has no pacing target; rules that have one: month, own.',
      'rules explain cut',
    ],
    [
      'an unknown campaign',
      ['--customer', TRIMMED.customerId, '--campaign', '99'],
      'No such campaign: 99.',
      'To see every target, run pacekeeper pacing.',
    ],
    ['an account that is not accessible', ['--customer', '1112223334'], 'No such account: 1112223334', '--customer'],
    ['a campaign that is no number', ['--campaign', 'abc'], 'Expected a campaign id (digits only).', '--help'],
  ])('refuses %s', async (_words, args, sentence, step) => {
    const { code, stdout, stderr } = await run(['pacing', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(step);
  });

  it('shows a valid example rule if no rule has a pacing target', async () => {
    const empty = join(folder, 'no-rules');
    writeFolder(folder, 'no-rules', { 'cut.yaml': RULES['cut.yaml'] });
    const { code, stdout } = await run(['pacing', '--rules', empty]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('No rule has a pacing target')]);
    const { example } = JSON.parse((await run(['pacing', '--rules', empty, '--format', 'json'])).stdout);
    expect(stdout).toContain(example);
    writeFileSync(join(empty, 'month-pacing.yaml'), example);
    const checked = await run(['check', '--rules', empty]);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('0 errors, 0 warnings') });
  });

  it('is part of the record of a report, and does not change it', async () => {
    const { targets } = await json([]);
    const { stdout } = await run(['report', '--no-extract', '--dry-run', '--format', 'json']);
    const { pacing } = JSON.parse(stdout);
    expect(pacing).toEqual(
      targets.map((target: Record<string, unknown>) =>
        Object.fromEntries(PACING_COLUMNS.map(({ key }) => [key, target[key]])),
      ),
    );
    expect(readFileSync(join(folder, 'data', 'report.html'), 'utf8')).toContain(
      'Targets of rules and of several accounts',
    );
  });
});
