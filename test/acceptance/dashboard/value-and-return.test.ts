import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { addDays, type CivilDate, daysOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountNumber, accountsService } from '../../support/accounts-service.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { folderStore } from '../../support/folder-store.ts';
import { namedTable, pageTables, tableOf } from '../../support/page-tables.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { writeFolder } from '../../support/world.ts';

const TODAY = civilDate('2026-11-20');
const NOW = `${TODAY}T12:00:00Z`;
/** The newest day that is complete for conversions. */
const CONVERTED = civilDate('2026-11-12');
const FORTNIGHT = { from: civilDate('2026-11-06'), to: civilDate('2026-11-19') };
const RANGE = `from=${FORTNIGHT.from}&to=${FORTNIGHT.to}`;

const QUERY = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, metrics.conversions,
  metrics.conversions_value, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const alertWhen = (when: string) => `description: Tell.
from: stats
for: campaign
over: 7 days
when: ${when}
alert: { severity: warning, text: "{campaign_name}" }
`;
const BY_RETURN = alertWhen('roas < 0.01');

interface Day {
  /** In hundredths of the currency. */
  readonly cost: number;
  readonly value: number;
}

/** By account: a shop whose young days still lack value, a steady one, and one in dollars without cost. */
const SHOPS: readonly ((date: CivilDate) => Day)[] = [
  (date) => ({ cost: 2001, value: date <= '2026-10-31' ? 4010 : date <= CONVERTED ? 5055 : 1010 }),
  () => ({ cost: 1000, value: 3333 }),
  () => ({ cost: 0, value: 3000 }),
];

function sumOf(shops: readonly number[], from: CivilDate, to: CivilDate): Day {
  const days = shops.flatMap((shop) => daysOf({ from, to }).flatMap((date) => SHOPS[shop]?.(date) ?? []));
  return {
    cost: days.reduce((sum, { cost }) => sum + cost, 0),
    value: days.reduce((sum, { value }) => sum + value, 0),
  };
}

const money = (cents: number, currency = '') =>
  `${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} ${currency}`.trim();
const roas = ({ cost, value }: Day) =>
  (value / cost).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = (now: number, then: number) =>
  `${now < then ? '−' : '+'}${Math.abs(now / then - 1).toLocaleString('en-US', { style: 'percent' })}`;

/** Reads the shops once. Pages then read what is published. */
async function shop(rules: Readonly<Record<string, string>>, query = QUERY) {
  const folder = tempDir();
  const store = await folderStore(join(folder, 'data'));
  const { env: service } = await accountsService({
    accounts: SHOPS.length,
    currencies: { [accountNumber(2)]: 'USD' },
    onStream: (customer, _response, end) => {
      const days = daysOf({ from: addDays(TODAY, -30), to: addDays(TODAY, -1) });
      const own = SHOPS.find((_, index) => accountNumber(index) === customer);
      end(
        days.map((date) => {
          const { cost = 0, value = 0 } = own?.(date) ?? {};
          const metrics = {
            clicks: '5',
            costMicros: String(cost * 10_000),
            ...(query.includes('metrics.conversions,') && { conversions: 2 }),
            ...(query.includes('metrics.conversions_value') && { conversionsValue: value / 100 }),
          };
          return { campaign: { id: '1', name: 'C' }, metrics, segments: { date } };
        }),
      );
    },
  });
  writeFolder(folder, 'queries', { 'stats.sql': query });
  writeFolder(folder, 'rules', rules);
  writeFileSync(join(folder, 'pacekeeper.yaml'), '');
  const env = { ...service, ...store.env, PACEKEEPER_NOW: NOW };
  await store.putTables();
  const { code, stderr } = await runInProcess(['report'], { folder, env });
  expect(code, stderr).toBe(0);
  const settings = await readSettings(folder, {}, env);
  return {
    writeRule: (text: string) => writeFileSync(join(folder, 'rules', 'return.yaml'), text),
    page: async (path: string, days = '') =>
      (await statusPage({ settings, clock: fakeClock(NOW) }, { path, query: days, role: 'viewer' })).html,
  };
}

const MONTH = /^November 2026, complete/;

/** The titles of the tables that show conversions. */
async function titles(page: Awaited<ReturnType<typeof shop>>['page']): Promise<string[]> {
  const tables = [
    ...pageTables(await page('/')).filter(({ caption }) => MONTH.test(caption)),
    ...pageTables(await page(`/accounts/${accountNumber(0)}`, RANGE)).filter(({ caption }) =>
      /^(Figures by account|Campaigns with most)/.test(caption),
    ),
  ];
  expect(tables.length).toBe(3);
  return tables.flatMap(({ rows: [first] }) => Object.keys(first ?? {}));
}

describe('value and ROAS', () => {
  it.each<[string, Readonly<Record<string, string>>, string?]>([
    [
      'of a table without values',
      { 'clicks.yaml': alertWhen('clicks < 1') },
      QUERY.replace(/metrics\.conv[^,]*,\s*/g, ''),
    ],
    ['without a rule', {}],
    ['if rules decide by conversions', { 'conversions.yaml': alertWhen('conversions < 1') }],
    [
      'if an alert only names them',
      { 'told.yaml': alertWhen('clicks > 1000').replace('{campaign_name}', '{campaign_name} {roas}') },
    ],
  ])('are not shown %s', async (_, rules, query) => {
    const { page } = await shop(rules, query);
    const shown = await titles(page);
    expect(shown).toContain('Spend');
    expect(shown.filter((title) => /value|roas/i.test(title))).toEqual([]);
    expect((await page('/', RANGE)).includes('conversions_value')).toBe(false);
  });

  it('appear with the first rule that decides by them, from the same published rows, and go with it', async () => {
    const { page, writeRule } = await shop({});
    const before = await titles(page);
    expect(before).not.toContain('ROAS');
    writeRule(alertWhen('roas < wrong'));
    expect(await titles(page)).toEqual(before);
    writeRule(BY_RETURN);
    expect((await titles(page)).filter((title) => !before.includes(title))).toEqual([
      'Value',
      'ROAS',
      'Value',
      'Change of value',
      'ROAS',
      'Change of ROAS',
      'Value',
      'ROAS',
    ]);
    writeRule(alertWhen('clicks < 1'));
    expect(await titles(page)).toEqual(before);
  });

  it.each([
    ['beside conversions', QUERY],
    ['without conversions in the table', QUERY.replace(' metrics.conversions,', '')],
  ])('are those of the rows, to the cent, for a range, its changes and its campaigns, %s', async (_, query) => {
    const { page } = await shop({ 'return.yaml': BY_RETURN }, query);
    const { rows, notes } = namedTable(await page('/', RANGE), /^Figures by account/);
    const lines = [
      { shops: [0], name: `Account ${accountNumber(0)}`, currency: 'EUR' },
      { shops: [1], name: `Account ${accountNumber(1)}`, currency: 'EUR' },
      { shops: [2], name: `Account ${accountNumber(2)}`, currency: 'USD' },
      { shops: [0, 1], name: '2 accounts in EUR', currency: 'EUR' },
    ];
    expect(rows.map(({ Account }) => Account).sort()).toEqual(lines.map(({ name }) => name).sort());
    for (const { shops, name, currency } of lines) {
      const at = rows.findIndex(({ Account }) => Account === name);
      const all = sumOf(shops, FORTNIGHT.from, FORTNIGHT.to);
      const now = sumOf(shops, FORTNIGHT.from, CONVERTED);
      const then = sumOf(shops, civilDate('2026-10-30'), civilDate('2026-11-05'));
      const isFree = all.cost === 0;
      expect(rows[at], name).toMatchObject({
        Spend: money(all.cost, currency),
        Value: money(all.value, currency),
        ROAS: isFree ? '–' : roas(now),
        'Change of ROAS': isFree ? '–' : percent(now.value / now.cost, then.value / then.cost).replace('+0%', '0%'),
        'Change of value': percent(now.value, then.value).replace('+0%', '0%'),
      });
      expect(notes[at]?.ROAS, name).toBe('7 of 14 days');
    }
    const [campaign] = tableOf(await page(`/accounts/${accountNumber(0)}`, RANGE), /^Campaigns with most spend/);
    expect(campaign).toMatchObject({
      Value: money(sumOf([0], FORTNIGHT.from, FORTNIGHT.to).value, 'EUR'),
      ROAS: roas(sumOf([0], FORTNIGHT.from, CONVERTED)),
    });
  });

  it('are those of the month, and its course says which days are still arriving', async () => {
    const { page } = await shop({ 'return.yaml': BY_RETURN });
    const html = await page('/');
    const { rows, notes } = namedTable(html, MONTH);
    for (const [index] of SHOPS.entries()) {
      const at = rows.findIndex(({ Account }) => Account === `Account ${accountNumber(index)}`);
      const { value } = sumOf([index], civilDate('2026-11-01'), FORTNIGHT.to);
      const now = sumOf([index], civilDate('2026-11-01'), CONVERTED);
      expect(rows[at]?.Value).toBe(Math.round(value / 100).toLocaleString('en-US'));
      expect(rows[at]?.ROAS).toBe(now.cost === 0 ? '–' : roas(now));
      expect(notes[at]?.ROAS).toBe(now.cost === 0 ? '' : 'to 12 Nov');
    }
    const labels = [...html.matchAll(/<svg class="small"[^>]*aria-label="([^"]*)"/g)].map(([, label]) => label);
    expect(labels.length).toBe(SHOPS.length);
    for (const label of labels) expect(label).toMatch(/, conversions of the last 7 days still arriving$/);
  });

  it('of days that never had conversions have no course with days still arriving', async () => {
    const { page } = await shop({}, QUERY.replace(/metrics\.conv[^,]*,\s*/g, ''));
    const html = await page('/');
    expect(html).toContain('<svg class="small"');
    expect(html).not.toContain('arriving');
  });
});
