import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { formatMoney, formatMoneyRounded } from '../../../src/domain/micros.ts';
import { pageAt, pathOf } from '../../../src/domain/pages.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { fillHostileState, PHONE, SECRET } from '../../support/hostile-state.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { namedTable, tableOf } from '../../support/page-tables.ts';
import { runCli } from '../../support/run-cli.ts';
import { withoutOurScript } from '../../support/without-our-script.ts';
import { NOON } from '../../support/world.ts';

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(root, { recursive: true }));

const worked = join(root, 'worked');
const env = { PACEKEEPER_NOW: NOON };

beforeAll(async () => {
  mkdirSync(worked);
  for (const part of ['queries', 'rules']) cpSync(part, join(worked, part), { recursive: true });
  for (const at of ['2026-11-19T12:00:00Z', NOON]) {
    const { code, stderr } = await runCli(['report'], { cwd: worked, env: { PACEKEEPER_NOW: at } });
    expect(code, stderr).toBe(0);
  }
});

/** A folder like the worked one, with other files. */
function changedFolder(change: (folder: string) => void): string {
  const folder = mkdtempSync(join(root, 'changed-'));
  cpSync(worked, folder, { recursive: true });
  change(folder);
  return folder;
}

async function pageOf(path: string, query = '', folder = worked, config = '') {
  const deps = { settings: settingsFrom(folder, {}, {}, config), clock: fakeClock(NOON) };
  const { status, html } = await statusPage(deps, { path, query, role: 'viewer' });
  expect([path, await htmlFindings(html)]).toEqual([path, []]);
  return {
    status,
    html,
    words: html
      .slice(html.indexOf('<main'))
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&#39;', "'"),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is for each test to look at.
async function said(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runCli([...args, '--format', 'json'], { cwd: worked, env });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

function rowsOf(sql: string, folder = worked): Record<string, unknown>[] {
  const state = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
  try {
    return state.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    state.close();
  }
}

const RULES = ['budget-unused', 'cut-without-conversions', 'feed-limited-winners', 'month-pacing', 'weekday-anomaly'];
const LISTED = /^Rules and targets/;

describe('the address of a rule', () => {
  it.each(['..', '.', '%2e%2e', '..%2fqueries', 'a%2Fb', 'a%5Cb', '%00', 'a%0Ab', '%E0%A4%A', 'x'.repeat(256)])(
    '%s names no page',
    (name) => expect(pageAt(`/rules/${name}`)).toBeUndefined(),
  );

  it.each(['cut', 'Brand 2', "it's 100%", '予算', 'a?b#c', '<b>'])('%s is found again in its own address', (name) => {
    expect(pageAt(pathOf('rule', { name }))).toEqual({ name: 'rule', ids: { name } });
  });
});

describe('without usable files', () => {
  it('says that there are no rules, and how to write one', async () => {
    const folder = changedFolder((one) => {
      rmSync(join(one, 'rules'), { recursive: true });
      mkdirSync(join(one, 'rules'));
    });
    expect((await pageOf('/rules', '', folder)).words).toContain('No rules. Run pacekeeper init');
  });

  it('says which folder is missing', async () => {
    const folder = changedFolder((one) => rmSync(join(one, 'queries'), { recursive: true }));
    const { status, words } = await pageOf('/rules', '', folder);
    expect([status, words]).toEqual([200, expect.stringMatching(/The folder .*queries does not exist/)]);
  });

  it('shows the other rules beside the text of check for a broken one', async () => {
    const folder = changedFolder((one) =>
      writeFileSync(join(one, 'rules', 'broken.yaml'), 'description: 7\nover: <b>'),
    );
    const { html, words } = await pageOf('/rules', '', folder);
    const { stdout, stderr } = await runCli(['check'], { cwd: folder, env });
    const place = /rules\/broken\.yaml:\d+:\d+: error: [^\n]*/.exec(`${stdout}${stderr}`)?.[0] ?? 'check says nothing';
    const escaped = place
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    expect(html).toContain(escaped);
    expect(words).toContain('1 file with errors');
    expect(tableOf(html, LISTED).length).toBe(tableOf((await pageOf('/rules')).html, LISTED).length);
    expect((await pageOf('/rules/broken', '', folder)).words).toContain('1 file with errors');
  });

  it('shows no verdict for amounts without a currency', async () => {
    const folder = changedFolder((one) => {
      const path = join(one, 'rules', 'cut-without-conversions.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^currency: .*$/m, ''));
    });
    for (const path of ['/rules', '/rules/cut-without-conversions']) {
      const { status, words } = await pageOf(path, '', folder);
      expect([status, words]).toEqual([200, expect.stringContaining('found an amount without a currency')]);
    }
  });

  it('keeps the record of a rule whose file is gone, and knows no other name', async () => {
    const gone = changedFolder((one) => rmSync(join(one, 'rules', 'cut-without-conversions.yaml')));
    expect((await pageOf('/rules/cut-without-conversions', '', gone)).words).toContain(
      'The folder has no rule with this name now.',
    );
    expect((await pageOf('/rules/never-was', '', gone)).status).toBe(404);
  });
});

it('names no secret and no number of hostile records, and runs no markup', async () => {
  const folder = mkdtempSync(join(root, 'hostile-'));
  mkdirSync(join(folder, 'data'));
  await fillHostileState(join(folder, 'data', 'state.sqlite'));
  for (const part of ['queries', 'rules']) cpSync(part, join(folder, part), { recursive: true });
  new Database(join(folder, 'data', 'state.sqlite')).exec("UPDATE decision SET rule = 'month-pacing'").close();
  const environment = { MESSAGES_TO: `whatsapp:${PHONE}`, MESSAGES_PASSWORD: SECRET };
  const deps = { settings: settingsFrom(folder, {}, environment, ''), clock: fakeClock(NOON) };
  for (const path of ['/rules', '/rules/month-pacing']) {
    const { status, html } = await statusPage(deps, { path, query: 'backtest=28', role: 'viewer' });
    expect([path, status, await htmlFindings(html)]).toEqual([path, 200, []]);
    for (const hidden of [PHONE.slice(1), SECRET]) expect(html.includes(hidden), hidden).toBe(false);
    expect(/<script|<img|\u202e/i.exec(withoutOurScript(html))?.[0]).toBeUndefined();
  }
});

describe('the list of rules', () => {
  it('counts what each rule looked at and fired for, as explain does', async () => {
    const rows = tableOf((await pageOf('/rules')).html, LISTED);
    for (const rule of RULES) {
      const { results } = await said('rules', 'explain', rule);
      const sum = (key: string) =>
        results.reduce((all: number, one: Record<string, number>) => all + (one[key] ?? 0), 0);
      expect([rule, rows.find((row) => row.Rule === rule)?.Fired]).toEqual([
        rule,
        `${sum('fired')} of ${sum('subjects')}`,
      ]);
    }
  });

  it('counts refusals of thirty days and the last decision as the ledger has them', async () => {
    const { html } = await pageOf('/rules');
    const refused = rowsOf(
      "SELECT rule, count(*) AS times FROM decision WHERE kind = 'refusal' AND dry_run = 0 AND decided_at >= '2026-10-21' GROUP BY rule",
    );
    const decided = rowsOf("SELECT rule, max(decided_at) AS at FROM decision WHERE origin = 'rule' GROUP BY rule");
    expect(refused.length).toBeGreaterThan(0);
    for (const row of tableOf(html, LISTED)) {
      const { times = 0 } = refused.find(({ rule }) => rule === row.Rule) ?? {};
      expect([row.Rule, row['Refused, 30 days']]).toEqual([row.Rule, String(times)]);
      const at = decided.find(({ rule }) => rule === row.Rule)?.at as string | undefined;
      if (at !== undefined)
        expect([row.Rule, row['Last fired']]).toEqual([row.Rule, `${at.slice(0, 16).replace('T', ' ')} UTC`]);
    }
  });

  it('says the mode of the file where the settings are stricter', async () => {
    const { html } = await pageOf('/rules', '', worked, 'automation: { mode: approve }\n');
    const { rules } = await said('rules', 'list');
    const acting = rules.filter(
      (one: { change: string | null; mode: string }) => one.change !== null && one.mode === 'apply',
    );
    expect(acting.length).toBeGreaterThan(0);
    for (const { name } of acting) {
      expect(tableOf(html, LISTED).find(({ Rule }) => Rule === name)?.Mode).toBe('asks file: apply');
    }
  });

  it('shows each test of data with the state of its last run, from the record', async () => {
    const tests = namedTable((await pageOf('/rules')).html, /^As last run/);
    const recorded = rowsOf(
      'SELECT table_name, name, claim, state, sum(failures) AS failures FROM data_test GROUP BY 1, 2',
    );
    expect(tests.rows.length).toBe(recorded.length);
    for (const [index, row] of tests.rows.entries()) {
      const found = recorded.find(({ table_name: table, name }) => `${table}: ${name}` === tests.notes[index]?.Test);
      expect(row).toMatchObject({ 'Last run': found?.state, 'Rows found': String(found?.failures) });
      expect(String(found?.claim)).toContain(row.Test?.replace(/…$/, ''));
    }
  });
});

describe('a change that awaits approval', () => {
  let folder: string;
  const LATER = '2026-11-20T13:00:00Z';
  const WAITING = "kind = 'refusal' AND code = 'WAITS_FOR_APPROVAL'";

  beforeAll(async () => {
    const rule =
      'description: Ask.\nfrom: campaign_spend\nfor: campaign\nover: 7 days\nwhen: clicks >= 1\ncurrency: EUR\nchange: decrease budget by 10%\nlimits: { floor: 5, step: 10%, cooldown: 3 days }\nmode: approve\n';
    folder = changedFolder((one) => writeFileSync(join(one, 'rules', 'asking.yaml'), rule));
    for (const at of [NOON, LATER]) {
      const { code, stderr } = await runCli(['report'], { cwd: folder, env: { PACEKEEPER_NOW: at } });
      expect(code, stderr).toBe(0);
    }
  });

  it('is no refusal: the list, the rule and the run count only what a guard refused', async () => {
    const refused = rowsOf(
      `SELECT count(*) AS times FROM decision WHERE rule = 'asking' AND kind = 'refusal' AND NOT (${WAITING})`,
      folder,
    );
    const [{ times: waiting } = {}] = rowsOf(`SELECT count(*) AS times FROM decision WHERE ${WAITING}`, folder);
    expect(Number(waiting)).toBeGreaterThan(0);
    expect(Number(refused[0]?.times)).toBeGreaterThan(0);
    const listed = tableOf((await pageOf('/rules', '', folder)).html, LISTED).find(({ Rule }) => Rule === 'asking');
    expect(listed?.['Refused, 30 days']).toBe(String(refused[0]?.times));
    expect(listed?.['Last report']).toContain('awaiting approval');
    const codes = tableOf((await pageOf('/rules/asking', '', folder)).html, /^By code/).map(({ Code }) => Code);
    expect(codes.length).toBeGreaterThan(0);
    expect(codes).not.toContain('WAITS_FOR_APPROVAL');
    const [{ id } = {}] = rowsOf('SELECT max(id) AS id FROM run', folder);
    const { html } = await pageOf(`/runs/${id}`, '', folder);
    expect(tableOf(html, /^By a guard/).some(({ Why }) => Why?.includes('WAITS_FOR_APPROVAL'))).toBe(false);
    const waits = tableOf(html, /^Requested before/);
    expect(waits.length).toBeGreaterThan(0);
    for (const { Outcome } of waits) expect(Outcome).toBe('awaiting approval');
  });

  it('leads to the inbox, on the pages of the rule, the campaign and the log', async () => {
    const [{ customer, campaign } = {}] = rowsOf(
      `SELECT CAST(customer_id AS TEXT) AS customer, CAST(campaign_id AS TEXT) AS campaign FROM decision WHERE rule = 'asking' AND ${WAITING}`,
      folder,
    );
    const pages = ['/rules/asking', `/campaigns/${customer}/${campaign}`];
    for (const path of pages) {
      const { html, words } = await pageOf(path, '', folder);
      expect([path, words]).toEqual([path, expect.stringMatching(/awaits approval|awaiting approval/i)]);
      expect([path, /<a href="[./]*inbox">inbox<\/a>/.test(html)]).toEqual([path, true]);
    }
    const { html } = await pageOf('/log', 'kind=refusal&rule=asking', folder);
    const waiting = (html.match(/<li id="e\d+">.*?<\/li>/gs) ?? []).filter((one) => one.includes('wanted to change'));
    expect(waiting.length).toBe(
      rowsOf(`SELECT event_id FROM decision WHERE rule = 'asking' AND ${WAITING}`, folder).length,
    );
    for (const entry of waiting) expect(entry).toMatch(/awaiting approval.*>inbox<\/a>/s);
  });
});

describe('the page of a rule', () => {
  it('has the verdicts and numbers of explain', async () => {
    const { html, words } = await pageOf('/rules/cut-without-conversions');
    const { subjects, results } = await said('rules', 'explain', 'cut-without-conversions');
    const tables = [
      namedTable(html, /^Those that fire/).rows,
      ...(html.includes('more subject') ? [tableOf(html, /^More that/)] : []),
    ];
    const rows = tables.flat();
    expect(rows.length).toBe(subjects.length);
    const fired = subjects.filter(({ truth }: { truth: string }) => truth === 'true').length;
    expect(fired).toBe(results.reduce((sum: number, one: { fired: number }) => sum + one.fired, 0));
    expect(words).toContain(`Fired for ${fired} of ${subjects.length} campaigns .`);
    for (const { subject, truth, clauses } of subjects) {
      const row = rows.find(({ Subject }) => Subject === subject);
      expect(row?.Verdict).toBe(truth === 'true' ? 'fires' : truth === 'false' ? 'does not fire' : 'unknown');
      for (const { text } of clauses) {
        const [, name, value, rest] = /^(.*) \((.*)\) (.*)$/.exec(text) ?? [];
        expect(row?.[`${name} ${rest}`], `${subject} ${text}`).toBe(value);
      }
    }
  });

  it('counts refusals by code as the ledger has them', async () => {
    const rules = rowsOf("SELECT DISTINCT rule FROM decision WHERE kind = 'refusal'").map(({ rule }) => String(rule));
    for (const name of rules) {
      const counted = rowsOf(
        `SELECT code, CAST(count(*) AS TEXT) AS times FROM decision WHERE kind = 'refusal' AND rule = '${name}' GROUP BY code`,
      );
      const shown = tableOf((await pageOf(pathOf('rule', { name }))).html, /^By code/);
      expect(new Map(shown.map((row) => [row.Code, row.Times]))).toEqual(
        new Map(counted.map(({ code, times }) => [code, times])),
      );
    }
    expect(rules.length).toBeGreaterThan(0);
  });

  it('draws the month of a target to the forecast of its run', async () => {
    const { words } = await pageOf('/rules/month-pacing');
    const [row = {}] = rowsOf("SELECT * FROM run_pacing WHERE rule = 'month-pacing' AND run_id = 2");
    const units = (key: string) => Math.round(Number(row[key]) / 1e6).toLocaleString('en-US');
    expect(words).toContain(`On course for ${units('projected_micros')} of ${units('target_micros')} EUR.`);
  });

  it('shows a frozen rule as refused, and writes nothing', async () => {
    const folder = changedFolder((one) => writeFileSync(join(one, 'data', 'FREEZE'), 'holiday'));
    const before = rowsOf('SELECT max(id) AS id FROM budget_event', folder);
    const { words } = await pageOf('/rules/cut-without-conversions', '', folder);
    expect(words).toContain('frozen');
    await pageOf('/rules/cut-without-conversions', 'backtest=28', worked);
    expect(rowsOf('SELECT max(id) AS id FROM budget_event', worked)).toEqual(before);
  });
});

describe('a back-test', () => {
  it.each(['', 'backtest=7', 'backtest=-1', 'backtest=99999', 'backtest=28;90'])(
    'runs on no other request: %s',
    async (query) => {
      const { words } = await pageOf('/rules/cut-without-conversions', query);
      expect(words).toContain('It takes some seconds.');
      expect(words).not.toContain('If active');
    },
  );

  it('of a rule that reads today says why there is none', async () => {
    expect((await pageOf('/rules/runaway-spend-today', 'backtest=28')).words).toContain(
      "Cannot backtest runaway-spend-today: it uses today's numbers.",
    );
  });

  it.each(['cut-without-conversions', 'month-pacing', 'stopped-spending'])(
    'of %s has the figures of the command',
    async (name) => {
      const { html, words } = await pageOf(pathOf('rule', { name }), 'backtest=28');
      const { results } = await said('rules', 'backtest', name, '--from', '2026-10-22', '--to', '2026-11-18');
      const rows = tableOf(html, /^By account/);
      expect(rows.length).toBe(results.length);
      for (const one of results) {
        const row = rows.find(({ Account }) => Account?.endsWith(`(${one.customer_id})`));
        const money = (micros: string | null, show = formatMoneyRounded) =>
          micros === null ? undefined : show(BigInt(micros), one.currency);
        expect([row?.['Days judged'], row?.['Fired, all days']]).toEqual([String(one.evaluated), String(one.fired)]);
        if (one.alerts !== null) {
          expect(row?.['Became true']).toBe(String(one.alerts));
          continue;
        }
        expect(row).toMatchObject({
          'Budget changes': String(one.changes),
          'All budgets per day, before': money(one.budgets_begin_micros, formatMoney),
          'All budgets per day, after': money(one.budgets_end_micros, formatMoney),
          'Real spend of the account': money(one.spent_micros),
          'Saved, at most': money(one.saved_micros),
          'Added, at most': money(one.added_micros),
        });
      }
      expect(words).toContain('They do not react to changes by the rule.');
    },
  );
});
