import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { type Served, serveFolder } from '../../browser/served.ts';
import { accountNumber, accountsService, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOON, writeFolder } from '../../support/world.ts';

const ACCOUNTS = 500;
const LAST = accountNumber(ACCOUNTS - 1);
const PAGE_BYTES_MAX = 1_000_000;

const STATS = STATS_QUERY.replace('LAST_7_DAYS', 'LAST_30_DAYS');
const QUERIES = {
  'stats.sql': STATS,
  // Read in one account only.
  'broken.sql': STATS.replace('metrics.clicks', 'metrics.impressions'),
  'budget.sql': 'SELECT campaign.id, campaign.name, campaign_budget.id, campaign_budget.amount_micros FROM campaign',
};
const RULES = {
  'cut.yaml': `description: Cut each budget.
from: stats
for: campaign
over: 7 days
when: clicks >= 1
currency: EUR
change: decrease budget by 10%
limits: { floor: 5, ceiling: 200, step: 20%, cooldown: 3 days }
mode: approve
`,
  'busy.yaml': `description: Tell of clicks.
from: stats
for: account
over: 7 days
when: clicks >= 1
alert: { severity: warning, text: "{clicks} clicks" }
`,
};
const SETTINGS = `automation: { mode: approve, changes_per_run: 1000 }
ads: { retry: { attempts: 1, first_delay_ms: 0 } }
`;

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
let serving: Promise<Served> | undefined;
afterAll(async () => {
  await (await serving)?.close();
  rmSync(folder, { recursive: true });
});

/** One report on 500 accounts. Every fifth account was not read. All others have an alert and a proposal. */
async function serve(): Promise<Served> {
  writeFolder(folder, 'queries', QUERIES);
  writeFolder(folder, 'rules', RULES);
  writeFileSync(join(folder, 'pacekeeper.yaml'), SETTINGS);
  const days = Array.from({ length: 28 }, (_, index) => new Date(Date.parse('2026-10-23') + index * 86_400_000));
  const service = await accountsService({
    accounts: ACCOUNTS,
    onStream: (customer, response, end) => {
      const isBroken = service.texts.at(-1)?.includes('impressions') === true;
      const number = Number(customer) - Number(accountNumber(0)) + 1;
      const isRead = isBroken ? number === 1 : number % 5 !== 1;
      if (isRead) return end(days.map((day) => statsRow(day.toISOString().slice(0, 10), number)));
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"error":{"code":500,"message":"Internal error.","status":"INTERNAL"}}');
    },
  });
  const env = { PACEKEEPER_NOW: NOON, ...service.env };
  const { code, stderr } = await runCli(['report'], { cwd: folder, env });
  expect(code, stderr).toBe(1);
  return serveFolder(folder, env, 'approver');
}

async function pageOf(path: string): Promise<string> {
  serving ??= serve();
  const { address, token } = await serving;
  const answer = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const countOf = (page: string, part: RegExp) => page.match(part)?.length ?? 0;

/** One number of the records. */
function recorded(sql: string): string {
  const file = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
  try {
    return String(file.prepare<[], number>(sql).pluck().get());
  } finally {
    file.close();
  }
}

describe('the dashboard of 500 accounts', () => {
  it.each([
    '/',
    '/inbox',
    '/budgets',
    '/alerts',
    '/coverage',
    '/runs',
    '/runs/1',
    '/search?q=Account',
    '/explore',
    `/accounts/${LAST}`,
  ])('answers %s with a valid page of at most 1 MB, whose list of accounts is short', async (path) => {
    const page = await pageOf(path);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    expect(await htmlFindings(page)).toEqual([]);
    const switcher = /<details class="switch">.*?<\/details>/s.exec(page)?.[0] ?? '';
    const listed = countOf(switcher, /accounts\/\d+/g);
    expect(listed).toBeLessThan(ACCOUNTS / 10);
    expect(textOf(switcher)).toContain(`Search ${ACCOUNTS - listed} more`);
  });

  const OPEN = "SELECT count(*) FROM budget_proposal WHERE state = 'open'";
  const FIRING = "SELECT count(*) FROM alert WHERE kind = 'condition' AND state = 'firing'";
  const WAITING = "SELECT count(*) FROM outbox WHERE state = 'pending'";
  const FAILED = "SELECT count(*) FROM (SELECT DISTINCT query, customer_id FROM slice WHERE state = 'failed')";

  it.each([
    {
      path: '/inbox',
      title: 'Awaiting approval',
      all: OPEN,
      words: 'The first 50 of {}. Filter by account',
      shown: 50,
    },
    { path: '/inbox', title: 'Firing', all: FIRING, words: 'The first 50 of {}. Filter by account', shown: 50 },
    { path: '/alerts', title: 'Firing', all: FIRING, words: 'The first 200 of {}. Filter by day or', shown: 200 },
    {
      path: '/alerts',
      title: 'Waiting to be sent',
      all: WAITING,
      words: 'The newest 200 of {}. Filter by day or',
      shown: 200,
    },
    {
      path: '/coverage',
      title: 'Failed reads',
      all: FAILED,
      words: 'The first 500 of {}. Filter by account',
      shown: 500,
    },
  ])(
    'says on $path that “$title” has $shown, of how many, and how to reach the others',
    async ({ path, title, all, words, shown }) => {
      const page = await pageOf(path);
      const count = recorded(all);
      expect(Number(count)).toBeGreaterThan(shown);
      const [, section = ''] = page.split(`>${title}`);
      const [list = ''] = section.replace(/<thead.*?<\/thead>/s, '').split(/<h2|<\/table>/);
      expect(countOf(list, /<tr|<article/g)).toBe(shown);
      expect(textOf(section.split('<h2')[0] ?? '')).toContain(words.replace('{}', count));
    },
  );

  it('shows all accounts of the run, counts all decisions, and says how many are shown', async () => {
    const page = await pageOf('/runs/1');
    expect(new Set(page.match(/\(10\d{8}\)/g)).size).toBe(ACCOUNTS);
    const asked = recorded("SELECT count(*) FROM decision WHERE kind = 'proposal' AND run_id = 1");
    expect(Number(asked)).toBeGreaterThan(200);
    expect(textOf(page)).toContain(`Budgets: ${asked} asked for approval.`);
    expect(textOf(page)).toContain(`Only the first 200 of ${asked} decisions are shown.`);
    expect(page).not.toContain('Only the first 500 are shown');
  });

  it('says on the overview how many accounts are not shown, and where they are', async () => {
    expect(textOf(await pageOf('/'))).toMatch(
      /\d+ accounts with fewer recent clicks are not shown\. The published table account has all\./,
    );
  });

  it('shows all budgets on pages that lead to each other', async () => {
    const seen = new Set<string>();
    let path: string | undefined = '/budgets';
    while (path !== undefined) {
      const page: string = await pageOf(path);
      expect(textOf(page)).toContain(`${ACCOUNTS} budgets`);
      for (const [, budget = ''] of page.matchAll(/budgets\/(\d+\/\d+)"/g)) seen.add(budget);
      const next: string | undefined = /href="\.?\/?([^"]*)" rel="next"/.exec(page)?.[1];
      path = next && `/${next.replaceAll('&amp;', '&')}`;
    }
    expect(seen.size).toBe(ACCOUNTS);
  });

  it('finds the last account by its name, and says that a short name has more results', async () => {
    const found = textOf(await pageOf(`/search?q=Account+${LAST}`));
    expect(found).toContain('1 result.');
    const many = await pageOf('/search?q=Account');
    expect(textOf(many)).toContain('More than 20 results.');
    expect(textOf(many)).toContain('Type more of the name.');
  });

  it.each([
    {
      path: '/inbox',
      act: /act=(?:acknowledge|silence)&amp;|name="act" value="(?:approve-all|approve|reject)"/g,
      count: 4,
    },
    { path: '/alerts', act: /A\d+/g, count: 1 },
    { path: '/budgets', act: /budgets\/\d+\/\d+"/g, count: 1 },
    { path: '/coverage', act: /last read failed/g, count: 1 },
    { path: '/', act: /Figures/g, count: 1 },
  ])('reaches the last account on $path by its id', async ({ path, act, count }) => {
    const page = await pageOf(`${path}?customer=${LAST}`);
    const body = page.slice(page.indexOf('<main'));
    expect(textOf(body)).toContain(`Account ${LAST}`);
    expect(body).not.toContain(`Account ${accountNumber(1)}<`);
    expect(countOf(body, act)).toBeGreaterThanOrEqual(count);
  });

  it('leads from an account to what it needs in the inbox', async () => {
    const page = await pageOf(`/accounts/${LAST}`);
    expect(page).toContain(`../inbox?customer=${LAST}">Inbox of the account`);
  });
});
