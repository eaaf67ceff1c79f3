import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { statusPage } from '../../../src/dashboard/status/status-page.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { partsOf } from '../../support/mail-parts.ts';
import { mailServer } from '../../support/mail-server.ts';
import { createProduct } from '../../support/product.ts';
import { NOON, writeFolder } from '../../support/world.ts';

const ACCOUNTS = ['4081725530', '6193047821', '7350926148', '9264813507'];
const SPEND = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const TARGET = `description: Northwind buys 40,000 EUR a month.
currency: EUR
amount: 40000
members: [${ACCOUNTS.map((account) => `{ account: ${account} }`).join(', ')}]
limits: { floor: 5, ceiling: 800 }
`;
const RATES = 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17\n2026-11-19,USD,EUR,0.92\n2026-11-19,EUR,JPY,165\n';
const CONFIG = `alerts:
  recipients: { anna: { email: anna@example.com } }
  digest_at: '08:00'
`;
const NEXT_DAY = '2026-11-21T09:00:00Z';

async function client(rates = RATES) {
  const product = await createProduct({
    queries: { 'campaign_days.sql': SPEND },
    rules: {},
    customers: ACCOUNTS.join(),
    config: CONFIG,
  });
  writeFolder(product.folder, 'targets', { 'northwind.yaml': TARGET });
  writeFileSync(join(product.folder, 'exchange_rates.csv'), rates);
  const mail = await mailServer();
  const env = { EMAIL_URL: `smtp://127.0.0.1:${mail.port}`, EMAIL_FROM: 'pacekeeper@example.org' };
  return {
    product,
    report: (...args: string[]) => product.run(['report', ...args], { env, width: 140 }),
    texts: () =>
      mail.mails.map(({ source }) => partsOf(source).get('text/plain')?.bytes.toString().replaceAll('\r', '') ?? ''),
    reportPage: () => wordsOf(readFileSync(join(product.folder, 'data', 'report.html'), 'utf8')),
    async page(path: string) {
      const settings = await readSettings(product.folder, {}, product.env());
      const { html } = await statusPage({ settings, clock: fakeClock(NOON) }, { path, query: '', role: 'viewer' });
      return wordsOf(html);
    },
    targets: () => product.rows('SELECT * FROM target', 'warehouse'),
  };
}

const wordsOf = (html: string) =>
  html
    .replace(/<(style|script|svg)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');

describe('a withheld target', () => {
  it('says why by name in terminal, JSON, page, tables, digest and mail, and changes nothing', async () => {
    const { product, report, texts, reportPage, targets } = await client(RATES.replace(/.*GBP.*\n/, ''));
    const reason = 'no exchange rate of GBP to EUR is known';
    const { stdout } = await report();
    expect(stdout).toContain(`Target northwind, 4 accounts: withheld: ${reason}.`);
    expect(reportPage()).toContain(`northwind, 4 accounts: withheld: ${reason}.`);
    expect(reportPage()).toContain('1 target withheld.');
    const { value } = await product.json(['report', '--no-extract']);
    expect(value.pacing).toEqual([]);
    expect(value.withheld).toEqual([{ rule: 'northwind', currency: 'EUR', accounts: ACCOUNTS.map(Number), reason }]);
    expect(targets()).toEqual([
      expect.objectContaining({ name: 'northwind', customer_id: null, state: 'withheld', reason, left_micros: null }),
    ]);
    expect(product.rows('SELECT * FROM target_day', 'warehouse')).toEqual([]);
    product.at(NEXT_DAY);
    await report('--mail-to', 'ben@example.com');
    const [digest, mail] = texts().toSorted((one, other) => other.indexOf('since') - one.indexOf('since'));
    expect(digest).toContain(`1 target of several accounts:\n- withheld: ${reason}\n  northwind, 4 accounts`);
    expect(mail).toContain(`northwind, 4 accounts. withheld: ${reason}.`);
    expect(product.sends()).toEqual([]);
  });

  it('names the account that could not be read', async () => {
    const { product, report, reportPage } = await client();
    product.fault = ({ customerId }) =>
      customerId === ACCOUNTS[2] ? { kind: 'status', status: 403, code: 'USER_PERMISSION_DENIED' } : undefined;
    const { stdout } = await report();
    const words = `northwind, 4 accounts: withheld: account ${ACCOUNTS[2]} could not be read.`;
    expect(stdout).toContain(words);
    expect(reportPage()).toContain(words);
  });
});

describe('a target of four accounts in four currencies', () => {
  it('stands once in terminal, JSON, page, digest and mail, with rates, what is left and what would change', async () => {
    const { product, report, texts, reportPage, page, targets } = await client();
    const { stdout } = await report();
    const RATE_WORDS =
      'Rates: 1 USD = 0.92 EUR on 2026-11-19; 1 GBP = 1.17 EUR on 2026-11-19; 1 EUR = 165 JPY on 2026-11-19.';
    const [row = {}] = targets();
    const units = (key: string) => Math.round(Number(row[key]) / 1e6).toLocaleString('en-US');
    const change = `Budgets should change from ${units('budget_micros')} to ${units('should_be_micros')} EUR a day.`;
    const left = `${units('left_micros')} EUR left.`;
    const course = `${units('projected_micros')} EUR, target 40,000 (budgets too high)`;
    const flat = stdout.replace(/\s+/g, ' ');
    expect(flat).toContain(`Target northwind, 4 accounts: will end at ${course}. ${left} ${change} ${RATE_WORDS}`);
    expect(flat).toMatch(/northwind, 4 accounts: \d+ budgets, /);
    expect(flat).not.toContain('Target: none known');
    const shown = `northwind, 4 accounts: on course for ${units('projected_micros')} of 40,000 EUR`;
    expect(reportPage().split(shown)).toHaveLength(2);
    expect(reportPage()).toContain(`${left} ${change} ${RATE_WORDS}`);
    expect(await page(`/accounts/${ACCOUNTS[3]}`)).toContain(shown);
    product.at(NEXT_DAY);
    await report('--mail-to', 'ben@example.com');
    const [digest, mail] = texts().toSorted((one, other) => other.indexOf('since') - one.indexOf('since'));
    expect(digest).toMatch(
      /1 target of several accounts:\n- will end at [\d,]+ EUR, target 40,000 \(.*\)\. [\d,]+ EUR left\.\n {2}northwind, 4 accounts/,
    );
    expect(mail).toMatch(/Targets of several accounts\nnorthwind, 4 accounts\n {2}Spent .*, Left /);
    expect(mail).toContain(RATE_WORDS);
  });

  it('is in no mail about only some of its accounts', async () => {
    const { report, texts, page } = await client();
    await report();
    await report('--no-extract', '--customer', ACCOUNTS[0] ?? '', '--mail-to', 'ben@example.com');
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).not.toContain('northwind');
    expect(await page('/')).toContain('northwind, 4 accounts: withheld: ');
  });
});

describe('the published tables target and target_day', () => {
  it('have a row for each target and day of the newest report, and those of rules with their account', async () => {
    const { product, report, targets } = await client();
    writeFileSync(
      join(product.folder, 'rules', 'month-pacing.yaml'),
      'description: Paces.\nfrom: campaign_days\nfor: account\ncurrency: EUR\nchange: pace budget to 1800 per month\nlimits: { floor: 5 }\nmode: propose\n',
    );
    await report();
    await report('--no-extract');
    expect(
      targets().map(({ id, name, customer_id, subject, currency }) => [id, name, customer_id, subject, currency]),
    ).toEqual([
      [0, 'northwind', null, '4 accounts', 'EUR'],
      [1, 'month-pacing', Number(ACCOUNTS[0]), `account ${ACCOUNTS[0]}`, 'EUR'],
    ]);
    for (const row of targets()) {
      const { id, target_micros, spent_micros, unsettled_micros, left_micros, left_amount, ideal_to_date_micros } = row;
      expect(left_micros).toBe(Number(target_micros) - Number(spent_micros) - Number(unsettled_micros));
      expect(Number(left_amount)).toBeCloseTo(Number(left_micros) / 1e6, 5);
      const days = product.rows(`SELECT * FROM target_day WHERE target_id = ${id} ORDER BY date`, 'warehouse');
      expect(days).toHaveLength(30);
      const sumOf = (key: string, some = days) => some.reduce((sum, day) => sum + Number(day[key]), 0);
      expect(sumOf('ideal_micros')).toBe(target_micros);
      expect(sumOf('cost_micros')).toBe(spent_micros);
      expect(sumOf('ideal_micros', days.slice(0, 19))).toBe(ideal_to_date_micros);
      expect(days.filter(({ cost_micros }) => cost_micros === null).length).toBeGreaterThanOrEqual(11);
    }
    const units = product.rows(
      "SELECT column_name, unit FROM data_dictionary WHERE table_name = 'target' AND column_name IN ('left_micros', 'left_amount') ORDER BY 1",
      'warehouse',
    );
    expect(units.map(({ unit }) => unit)).toEqual(["target's currency", "micros of the target's currency"]);
  });
});
