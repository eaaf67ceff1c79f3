import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusPage } from '../../src/dashboard/status/status-page.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { accountNumber, accountsService } from '../support/accounts-service.ts';
import { fakeClock } from '../support/fake-time.ts';
import { htmlFindings } from '../support/html-findings.ts';
import { namedTable, tableOf } from '../support/page-tables.ts';
import { writeFolder } from '../support/world.ts';

/** Names and numbers that a service may have, and that no page may misread. */

const NOW = '2026-11-20T12:00:00Z';
const QUERY = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros,
  metrics.conversions, metrics.conversions_value, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const ODD = accountNumber(0);
const ZONELESS = accountNumber(1);
const REFUNDED = accountNumber(2);
/** From here on, the corrections of the days before are over. */
const CORRECTED = '2026-11-13';
const LONG = 'Boots and tents '.repeat(19).slice(0, 300);
const RIGHT_TO_LEFT = 'נעליים \u202e 50%';
const SCRIPT = '<script>alert(document.cookie)</script>';

interface Campaign {
  readonly id: number;
  readonly name: (date: string) => string;
  readonly cost: (date: string) => number;
  readonly isRemoved?: boolean;
}

const CAMPAIGNS: readonly Campaign[] = [
  { id: 1, name: (date) => `Renamed on ${date}`, cost: () => 10 },
  { id: 2, name: () => 'Removed', cost: (date) => (date <= '2026-11-10' ? 8 : 0), isRemoved: true },
  { id: 3, name: () => LONG, cost: () => 7 },
  { id: 4, name: () => RIGHT_TO_LEFT, cost: () => 6 },
  { id: 5, name: () => SCRIPT, cost: () => 5 },
];
const CORRECTIONS: Campaign = { id: 6, name: () => 'Corrections', cost: (date) => (date < CORRECTED ? -5 : 4) };

const OF_ACCOUNT: Readonly<Record<string, readonly Campaign[]>> = {
  [ODD]: [...CAMPAIGNS, CORRECTIONS],
  [ZONELESS]: CAMPAIGNS.slice(2, 3),
  [REFUNDED]: [CORRECTIONS],
};

function rowOf({ id, name, cost, isRemoved }: Campaign, date: string) {
  // Each day has another cost, so that no wrong day goes unnoticed.
  const micros = cost(date) * 1_000_000 + Number(date.slice(8)) * 10_000;
  return {
    campaign: { id: String(id), name: name(date), status: isRemoved ? 'REMOVED' : 'ENABLED' },
    metrics: { clicks: cost(date) > 0 ? '4' : '0', costMicros: String(micros), conversions: 0, conversionsValue: 0 },
    segments: { date },
  };
}

interface World {
  readonly folder: string;
  readonly service: Readonly<Record<string, string>>;
  readonly file: Database.Database;
  readonly terminal: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is for each test to look at.
  readonly json: any;
}

async function makeWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  const { env: service } = await accountsService({
    accounts: 3,
    timeZones: { [ZONELESS]: undefined },
    onStream: (customer, _response, end) => {
      const days = Array.from({ length: 30 }, (_, index) => new Date(Date.parse('2026-10-21') + index * 86_400_000));
      const dates = days.map((day) => day.toISOString().slice(0, 10));
      end(dates.flatMap((date) => (OF_ACCOUNT[customer] ?? []).map((campaign) => rowOf(campaign, date))));
    },
  });
  writeFolder(folder, 'queries', { 'stats.sql': QUERY });
  writeFolder(folder, 'rules', {});
  writeFileSync(join(folder, 'pacekeeper.yaml'), '');
  const run = async (...args: string[]) => {
    const options = { folder, env: { ...service, PACEKEEPER_NOW: NOW }, columns: 160 };
    const { code, stdout, stderr } = await runInProcess(args, options);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };
  const json = JSON.parse(await run('report', '--format', 'json'));
  const terminal = await run('report', '--no-extract', '--dry-run');
  const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
  return { folder, service, file, terminal, json };
}

let made: Promise<World> | undefined;

/** Its service answers the first test only. */
function world(): Promise<World> {
  made ??= makeWorld();
  return made;
}

afterAll(async () => {
  const { file, folder } = await world();
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path: string, query: string) {
  const { folder, service } = await world();
  const settings = await readSettings(folder, {}, service);
  return statusPage({ settings, clock: fakeClock(NOW) }, { path, query, role: 'viewer' });
}

async function page(path: string, query = ''): Promise<string> {
  return (await open(path, query)).html;
}

interface Spent {
  readonly id: number;
  readonly micros: number;
  readonly clicks: number;
}

/** Of the complete days, most first. */
async function spent(customer: string, from: string, to: string): Promise<Spent[]> {
  const { file } = await world();
  return file
    .prepare<unknown[], Spent>(
      `SELECT campaign_id AS id, sum(cost_micros) AS micros, sum(clicks) AS clicks
      FROM stats_by_day JOIN account_day AS day USING (customer_id, date)
      WHERE day.query = 'stats' AND day.state = 'settled' AND customer_id = ? AND date BETWEEN ? AND ?
      GROUP BY campaign_id ORDER BY micros DESC`,
    )
    .all(customer, from, to);
}

const euros = (micros: number) =>
  `${(micros / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2 }).replace('-', '−')} EUR`;
const plain = (micros: number) => euros(micros).replace('−', '-');
/** A name as pages write it: cut after 79 letters, with a dot for a letter that would turn the text around. */
const shown = (name: string) => name.replace(/^(.{79}).{2,}$/, '$1…').replace('\u202e', '·');
const sumOf = (rows: readonly Spent[]) => rows.reduce((sum, { micros }) => sum + micros, 0);

const RANGES = [
  ['no chosen days', ''],
  ['one day', 'from=2026-11-15&to=2026-11-15'],
  ['ten years', 'from=2016-11-20&to=2026-11-20'],
  ['the future', 'from=2027-01-01&to=2027-12-31'],
  ['days until the future', 'from=2026-11-15&to=2027-12-31'],
] as const;

const PATHS = [
  '/',
  ...Object.keys(OF_ACCOUNT).map((id) => `/accounts/${id}`),
  '/budgets',
  '/coverage',
  '/alerts',
  '/runs',
  '/inbox',
];

describe('the pages of odd campaigns', () => {
  it.each(RANGES)('are whole for %s, and show no name as markup and no number that is none', async (_, query) => {
    for (const path of PATHS) {
      const { status, html } = await open(path, query);
      expect([path, status, await htmlFindings(html)]).toEqual([path, 200, []]);
      expect(html, path).not.toContain(SCRIPT);
      expect(html.replaceAll(/<[^>]*>/g, ' '), path).not.toMatch(/\b(NaN|undefined|null|Infinity|Invalid)\b|\[object/);
    }
  });
});

describe('the figures of odd campaigns', () => {
  it.each([
    ['one day', '2026-11-15', '2026-11-15', '1 of 1'],
    ['a week', '2026-11-13', '2026-11-19', '7 of 7'],
    ['ten years', '2016-11-20', '2026-11-19', '30 of 3652'],
    ['days until the future', '2026-11-15', '2027-12-31', '5 of 412'],
  ])('are those of SQL for %s, under their newest names', async (_, from, to, complete) => {
    const html = await page(`/accounts/${ODD}`, `from=${from}&to=${to}`);
    const [whole] = tableOf(html, /^Figures by account/);
    const expected = await spent(ODD, from, to);
    expect(whole?.['Complete days']).toBe(complete);
    expect([euros(sumOf(expected)), plain(sumOf(expected))]).toContain(whole?.Spend);
    expect(whole?.Conversions).toBe('0');
    for (const rate of ['CPA', 'Change of conversions', 'Change of CPA']) expect(whole?.[rate] ?? '–').toBe('–');
    const rows = tableOf(html, /^Campaigns with most spend/);
    expect(rows.length).toBe(6);
    const nameOf = new Map([...CAMPAIGNS, CORRECTIONS].map(({ id, name }) => [id, shown(name('2026-11-19'))]));
    for (const [index, { id, micros, clicks }] of expected.entries()) {
      const row = rows[index];
      expect(row?.Campaign).toBe(nameOf.get(id));
      expect([euros(micros), plain(micros)], `campaign ${id}`).toContain(row?.Spend);
      expect(row).toMatchObject({ Clicks: String(clicks), Conversions: '0' });
      expect(row?.CPA ?? '–').toBe('–');
    }
  });

  it('say that no day of the future is complete', async () => {
    expect(await page(`/accounts/${ODD}`, 'from=2027-01-01&to=2027-12-31')).toContain(
      'No complete day of the chosen accounts and campaigns is in this range.',
    );
  });

  it('count a campaign that was renamed every day once', async () => {
    const html = await page(`/accounts/${ODD}`);
    const renamed = tableOf(html, /^Campaigns with most spend/).filter(({ Campaign = '' }) =>
      Campaign.startsWith('Renamed'),
    );
    expect(renamed.map(({ Campaign }) => Campaign)).toEqual(['Renamed on 2026-11-19']);
  });
});

describe('the figures of an account with more refunds than spend', () => {
  it('rise if spend rises from below zero: on the pages, in the terminal and in JSON', async () => {
    const { json, terminal } = await world();
    const now = sumOf(await spent(REFUNDED, '2026-11-13', '2026-11-19'));
    const then = sumOf(await spent(REFUNDED, '2026-11-06', '2026-11-12'));
    expect([then < 0, now > 0]).toEqual([true, true]);
    const rise = Math.round(((now - then) / -then) * 100);
    const html = await page(`/accounts/${REFUNDED}`, 'from=2026-11-13&to=2026-11-19');
    expect(tableOf(html, /^Figures by account/)[0]?.['Change of spend']).toBe(`+${rise}%`);
    expect(html).toContain(`Last 7 days: ${rise}% more than the 7 before`);
    const overview = await page('/', `customer=${REFUNDED}`);
    expect(namedTable(overview, /^November 2026/).notes[0]?.Spent).toContain(`, +${rise}%`);
    const { rows, notes } = namedTable(overview, /^Campaigns with most effect/);
    expect(rows).toMatchObject([{ Campaign: 'Corrections', Change: `+${euros(now - then)}` }]);
    const share = (((now - then) / -then) * 100).toFixed(1);
    expect(rows[0]?.Effect).toBe(`+${share}%`);
    expect(notes[0]).toMatchObject({ Change: `+${share}%`, Effect: `all: +${rise}%` });
    const line = terminal.split('\n').find((text) => text.includes(`Account ${REFUNDED}`) && text.includes('EUR'));
    expect(line).toContain(`+${rise}%`);
    const month = json.months.find((one: { customer_id: string }) => one.customer_id === REFUNDED);
    expect(month).toMatchObject({ week_micros: now, week_before_micros: then, cpa_micros: null });
  });
});

describe('the figures of an account without a time zone', () => {
  it('are those of SQL, and the page says that the time zone is unknown', async () => {
    const html = await page('/', `customer=${ZONELESS}`);
    expect(await page(`/accounts/${ZONELESS}`)).toContain(`Account ${ZONELESS}, EUR, time zone unknown.`);
    const micros = sumOf(await spent(ZONELESS, '2026-11-01', '2026-11-30'));
    expect([euros(micros), String(Math.round(micros / 1e6))]).toContain(tableOf(html, /^November 2026/)[0]?.Spent);
  });
});

describe('the window of conversions', () => {
  it('may change: the next page uses the new one', async () => {
    const { folder } = await world();
    const until = async () => /Conversions are complete until ([\d-]+)\./.exec(await page(`/accounts/${ODD}`))?.[1];
    expect(await until()).toBe('2026-11-12');
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'extract: { conversion_window: 14 }\n');
    expect(await until()).toBe('2026-11-05');
  });
});
