import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { fillHostileState, HOSTILE, HOSTILE_BUDGET, HOSTILE_CUSTOMER } from '../../support/hostile-state.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { pageTables, tableOf } from '../../support/page-tables.ts';
import { describePostgres, freshDatabase } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW = '2026-11-20T09:00:00Z';
const UNTIL = civilDate('2026-11-19');
const FROM = addDays(UNTIL, -27);
/** Its campaigns spend euros. */
const ACCOUNT = '4081725530';
const QUERIES = ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats', 'library/search_terms'];

const RULES = {
  'trim.yaml': `description: Trim a budget that nobody needs.
from: campaign_spend
for: campaign
where: campaign_name = 'Generisch - Zelte'
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
limits: { cooldown: 3 days }
mode: apply
`,
  'ask.yaml': `description: Ask for less.
from: campaign_spend
for: campaign
where: campaign_name = 'Regenjacken'
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
mode: approve
`,
  'month.yaml': `description: Keep a campaign on its month.
from: campaign_spend
for: account
where: campaign_name = 'Isomatten'
currency: EUR
change: pace budget to 700 per month
limits: { floor: 5, ceiling: 150 }
mode: propose
`,
  'quiet.yaml': `description: Cut what is clicked too often.
from: campaign_spend
for: campaign
where: campaign_name = 'Zubehör - Kocher'
over: 7 days
when: clicks >= 1000000 AND impressions >= 0
change: decrease budget by 10%
mode: apply
`,
  'busy.yaml': `description: Tell of clicks.
from: campaign_spend
for: campaign
where: campaign_name = 'Schlafsäcke'
over: 7 days
when: clicks >= 1 AND roas >= 0
alert: { severity: warning, text: "{campaign_name} has {clicks} clicks" }
`,
};

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
afterAll(() => rmSync(root, { recursive: true }));
const usual = join(root, 'usual');

beforeAll(async () => {
  for (const part of ['queries', 'rules']) mkdirSync(join(usual, part), { recursive: true });
  for (const name of QUERIES) cpSync(`queries/${name}.sql`, join(usual, 'queries', `${name.replace(/.*\//, '')}.sql`));
  for (const [name, text] of Object.entries(RULES)) writeFileSync(join(usual, 'rules', name), text);
  const { code, stderr } = await runInProcess(['report'], { folder: usual, env: { PACEKEEPER_NOW: NOW } });
  expect(code, stderr).toBe(0);
});

async function pageOf(path: string, query = '', folder = usual, env = {}) {
  const settings = await readSettings(folder, {}, env);
  return statusPage({ settings, clock: fakeClock(NOW) }, { path, query, role: 'approver' });
}

const campaignPath = (id: bigint | string, customer = ACCOUNT) => `/campaigns/${customer}/${id}`;

async function campaignNamed(name: string, query = ''): Promise<string> {
  const { status, html } = await pageOf(campaignPath(idOf(name)), query);
  expect([status, await htmlFindings(html)]).toEqual([200, []]);
  return html;
}

function rowsIn<Row>(sql: string): Row[] {
  const file = new Database(join(usual, 'data', 'warehouse.sqlite'), { readonly: true });
  try {
    return file.prepare<[], Row>(sql).safeIntegers().all();
  } finally {
    file.close();
  }
}

const idOf = (name: string) =>
  rowsIn<{ id: bigint }>(`SELECT campaign_id AS id FROM dim_campaign WHERE campaign_name = '${name}'`)[0]?.id ?? '1';

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const money = (micros: bigint | number) => `${(Number(micros) / 1e6).toLocaleString('en-US', decimals)} EUR`;
const percent = (share: number) =>
  share.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** The figures by their label, without links. */
function figuresIn(html: string): Record<string, string> {
  const strip = /<dl class="figures card">([\s\S]*?)<\/dl>/.exec(html)?.[1] ?? '';
  const all = [...strip.matchAll(/<dt>([^<]*)<\/dt><dd>([\s\S]*?)<\/dd>/g)];
  return Object.fromEntries(all.map(([, label = '', value = '']) => [label, value.replaceAll(/<[^>]*>/g, '')]));
}

/** The rows behind a link with these words. */
function rowsBehind<Row>(html: string, words: RegExp): Row[] {
  const links = [...html.matchAll(/href="[./]*explore\?([^"]*)">(?:<bdi>)?([^<]*)/g)];
  const [, query = ''] = links.find(([, , text = '']) => words.test(text)) ?? [];
  return rowsIn<Row>(new URLSearchParams(query.replaceAll('&amp;', '&')).get('sql') ?? '');
}

const COMPLETE = (query: string) =>
  `JOIN account_day USING (customer_id, date) WHERE account_day.query = '${query}' AND state = 'settled'
   AND customer_id = ${ACCOUNT} AND date BETWEEN '${FROM}' AND '${UNTIL}'`;

it('each page with days of accounts and times of the record says once which zones they are in', async () => {
  const zones = rowsIn<{ id: bigint; zone: string }>('SELECT customer_id AS id, time_zone AS zone FROM account');
  expect(new Set(zones.map(({ zone }) => zone)).size).toBeGreaterThan(1);
  const [{ budget } = {}] = rowsIn<{ budget: bigint }>(
    `SELECT budget_id AS budget FROM budget_change WHERE customer_id = ${ACCOUNT}`,
  );
  const zone = zones.find(({ id }) => id === BigInt(ACCOUNT))?.zone ?? '';
  for (const [path, query, own] of [
    ['/', '', "each account's time zone"],
    ['/coverage', '', "each account's time zone"],
    ['/coverage', `customer=${ACCOUNT}`, zone],
    ['/rules/trim', '', "each account's time zone"],
    [`/accounts/${ACCOUNT}`, '', zone],
    [campaignPath(idOf('Regenjacken')), '', zone],
    [`/budgets/${ACCOUNT}/${budget}`, '', zone],
  ] as const) {
    const { status, html } = await pageOf(path, query);
    const said = html.replaceAll('&#39;', "'").match(/Days are in [^<]*?, times in UTC\./g);
    expect([path, status, said]).toEqual([path, 200, [`Days are in ${own}, times in UTC.`]]);
  }
});

describe('an odd campaign', () => {
  it.each([
    ['that nobody knows', campaignPath('77')],
    ['of another account', campaignPath('18204104729')],
    ['of an unknown account', campaignPath('17204209458', '12')],
    ['with an id beyond int64', campaignPath('9223372036854775808')],
    ['that is no number', '/campaigns/4081725530/%3Cb%3E'],
  ])('%s has no page', async (_, path) => {
    expect((await pageOf(path)).status).toBe(404);
  });

  it('has no figures in a folder that nobody has read', async () => {
    const folder = join(root, 'empty');
    mkdirSync(join(folder, 'queries'), { recursive: true });
    const { html } = await pageOf(campaignPath('21'), '', folder);
    expect(html).not.toContain('class="figures');
    expect(html).toContain('pacekeeper report');
  });

  it('that only the record knows has a page without figures, and its hostile names are text', async () => {
    const folder = join(root, 'hostile');
    await fillHostileState(join(folder, 'data', 'state.sqlite'));
    const state = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
    const [{ id } = {}] = state
      .prepare<[], { id: number }>('SELECT campaign_id AS id FROM budget_intent WHERE campaign_id IS NOT NULL')
      .all();
    state.close();
    const { status, html } = await pageOf(campaignPath(`${id}`, HOSTILE_CUSTOMER), '', folder);
    expect([status, await htmlFindings(html)]).toEqual([200, []]);
    expect(html).toContain('No complete day of this campaign is in this range.');
    expect(html).not.toContain(HOSTILE.slice(0, 8));
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain(`budgets/${HOSTILE_CUSTOMER}/${HOSTILE_BUDGET}`);
  });

  it.each([
    ['before its first row', 'from=2016-01-01&to=2016-01-31', 'No complete day of this campaign is in this range.'],
    ['in the future', 'from=2027-01-01&to=2027-01-31', 'No complete day of this campaign is in this range.'],
    ['that are no dates', 'from=%3Cb%3E&to=2026-02-30', 'Ignored: <bdi>&lt;b&gt;</bdi>, <bdi>2026-02-30</bdi>'],
  ])('has a page for days %s', async (_, query, words) => {
    expect(await campaignNamed('Isomatten', query)).toContain(words);
  });

  it('that shares its budget names the others, with links, and says what the chart shows', async () => {
    const html = await campaignNamed('Zubehör - Kocher');
    const box = html.slice(html.indexOf('<dt>Shared by</dt>'));
    for (const name of ['Zubehör - Trinkflaschen', 'Zubehör - Stirnlampen'])
      expect(box).toContain(`${campaignPath(idOf(name)).slice(1)}"><bdi>${name}</bdi></a>`);
    expect(html).toContain('Spend and daily budget, which 3 campaigns share');
    const [own] = rowsIn<{ cost: bigint }>(
      `SELECT sum(cost_micros) AS cost FROM campaign_spend_by_day ${COMPLETE('campaign_spend')} AND campaign_id = ${idOf('Zubehör - Kocher')}`,
    );
    expect(figuresIn(html).Spend).toBe(money(own?.cost ?? 0n));
  });
});

describe('the page of a campaign', () => {
  it('shows figures that equal SQL over the published days (P1)', async () => {
    const id = idOf('Regenjacken');
    const html = await campaignNamed('Regenjacken');
    const sums = (until: string) =>
      rowsIn<{ cost: bigint; conversions: number; value: number; shown: number; lost: number }>(`
        SELECT sum(cost_micros) AS cost, total(conversions) AS conversions, total(conversions_value) AS value,
          sum(impressions) / sum(impressions / search_impression_share) AS shown,
          sum(impressions / search_impression_share * search_budget_lost_impression_share)
            / sum(impressions / search_impression_share) AS lost
        FROM campaign_spend_by_day ${COMPLETE('campaign_spend')} AND campaign_id = ${id} AND date <= '${until}'`)[0];
    const all = sums(UNTIL);
    const converted = sums(addDays(UNTIL, -7));
    const figures = figuresIn(html);
    expect(figures.Spend).toBe(money(all?.cost ?? 0n));
    expect(figures.Conversions).toBe(all?.conversions.toLocaleString('en-US', { maximumFractionDigits: 1 }));
    expect(figures.Value).toBe(money((all?.value ?? 0) * 1e6));
    const cost = Number(converted?.cost);
    expect(figures['CPA, to 12 Nov']).toBe(money(cost / (converted?.conversions ?? 0)));
    expect(figures['ROAS, to 12 Nov']).toBe(((converted?.value ?? 0) / (cost / 1e6)).toLocaleString('en-US', decimals));
    const share = (value = 0) => value.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
    expect(figures['Impression share, search']).toBe(share(all?.shown));
    expect(html).toContain(`${share(all?.lost)} lost to the budget`);
    const behind = rowsBehind<{ cost_micros: bigint }>(html, new RegExp(`^${money(all?.cost ?? 0n)}$`));
    expect(behind.reduce((sum, row) => sum + row.cost_micros, 0n)).toBe(all?.cost);
  });

  it.each([
    ['keyword', 'keyword_stats', 'ad_group_criterion_keyword_text, ad_group_criterion_keyword_match_type'],
    ['search term', 'search_terms', 'search_term_view_search_term'],
  ])('lists each %s with most spend, and a sum that equals SQL', async (what, table, texts) => {
    const id = idOf('Regenjacken');
    const html = await campaignNamed('Regenjacken');
    const shown = tableOf(html, new RegExp(`^From ${table}, most spend first`));
    const all = rowsIn<{ text: string; cost: bigint; clicks: bigint }>(`
      SELECT ${texts.split(',')[0]} AS text, sum(cost_micros) AS cost, sum(clicks) AS clicks FROM ${table}
      ${COMPLETE(table)} AND campaign_id = ${id} GROUP BY ${texts} ORDER BY cost DESC, text`);
    const sum = all.reduce((total, { cost }) => total + cost, 0n);
    const title = what === 'keyword' ? 'Keyword' : 'Search term';
    expect(shown.map((row) => [row[title], row.Spend, row.Share, row.Clicks])).toEqual([
      ...all
        .slice(0, 5)
        .map(({ text, cost, clicks }) => [
          text,
          money(cost),
          percent(Number((cost * 1000n + sum / 2n) / sum) / 1000),
          `${clicks}`,
        ]),
      [
        `All ${all.length} ${what}s`,
        money(sum),
        '100.0%',
        all.reduce((total, { clicks }) => total + clicks, 0n).toLocaleString('en-US'),
      ],
    ]);
    const links = [...html.matchAll(/>(\d+) more</g)].map(([, more]) => Number(more));
    expect(links).toContain(all.length - 5);
    const behind = rowsBehind<{ cost_micros: bigint }>(html, new RegExp(`^${all.length - 5} more$`));
    expect(behind.map(({ cost_micros: cost }) => cost)).toEqual(all.map(({ cost }) => cost));
  });

  it('draws spend, budget and conversions of the same days, with a mark that leads to the change', async () => {
    const id = idOf('Generisch - Zelte');
    const html = await campaignNamed('Generisch - Zelte');
    const [change] = rowsIn<{ id: bigint; budget: bigint; from: bigint; to: bigint }>(
      `SELECT id, budget_id AS budget, from_micros AS "from", to_micros AS "to" FROM budget_change WHERE campaign_id = ${id}`,
    );
    const days = rowsIn<{ date: string; cost: bigint; conversions: number }>(
      `SELECT date, cost_micros AS cost, conversions FROM campaign_spend_by_day ${COMPLETE('campaign_spend')} AND campaign_id = ${id} ORDER BY date`,
    );
    const spend = tableOf(html, /^Daily budget and spend$/);
    expect(spend.filter(({ Spend: spent }) => spent !== '–').map((row) => [row.Day, row.Spend])).toEqual(
      days.map(({ date, cost }) => [date, money(cost)]),
    );
    expect(spend[0]?.['Daily budget']).toBe(money(change?.from ?? 0n));
    expect(spend.at(-1)).toMatchObject({ Day: '2026-11-20', 'Daily budget': money(change?.to ?? 0n), Rule: 'trim' });
    expect(html).toContain(`href="../../budgets/${ACCOUNT}/${change?.budget}#B${change?.id}"`);
    const conversions = tableOf(html, /^Conversions per day$/);
    expect(conversions.map((row) => [row.Day, row.Conversions])).toEqual(
      days.map(({ date, conversions: own }) => [date, own.toLocaleString('en-US', { maximumFractionDigits: 2 })]),
    );
    expect(html).toContain('Conversions of the pale days are still arriving.');
    expect(html).toContain(`Undo B${change?.id}`);
  });

  it.each([
    [
      'Generisch - Zelte',
      /<strong><a href="[./]*rules\/trim"><bdi>trim<\/bdi><\/a><\/strong> <span class="badge good">/,
      'Trim a budget that nobody needs.',
    ],
    [
      'Regenjacken',
      /<strong><a href="[./]*rules\/ask"><bdi>ask<\/bdi><\/a><\/strong> <span class="badge waits">awaiting approval/,
      'awaits approval</a>. ',
    ],
    [
      'Schlafsäcke',
      /<strong><a href="[./]*rules\/busy"><bdi>busy<\/bdi><\/a><\/strong> <span class="badge waits">fires, warning/,
      'Schlafsäcke has ',
    ],
    [
      'Isomatten',
      /<strong><a href="[./]*rules\/month"><bdi>month<\/bdi><\/a><\/strong> <span class="badge \w+">/,
      'target 700',
    ],
  ])('of %s says what the last run recorded about it', async (name, verdict, words) => {
    const html = await campaignNamed(name);
    const own = html.slice(html.indexOf('<h2 id="rules">'));
    expect(own).toMatch(verdict);
    expect(html).toContain(words);
    expect(own).toContain('As of run 1, and verdicts on its data.');
  });

  it('keeps its numbers and says who stopped changes while budgets are frozen', async () => {
    const before = await campaignNamed('Generisch - Zelte');
    const run = (...args: string[]) => runInProcess(args, { folder: usual, env: { PACEKEEPER_NOW: NOW } });
    expect((await run('freeze', '--by=rosa', '--why=prices are wrong')).code).toBe(0);
    const html = await campaignNamed('Generisch - Zelte');
    expect((await run('unfreeze', '--by=rosa', '--why=right again')).code).toBe(0);
    expect(html).toContain('rosa');
    expect(html).not.toContain('act=undo');
    expect(before).toContain('act=undo');
    expect(figuresIn(html)).toEqual(figuresIn(before));
  });

  it('says of a rule that does not fire which number decided, as explain does', async () => {
    const own = (html: string) => /<h2 id="rules">[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
    const { stdout } = await runInProcess(['rules', 'explain', 'quiet', '--format', 'json'], {
      folder: usual,
      env: { PACEKEEPER_NOW: NOW },
    });
    const [subject] = JSON.parse(stdout).subjects;
    const [deciding, other] = subject.clauses.map(({ text }: { text: string }) => text.replace('>=', '&gt;='));
    const rules = own(await campaignNamed('Zubehör - Kocher'));
    expect(rules).toMatch(/rules\/quiet"><bdi>quiet<\/bdi><\/a><\/strong> <span class="badge plain">does not fire</);
    expect(rules).toContain(`<div class="note">${deciding}</div>`);
    expect(rules).not.toContain(`<div class="note">${other}`);
    expect(own(await campaignNamed('Regenjacken'))).not.toContain('quiet');
    for (const name of ['Generisch - Zelte', 'Regenjacken', 'Schlafsäcke']) {
      expect([name, own(await campaignNamed(name)).match(/<li>/g)]).toEqual([name, ['<li>']]);
    }
  });

  it('has the record alone while the files of the rules are gone', async () => {
    const folder = tempDir();
    cpSync(usual, folder, { recursive: true });
    rmSync(join(folder, 'rules'), { recursive: true });
    const { status, html } = await pageOf(campaignPath(idOf('Zubehör - Kocher')), '', folder);
    expect([status, html.includes('does not fire')]).toEqual([200, false]);
    expect((await pageOf(campaignPath(idOf('Regenjacken')), '', folder)).html).toContain('awaiting approval');
  });

  it('claims no verdict where no run has recorded one, and no finding without a fact', async () => {
    const html = await campaignNamed('Marke - Alpenkontor');
    const rules = /<h2 id="rules">[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
    expect(rules).not.toContain('<li>');
    expect(html).not.toContain('data-section="finding"');
  });
});

describe('names of campaigns', () => {
  it('lead to their pages', async () => {
    const zelte = `${campaignPath(idOf('Generisch - Zelte'))}"`;
    const budget = rowsIn<{ id: bigint }>('SELECT budget_id AS id FROM budget_change')[0]?.id;
    const pages: [path: string, query?: string][] = [
      ['/'],
      ['/', `customer=${ACCOUNT}`],
      [`/accounts/${ACCOUNT}`],
      ['/budgets'],
      [`/budgets/${ACCOUNT}/${budget}`],
      ['/inbox'],
      ['/runs/1'],
      ['/search', 'q=zelte'],
    ];
    for (const [path, query] of pages)
      expect([path, (await pageOf(path, query)).html]).toEqual([path, expect.stringContaining(zelte)]);
    const asked = `campaigns/${ACCOUNT}/${idOf('Regenjacken')}">campaign</a>`;
    expect((await pageOf('/inbox')).html, 'beside a request for approval').toContain(asked);
  });

  it('are no links in the report file, which has no other pages', async () => {
    const report = readFileSync(join(usual, 'data', 'report.html'), 'utf8');
    expect(report).toContain('Generisch - Zelte');
    expect(report).not.toContain('campaigns/');
  });
});

describePostgres('on PostgreSQL', () => {
  it('the page has the same figures, texts and verdicts', async () => {
    const folder = tempDir();
    for (const part of ['queries', 'rules']) cpSync(join(usual, part), join(folder, part), { recursive: true });
    const env = { PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const { code, stderr } = await runInProcess(['report'], { folder, env });
    expect(code, stderr).toBe(0);
    for (const name of ['Regenjacken', 'Generisch - Zelte']) {
      const onFiles = await campaignNamed(name);
      const { html } = await pageOf(campaignPath(idOf(name)), '', folder, env);
      expect(figuresIn(html)).toEqual(figuresIn(onFiles));
      expect(pageTables(html)).toEqual(pageTables(onFiles));
    }
  });
});
