import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import type { RenderedPage } from '../../../src/dashboard/status/page-source.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { customerId } from '../../../src/domain/ids.ts';
import type { Role } from '../../../src/domain/role.ts';
import { insertProposal } from '../../../src/storage/records/budgets/proposal-table.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { tableOf } from '../../support/page-tables.ts';
import { openedState, someIntent } from '../../support/state.ts';

const NOW = '2026-11-20T09:00:00Z';
const ACCOUNT = '4081725530';
const JPY = '9264813507';
const RULE = `description: Trim.
from: campaign_spend
for: campaign
over: 7 days
when: clicks >= 1
currency: EUR
change: decrease budget by 10%
limits: { floor: 60, step: 10%, cooldown: 3 days }
mode: apply
`;

let folder: string;
let page: (path: string, query?: string, role?: Role) => Promise<RenderedPage>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const name of ['campaign', 'campaign_budget', 'campaign_spend']) {
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  }
  writeFileSync(join(folder, 'rules', 'trim.yaml'), RULE);
  const { code, stderr } = await runInProcess(['report'], { folder, env: { PACEKEEPER_NOW: NOW } });
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const settings = await readSettings(folder, {}, {});
  page = (path, query = '', role = 'viewer') => statusPage({ settings, clock: fakeClock(NOW) }, { path, query, role });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const published = () => join(folder, 'data', 'warehouse.sqlite');

function inPublished<Row>(sql: string): Row[] {
  const file = new Database(published(), { readonly: true });
  try {
    return file.prepare<[], Row>(sql).safeIntegers().all();
  } finally {
    file.close();
  }
}

const madeIn = () =>
  inPublished<{ id: bigint; budget: bigint }>(
    `SELECT id, budget_id AS budget FROM budget_change WHERE customer_id = ${ACCOUNT} ORDER BY id`,
  );

/** The SELECTs behind the links of the page, by the words of the link. */
function selectsIn(html: string): { readonly sql: string; readonly words: string }[] {
  return [...html.matchAll(/href="[./]*explore\?([^"]*)">(?:<bdi>)?([^<]*)/g)].map(([, query = '', words = '']) => ({
    sql: new URLSearchParams(query.replaceAll('&amp;', '&')).get('sql') ?? '',
    words,
  }));
}

const money = (micros: bigint) =>
  (Number(micros) / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

describe('the pages with figures', () => {
  it.each(['/', '/budgets', `/accounts/${ACCOUNT}`])('%s takes a campaign by a part of its name', async (path) => {
    const [zelte] = inPublished<{ id: bigint; name: string }>(
      `SELECT campaign_id AS id, campaign_name AS name FROM dim_campaign WHERE customer_id = ${ACCOUNT} AND campaign_name LIKE '%Zelte%'`,
    );
    const byName = await page(path, 'campaign=zELTE');
    const byId = await page(path, `campaign=${zelte?.id}`);
    const note = /<p class="note" role="status">1 campaign has “zELTE” in the name\.<\/p>/;
    expect(byName.html).toMatch(note);
    expect(byName.html.replace(note, '')).toBe(byId.html);
    const elsewhere = inPublished<{ name: string }>(
      `SELECT campaign_name AS name FROM dim_campaign WHERE customer_id = ${JPY}`,
    )[0]?.name;
    const others = await page('/', `customer=${ACCOUNT}&campaign=${encodeURIComponent(elsewhere ?? '')}`);
    expect(others.html).toContain(`Ignored: <bdi>${elsewhere}</bdi>`);
    expect((await page(path, 'campaign=no such campaign')).html).toContain('Ignored: <bdi>no such campaign</bdi>');
  });

  it('are valid, and their links have at most 4 KB and lead to rows', async () => {
    const [change] = madeIn();
    const budget = `/budgets/${ACCOUNT}/${change?.budget}`;
    const all = [
      ['/', ''],
      ['/', 'from=2026-11-01&to=2026-11-15'],
      ['/', `customer=${ACCOUNT}`],
      [`/accounts/${ACCOUNT}`, ''],
      [`/accounts/${ACCOUNT}`, 'from=2026-11-01'],
      ['/budgets', ''],
      [budget, ''],
      [budget, 'from=2026-11-10&to=2026-11-19'],
    ] as const;
    for (const [path, query] of all) {
      const { status, html } = await page(path, query);
      expect([path, query, status]).toEqual([path, query, 200]);
      expect([path, query, await htmlFindings(html)]).toEqual([path, query, []]);
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) expect(href.length).toBeLessThan(4_200);
      const selects = [...new Set(selectsIn(html).map(({ sql }) => sql))];
      expect(selects.filter((sql) => inPublished(sql).length > 0).length, path).toBeGreaterThan(0);
    }
  });

  it('show sums of complete days that equal the rows behind their links', async () => {
    const { html } = await page('/', `from=2026-11-01&to=2026-11-15&customer=${ACCOUNT}`);
    const sums = selectsIn(html).filter(({ words }) => words.endsWith(' EUR'));
    expect(sums.length).toBeGreaterThan(5);
    for (const { sql, words } of sums) {
      const rows = inPublished<{ cost_micros: bigint }>(sql);
      const sum = rows.reduce((total, { cost_micros: cost }) => total + cost, 0n);
      // The report rounds large amounts of months.
      expect([`${money(sum)} EUR`, `${Math.round(Number(sum) / 1e6).toLocaleString('en-US')} EUR`]).toContain(words);
    }
  });

  it('equal the figures of the terminal for the month', async () => {
    const { stdout } = await runInProcess(['report', '--no-extract', '--dry-run', '--format', 'json'], {
      folder,
      env: { PACEKEEPER_NOW: NOW },
    });
    const { months } = JSON.parse(stdout) as {
      months: { customer_id: string; complete_until: string; spent_micros: string }[];
    };
    const month = months.find(({ customer_id: id }) => id === ACCOUNT);
    const { html } = await page(`/accounts/${ACCOUNT}`, `from=2026-11-01&to=${month?.complete_until}`);
    expect(html).toContain(`>${money(BigInt(month?.spent_micros ?? 0))} EUR<`);
  });

  it.each([
    ['one day', 'from=2026-11-15&to=2026-11-15', '1 of 1'],
    ['ten years', 'from=2016-11-20&to=2026-11-19', '36 of 3652'],
    ['days that are not complete yet', 'from=2026-11-15&to=2027-01-15', '5 of 62'],
  ])('show figures of %s, and how many days are complete', async (_what, query, words) => {
    const { html, status } = await page('/', `${query}&customer=${ACCOUNT}`);
    expect(status).toBe(200);
    expect(await htmlFindings(html)).toEqual([]);
    const [row] = tableOf(html, /^Figures by account/);
    expect(row?.['Complete days']).toContain(words);
    const partial = `Partial. Alpenkontor Outdoor GmbH: ${words} days complete, until 2026-11-`;
    expect(html.includes(partial)).toBe(words !== '1 of 1');
    expect(html.length).toBeLessThan(1_000_000);
  });

  it('never add currencies', async () => {
    const { html } = await page('/', 'from=2026-11-01&to=2026-11-15');
    expect(html).not.toMatch(/\d accounts in/);
    for (const currency of ['EUR', 'USD', 'JPY']) expect(html).toContain(`Spend per day, ${currency}`);
  });

  it('restrict accounts, campaigns, changes and decisions', async () => {
    const whole = (await page('/')).html;
    const { html } = await page('/', `customer=${JPY}`);
    expect(whole).toContain('Alpenkontor');
    // The form still offers the other accounts.
    expect(html.replaceAll(/<select[\s\S]*?<\/select>|<details class="switch">[\s\S]*?<\/details>/g, '')).not.toContain(
      'Alpenkontor',
    );
    expect((await page('/', 'from=2026-10-01&to=2026-10-15')).html).toContain(
      'No budget changed. Period: 2026-10-01 to 2026-10-15.',
    );
    // The last run is not a matter of the days that somebody chose.
    const lastRun = (html: string) => /Decisions of the rules \(([1-9]\d*) in the last run\)/.exec(html)?.[1];
    expect(lastRun(whole)).toBeDefined();
    expect(lastRun((await page('/', 'from=2026-10-01&to=2026-10-15')).html)).toBe(lastRun(whole));
    const [campaign] = inPublished<{ id: bigint }>(
      `SELECT campaign_id AS id FROM dim_campaign WHERE customer_id = ${ACCOUNT}`,
    );
    const one = (await page('/', `campaign=${campaign?.id}`)).html;
    expect(tableOf(one, /^Figures by account/).map(({ Account }) => Account)).toEqual(['Alpenkontor Outdoor GmbH']);
  });

  it.each([
    ['an unknown account', `/`, 'customer=1111111111', 'No account 1111111111 is known. Known: '],
    ['an unknown campaign', `/`, 'campaign=99', 'No account with data matches the filter.'],
    ['days without data', `/`, 'from=1999-01-01&to=1999-12-31', 'No complete day of the chosen accounts'],
    ['an unknown account of budgets', '/budgets', 'customer=111-111-1111', 'No account 1111111111 is known. Known: '],
    ['an unknown account of runs', '/runs', 'customer=1111111111', 'No account 1111111111 is known. Known: '],
    ['an unknown account of alerts', '/alerts', 'customer=1111111111', 'No account 1111111111 is known. Known: '],
    ['an unknown account of coverage', '/coverage', 'customer=1111111111', 'No account 1111111111 is known. Known: '],
    ['a page beyond the last', '/budgets', 'page=999', 'No such page.'],
    ['days before a budget', '', 'to=1999-12-31', 'The range has no days since'],
  ])('say that nothing matches %s', async (_what, path, query, words) => {
    const { html, status } = await page(path === '' ? `/budgets/${ACCOUNT}/${madeIn()[0]?.budget}` : path, query);
    expect([status, html]).toEqual([200, expect.stringContaining(words)]);
  });

  it('say nothing else of an unknown account, and do not offer all accounts as chosen', async () => {
    const { html } = await page('/coverage', 'customer=1111111111');
    expect(html).not.toMatch(/No day is missing|<h2>Tables/);
    expect(html).toContain('name="customer" value="1111111111"');
  });

  it('narrow the sentence and the table of coverage alike, by account, table and days', async () => {
    const cell = (html: string, name: string) => new RegExp(`data-label="${name}"[^>]*>([^<]*)<`).exec(html)?.[1];
    const one = (await page('/coverage', `customer=${ACCOUNT}`)).html;
    expect([cell(one, 'Accounts'), cell(one, 'Missing')]).toEqual(['1', '0']);
    expect(one).toContain('<p class="find">No day is missing.</p>');
    const early = (await page('/coverage', `query=campaign_spend&customer=&from=2026-09-01&to=2026-09-03`)).html;
    expect(early).toContain('Only the table <code>campaign_spend</code>');
    expect(early).not.toContain('No day is missing');
    const accounts = Number(cell(early, 'Accounts'));
    expect(Number(cell(early, 'Missing'))).toBe(3 * accounts);
    expect(early.match(/badge bad">missing</g)).toHaveLength(accounts);
    expect((await page('/coverage', 'query=no_such_table')).status).toBe(404);
  });

  it('do not exist for unknown accounts and budgets', async () => {
    for (const path of ['/accounts/1', '/accounts/1111111111', `/budgets/${ACCOUNT}/1`, '/accounts/x']) {
      expect([path, (await page(path)).status]).toEqual([path, 404]);
    }
  });

  it('show every change of a budget, with its run and, for people who may act, a link to undo it', async () => {
    const { stdout } = await runInProcess(['budgets', 'history', '--customer', ACCOUNT, '--format', 'json'], {
      folder,
    });
    const { changes } = JSON.parse(stdout) as { changes: { id: string; budget_id: string; to_micros: string }[] };
    expect(changes.length).toBeGreaterThan(0);
    for (const { id, budget_id: budget, to_micros: to } of changes) {
      const viewed = (await page(`/budgets/${ACCOUNT}/${budget}`)).html;
      expect(viewed).toContain(`>B${id}<`);
      expect(viewed).toContain(`${money(BigInt(to))} EUR`);
      expect(viewed).toContain('href="../../runs/1"');
      expect(viewed).not.toContain('act=undo');
      expect((await page(`/budgets/${ACCOUNT}/${budget}`, '', 'approver')).html).toContain(`act=undo&amp;on=B${id}`);
    }
  });

  it('list every budget of the tables, with the change that set it', async () => {
    const { html } = await page('/budgets');
    const budgets = inPublished<{ id: bigint }>('SELECT campaign_budget_id AS id FROM campaign_budget');
    for (const { id } of budgets) expect(html, String(id)).toMatch(new RegExp(`budgets/\\d+/${id}"`));
    expect(html).toContain(`${budgets.length} budgets, last changed first`);
    const own = (await page('/budgets', `customer=${ACCOUNT}`)).html;
    const [sum] = inPublished<{ micros: bigint; budgets: bigint }>(
      `SELECT sum(campaign_budget_amount_micros) AS micros, count(*) AS budgets FROM campaign_budget
       WHERE customer_id = ${ACCOUNT} AND campaign_budget_id NOT IN (SELECT budget_id FROM budget_change)`,
    );
    const [changed] = inPublished<{ micros: bigint; budgets: bigint }>(
      `SELECT sum(to_micros) AS micros, count(*) AS budgets FROM budget_change WHERE customer_id = ${ACCOUNT}`,
    );
    const total = money((sum?.micros ?? 0n) + (changed?.micros ?? 0n));
    const count = (sum?.budgets ?? 0n) + (changed?.budgets ?? 0n);
    expect(own).toContain(`<dt>Daily budgets, EUR</dt><dd>${total} EUR</dd><dd class="change">${count} budgets</dd>`);
    for (const { id } of madeIn()) expect(own).toContain(`>B${id}<`);
  });

  it('name a shared budget as the service does, else by its campaigns', async () => {
    const [{ id } = { id: 0n }] = inPublished<{ id: bigint }>(
      "SELECT campaign_budget_id AS id FROM campaign_budget WHERE campaign_budget_name = 'Zubehör gemeinsam'",
    );
    const path = `/budgets/${ACCOUNT}/${id}`;
    expect((await page('/budgets')).html).toContain('Zubehör gemeinsam');
    const { html } = await page(path);
    expect(html).toContain('<h1>Zubehör gemeinsam</h1>');
    const campaigns = inPublished<{ name: string }>(
      `SELECT campaign_name AS name FROM campaign WHERE campaign_budget_id = ${id} ORDER BY campaign_id LIMIT 2`,
    ).map(({ name }) => name);
    const listed = / · campaigns (.*?)<\/p>/.exec(html)?.[1];
    for (const name of campaigns) expect(listed).toContain(name);
    cpSync(published(), `${published()}.kept`);
    const file = new Database(published());
    file.exec('UPDATE campaign_budget SET campaign_budget_name = NULL');
    file.close();
    const heading = /<h1>.*<\/h1>/.exec((await page(path)).html)?.[0];
    renameSync(`${published()}.kept`, published());
    expect(heading).toMatch(/^<h1>.+, .+<\/h1>$/);
    for (const name of campaigns) expect(heading).toContain(name);
  });

  it('say when budgets are frozen, and where to unfreeze them', async () => {
    writeFileSync(join(folder, 'data', 'FREEZE'), 'a check');
    for (const path of [`/accounts/${ACCOUNT}`, '/budgets']) {
      const { html } = await page(path);
      expect(html).toContain('No budget is changed: frozen by the file FREEZE: a check.');
      expect(html).toMatch(/href="(\.\.?\/)+inbox\?act=unfreeze">Unfreeze budgets</);
    }
    rmSync(join(folder, 'data', 'FREEZE'));
  });

  it('work without the published file', async () => {
    renameSync(published(), `${published()}.away`);
    try {
      for (const [path, query] of [
        ['/', 'from=2026-11-01'],
        [`/accounts/${ACCOUNT}`, ''],
        ['/budgets', ''],
        [`/budgets/${ACCOUNT}/${11087046455n}`, ''],
      ] as const) {
        expect([path, (await page(path, query)).status]).not.toEqual([path, 503]);
      }
      expect((await page(`/accounts/${ACCOUNT}`)).html).toContain('No data of this account is published.');
      expect((await page('/budgets')).html).toContain('last changed first');
    } finally {
      renameSync(`${published()}.away`, published());
    }
  });

  it('do not say that an account has no target if the last run failed', async () => {
    const end = (state: string) => {
      const file = new Database(join(folder, 'data', 'state.sqlite'));
      file.exec(`UPDATE run SET state = '${state}'`);
      file.close();
    };
    expect((await page('/')).html).toContain('No target is set.');
    end('failed');
    const { html } = await page('/');
    end('done');
    expect(html).not.toContain('No target is set.');
    expect(html).toContain('No target is known.');
  });

  it('show the mode of the last run, not of the settings when the server started', async () => {
    const modes = async () => /<li>Mode ([^<]*)<\/li>/.exec((await page('/')).html)?.[1];
    expect(await modes()).toBe('apply');
    const state = new Database(join(folder, 'data', 'state.sqlite'));
    state.exec("UPDATE run SET mode = 'propose'");
    state.close();
    expect(await modes()).toBe('propose');
  });

  it('say what needs somebody outside the filter', async () => {
    const state = await openedState(join(folder, 'data', 'state.sqlite'));
    const proposal = { ...someIntent({ customerId: customerId(ACCOUNT) }), expiresAtMs: Date.parse(NOW) + 3_600_000 };
    await insertProposal(state.db, undefined, proposal, Date.parse(NOW), () => 'K7MX');
    await state.close();
    const needs = async (query: string) =>
      /data-section="needs-you"[\s\S]*?<\/section>/.exec((await page('/', query)).html)?.[0].replace(/<[^>]*>/g, '');
    expect(await needs('')).toContain('awaits approval, rule trim. Approve or reject');
    expect(await needs(`customer=${ACCOUNT}`)).toContain('awaits approval, rule trim. Approve or reject');
    expect(await needs(`customer=${JPY}`)).toContain('Nothing here needs you.1 thing outside this filter needs you.');
  });

  it('work with 10,000 accounts and 20,000 budgets', async () => {
    const file = new Database(published());
    file.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO account (customer_id, name, currency, time_zone) SELECT 5000000000 + i, 'Client ' || i, 'EUR', 'UTC' FROM n`);
    file.exec(
      `INSERT INTO account_day (query, customer_id, date, state) SELECT 'campaign_spend', customer_id, '2026-11-19', 'settled' FROM account WHERE customer_id BETWEEN 5000000001 AND 5000010000`,
    );
    file.exec(
      'INSERT INTO dim_campaign (customer_id, campaign_id) SELECT customer_id, customer_id FROM account WHERE customer_id BETWEEN 5000000001 AND 5000010000',
    );
    file.exec(
      `INSERT INTO campaign_spend_by_day (customer_id, date, campaign_id, cost_micros, clicks, conversions) SELECT customer_id, '2026-11-19', customer_id, 1000000, 1, 0 FROM account WHERE customer_id BETWEEN 5000000001 AND 5000010000`,
    );
    file.exec(
      `INSERT INTO campaign_budget (customer_id, campaign_budget_id, campaign_budget_amount_micros) SELECT customer_id, customer_id * 10 + b, 5000000 FROM account, (SELECT 1 AS b UNION ALL SELECT 2) WHERE customer_id BETWEEN 5000000001 AND 5000010000`,
    );
    file.close();
    const state = new Database(join(folder, 'data', 'state.sqlite'));
    state.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO slice (run_id, query, query_text, customer_id, expected, state, started_at, ended_at)
      SELECT 1, 'campaign_budget', (SELECT query_text FROM slice WHERE query = 'campaign_budget' LIMIT 1), 5000000000 + i, 0, 'done', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z' FROM n`);
    state.close();
    const { html } = await page('/budgets', 'page=2');
    expect(html).toMatch(/20,0\d\d budgets, last changed first/);
    expect(html.match(/href="\.\/budgets\/\d+\/\d+"/g)?.length).toBe(100);
    expect(html).toContain('page=3" rel="next"');
    const overview = (await page('/', 'from=2026-11-19')).html;
    expect(overview.includes('accounts with fewer recent clicks are not included')).toBe(true);
    for (const [, href = ''] of overview.matchAll(/href="([^"]*)"/g)) expect(href.length).toBeLessThan(4_200);
    expect((await page('/accounts/5000000007')).html).toContain('Client 7');
  });
});

describe('the table of a page as CSV', () => {
  const csvOf = async (path: string, query = '') => {
    const { status, file } = await page(path, `?${query}&format=csv`.replace('?&', ''));
    expect(status).toBe(200);
    return {
      name: file?.name,
      rows: parse(String(file?.content ?? ''), { columns: true }) as Record<string, string>[],
    };
  };

  it('has all budgets of the filter, with exact numbers and their currency', async () => {
    const days = 'from=2026-11-10&to=2026-11-16';
    const { name, rows } = await csvOf('/budgets', `${days}&customer=${ACCOUNT}`);
    const { html } = await page('/budgets', `${days}&customer=${ACCOUNT}`);
    expect(html).toContain(`?${days.replace('&', '&amp;')}&amp;customer=${ACCOUNT}&amp;format=csv">CSV</a>`);
    const { file } = await page('/budgets', `?${days}&customer=${ACCOUNT}&format=xlsx`);
    const sheet = strFromU8(
      unzipSync(Buffer.from(file?.content ?? ''))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
    );
    // Below the heads, a row for each of the CSV.
    expect(sheet.match(/<row /g)).toHaveLength(rows.length + 1);
    expect([name, rows.length]).toEqual(['budgets', Number(/(\d+) budgets, last/.exec(html)?.[1])]);
    expect(new Set(rows.map(({ Currency }) => Currency))).toEqual(new Set(['EUR']));
    const [spent] = inPublished<{ micros: bigint }>(
      `SELECT sum(cost_micros) AS micros FROM campaign_spend
       WHERE customer_id = ${ACCOUNT} AND date BETWEEN '2026-11-10' AND '2026-11-16'`,
    );
    const sum = rows.reduce(
      (total, { Spend = '' }) => total + BigInt(Spend.replace('.', '').padEnd(Spend.indexOf('.') + 6, '0')),
      0n,
    );
    expect(sum).toBe(spent?.micros);
  });

  it('has the history of a budget without its acts', async () => {
    const [made] = madeIn();
    const path = `/budgets/${ACCOUNT}/${made?.budget}`;
    expect((await page(path, '', 'approver')).html).toContain('>Undo');
    const { name, rows } = await csvOf(path);
    expect(name).toBe(`budget-${made?.budget}`);
    expect(rows).toMatchObject([{ Currency: 'EUR' }]);
    expect(JSON.stringify(rows)).not.toContain('Undo');
  });
});
