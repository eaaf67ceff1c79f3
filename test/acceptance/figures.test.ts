import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { statusPage } from '../../src/dashboard/status/status-page.ts';
import { micros } from '../../src/domain/micros.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { namedTable, tableOf } from '../support/page-tables.ts';
import { createProduct } from '../support/product.ts';
import { TRIM_QUERIES, TRIMMED } from '../support/trim-rule.ts';

/** Every figure that people read is computed once more, by SQL over the published file that shares no code with it. */

const NOW = '2026-11-20T12:00:00Z';
const CONVERTED = '2026-11-12';
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
let file: Database.Database;
let page: (path: string, query?: string) => Promise<string>;
// biome-ignore lint/suspicious/noExplicitAny: what a command prints is for each test to look at.
let json: any;
let terminal: string;
/** The file of the report. */
let reported: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const name of ['campaign', 'campaign_budget', 'campaign_spend']) {
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  }
  writeFileSync(join(folder, 'rules', 'trim.yaml'), RULE);
  const env = { PACEKEEPER_NOW: NOW };
  expect((await runInProcess(['report'], { folder, env })).code).toBe(0);
  const again = ['report', '--no-extract', '--dry-run'];
  json = JSON.parse((await runInProcess([...again, '--format', 'json'], { folder, env })).stdout);
  terminal = (await runInProcess(again, { folder, env, columns: 140 })).stdout;
  reported = (await runInProcess([...again, '--format', 'html'], { folder, env })).stdout;
  const settings = await readSettings(folder, {}, {});
  page = async (path, query = '') =>
    (await statusPage({ settings, clock: fakeClock(NOW) }, { path, query, role: 'viewer' })).html;
  file = new Database(join(folder, 'data', 'warehouse.sqlite'));
  file.exec(`CREATE TEMP VIEW spend AS SELECT rows.* FROM campaign_spend_by_day AS rows
    JOIN account_day AS day ON day.query = 'campaign_spend' AND day.state = 'settled'
      AND day.customer_id = rows.customer_id AND day.date = rows.date`);
});

afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Sums {
  readonly id: bigint;
  readonly name: string;
  readonly currency: string;
  readonly cost: bigint;
  readonly clicks: bigint;
  readonly conversions: number;
  readonly value: number;
}

/** By account, or by campaign of one account, most spend first. */
function sums(from: string, to: string, customer?: string): Sums[] {
  const [id, name, where] =
    customer === undefined
      ? ['customer_id', 'account.name', 'true']
      : [
          'campaign_id',
          '(SELECT campaign_name FROM dim_campaign AS d WHERE d.campaign_id = spend.campaign_id)',
          `customer_id = ${customer}`,
        ];
  return file
    .prepare<[string, string], Sums>(
      `SELECT ${id} AS id, ${name} AS name, account.currency, sum(cost_micros) AS cost, sum(clicks) AS clicks,
        sum(conversions) AS conversions, sum(conversions_value) AS value
      FROM spend JOIN account USING (customer_id) WHERE date BETWEEN ? AND ? AND ${where} GROUP BY 1 ORDER BY cost DESC`,
    )
    .safeIntegers()
    .all(from, to);
}

function only<Row>(sql: string, ...values: unknown[]): Row {
  return file
    .prepare<unknown[], Row>(sql)
    .pluck()
    .get(...values) as Row;
}

const DIGITS: Readonly<Record<string, number>> = { JPY: 0 };

/** As the pages write it, with and without cents. */
function money(micros: number | bigint, currency: string): string[] {
  const units = Number(micros) / 1e6;
  const digits = [DIGITS[currency] ?? 2, 0].map((places) =>
    units.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places }),
  );
  return [...digits.map((text) => `${text} ${currency}`), ...digits];
}

const whole = (value: number | bigint) => value.toLocaleString('en-US');
const decimal = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
const percent = (now: number, then: number) => {
  const words = Math.abs(now / then - 1).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 0 });
  return `${words === '0%' ? '' : now > then ? '+' : '−'}${words}`;
};
const byName = <Row extends { readonly name: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.name, row]));

describe('the figures of the seeded market', () => {
  it('are those of SQL for a range of days, with its changes', async () => {
    const html = await page('/', 'from=2026-11-06&to=2026-11-15');
    const rows = tableOf(html, /^Figures by account/);
    expect(html).toContain('<span class="note">7 of 10 days</span>');
    const now = sums('2026-11-06', '2026-11-15');
    const before = byName(sums('2026-10-27', '2026-11-05'));
    const converted = byName(sums('2026-11-06', CONVERTED));
    const convertedBefore = byName(sums('2026-10-30', '2026-11-05'));
    const young = byName(sums('2026-11-13', '2026-11-15'));
    expect(rows.map((row) => row.Account).sort()).toEqual(now.map(({ name }) => name).sort());
    for (const { name, currency, cost, clicks, conversions } of now) {
      const row = rows.find(({ Account }) => Account === name);
      const then = before.get(name);
      const complete = converted.get(name);
      const earlier = convertedBefore.get(name);
      if (!row || !then || !complete || !earlier) throw new Error(`${name} is missing`);
      expect(money(cost, currency)).toContain(row.Spend);
      expect(row).toMatchObject({
        Clicks: whole(clicks),
        Conversions: decimal(conversions),
        'Change of spend': percent(Number(cost), Number(then.cost)),
        'Change of clicks': percent(Number(clicks), Number(then.clicks)),
        'Change of conversions': percent(complete.conversions, earlier.conversions),
        'Change of CPA': percent(
          Number(complete.cost) / complete.conversions,
          Number(earlier.cost) / earlier.conversions,
        ),
        'Complete days': '10 of 10',
      });
      expect(row['On days still arriving']).toBe(decimal(young.get(name)?.conversions ?? 0));
      expect(money(Number(complete.cost) / complete.conversions, currency)).toContain(row.CPA);
    }
  });

  it('lead from days whose conversions are still arriving to the newest comparable week', async () => {
    const html = await page('/', 'from=2026-11-12&to=2026-11-18&campaign=o');
    const said =
      /Too early to compare conversions\. The newest comparable week is <a href="([^"]*)">2026-11-06 to 2026-11-12<\/a>/;
    const query = said.exec(html)?.[1]?.replaceAll('&amp;', '&').split('?')[1];
    expect(query).toContain('from=2026-11-06&to=2026-11-12&campaign=');
    const comparable = await page('/', query);
    expect(comparable).not.toContain('Too early');
    const changes = tableOf(comparable, /^Figures by account/).map((row) => row['Change of conversions']);
    expect(changes.length).toBeGreaterThan(1);
    for (const change of changes) expect(change).toMatch(/^[+−]?\d+%$/);
  });

  it('say how many days a change compares if the range has days that are not complete', async () => {
    const html = await page('/', 'from=2026-11-13&to=2026-11-30');
    expect(html).toContain('<span class="note">7 of 18 days, against as many before</span>');
  });

  it('are those of SQL for each campaign and each day', async () => {
    for (const { id, currency } of sums('2026-11-06', '2026-11-15')) {
      const html = await page(`/accounts/${id}`, 'from=2026-11-06&to=2026-11-15');
      const campaigns = tableOf(html, /^Campaigns with most spend/);
      const expected = sums('2026-11-06', '2026-11-15', String(id));
      const converted = byName(sums('2026-11-06', CONVERTED, String(id)));
      expect(campaigns.map(({ Campaign }) => Campaign)).toEqual(expected.map(({ name }) => name));
      for (const [index, { name, cost, clicks, conversions }] of expected.entries()) {
        const row = campaigns[index] ?? {};
        const complete = converted.get(name);
        expect(money(cost, currency)).toContain(row.Spend);
        expect(row).toMatchObject({ Clicks: whole(clicks), Conversions: decimal(conversions) });
        const cpa = complete && complete.conversions > 0 ? Number(complete.cost) / complete.conversions : undefined;
        expect(cpa === undefined ? ['–'] : money(cpa, currency)).toContain(row.CPA);
      }
      const days = tableOf(html, /^Spend per day/);
      expect(days.length).toBe(10);
      for (const { Day = '', Spend } of days) {
        const cost = only<number>('SELECT sum(cost_micros) FROM spend WHERE customer_id = ? AND date = ?', id, Day);
        expect(money(cost, currency)).toContain(Spend);
      }
    }
  });

  it('are those of SQL for the month, on the page, in the terminal and in JSON', async () => {
    const { rows: shown, notes } = namedTable(await page('/'), /^November 2026/);
    expect(json.months.length).toBe(shown.length);
    for (const month of json.months) {
      const id = month.customer_id;
      const [all] = sums('2026-11-01', month.complete_until).filter((one) => String(one.id) === id);
      const [complete] = sums('2026-11-01', CONVERTED).filter((one) => String(one.id) === id);
      const week = only<number>(
        "SELECT sum(cost_micros) FROM spend WHERE customer_id = ? AND date BETWEEN date(?, '-6 days') AND ?",
        id,
        month.complete_until,
        month.complete_until,
      );
      const weekBefore = only<number>(
        "SELECT sum(cost_micros) FROM spend WHERE customer_id = ? AND date BETWEEN date(?, '-13 days') AND date(?, '-7 days')",
        id,
        month.complete_until,
        month.complete_until,
      );
      if (!all || !complete) throw new Error(`${id} is missing`);
      expect(month).toMatchObject({
        spent_micros: Number(all.cost),
        conversions: expect.closeTo(all.conversions, 6),
        conversions_until: CONVERTED,
        conversions_arriving: expect.closeTo(all.conversions - complete.conversions, 6),
        cpa_micros: Math.round(Number(complete.cost) / complete.conversions),
        week_micros: week,
        week_before_micros: weekBefore,
      });
      const at = shown.findIndex(({ Account = '' }) => Account.startsWith(month.name));
      const row = shown[at];
      const line = terminal.split('\n').find((text) => text.includes(month.name) && /\d/.test(text)) ?? '';
      for (const amount of [all.cost, month.month_end_micros, week]) {
        expect(money(amount, month.currency).some((text) => line.includes(text))).toBe(true);
      }
      expect(money(all.cost, month.currency)).toContain(row?.Spent);
      expect(money(month.month_end_micros, month.currency)).toContain(row?.['Month end']);
      const [, ofWeek, change] = /^7 days (.*), (.*)$/.exec(notes[at]?.Spent ?? '') ?? [];
      expect(money(week, month.currency)).toContain(ofWeek);
      expect(change).toBe(percent(week, weekBefore));
      expect(line).toContain(percent(week, weekBefore));
      expect(row?.['Conv.']?.split(' ')[0]).toBe(whole(Math.round(all.conversions)));
      expect(money(month.cpa_micros, month.currency)).toContain(row?.CPA);
    }
  });

  it('are those of SQL in the totals of the run', () => {
    expect(json.totals.length).toBeGreaterThan(10);
    for (const total of json.totals) {
      const { query, customer_id: customer, campaign_id: campaign, days } = total;
      const all = file
        .prepare<unknown[], Record<string, number>>(
          `SELECT sum(impressions) AS impressions, sum(clicks) AS clicks, sum(cost_micros) AS cost_micros,
            total(conversions) AS conversions, total(conversions_value) AS conversions_value,
            total(conversions) FILTER (WHERE date > '${CONVERTED}') AS arriving,
            sum(cost_micros) FILTER (WHERE date <= '${CONVERTED}') / 1e6 AS cost,
            total(conversions) FILTER (WHERE date <= '${CONVERTED}') AS converted,
            total(conversions_value) FILTER (WHERE date <= '${CONVERTED}') AS value
          FROM ${query} WHERE customer_id = ? AND date BETWEEN ? AND ? AND (? IS NULL OR campaign_id = ?)`,
        )
        .get(customer, days.from, days.to, campaign, campaign);
      if (all === undefined) throw new Error(`No row of ${query}`);
      const { impressions, clicks, cost_micros, conversions, cost = 0, converted = 0, value = 0 } = all;
      expect(total).toMatchObject({ impressions, clicks, cost_micros });
      expect(total.conversions).toBeCloseTo(conversions ?? 0, 6);
      if (converted > 0) expect(total.cpa).toBeCloseTo(cost / converted, 6);
      else expect(total.cpa).toBeNull();
      expect(total.roas).toBeCloseTo(value / cost, 6);
      if (campaign === null) expect(total.conversions_arriving).toBeCloseTo(all.arriving ?? 0, 6);
    }
  });

  it('are those of SQL for budgets: the amount, the spend of 28 days, and the part of the amounts in force that was used', async () => {
    const rows = tableOf(await page('/budgets'), / budgets, last changed first/);
    const budgets = file
      .prepare<
        [],
        {
          id: bigint;
          name: string;
          currency: string;
          amount: bigint;
          before: bigint | null;
          day: string;
          cost: bigint;
          listed: bigint;
        }
      >(
        `SELECT b.campaign_budget_id AS id, c.campaign_name AS name, account.currency, coalesce(made.to_micros, b.campaign_budget_amount_micros) AS amount,
          made.from_micros AS before, coalesce(made.account_day, '') AS day, (SELECT coalesce(sum(cost_micros), 0) FROM spend
            WHERE campaign_id = c.campaign_id AND date BETWEEN '2026-10-23' AND '2026-11-19') AS cost
        FROM campaign_budget AS b JOIN account USING (customer_id)
          JOIN campaign AS c ON c.customer_id = b.customer_id AND c.campaign_budget_id = b.campaign_budget_id
          LEFT JOIN budget_change AS made ON made.budget_id = b.campaign_budget_id
        GROUP BY b.campaign_budget_id HAVING count(*) = 1`,
      )
      .safeIntegers()
      .all();
    expect(budgets.length).toBeGreaterThan(5);
    for (const { name, currency, amount, before, cost } of budgets) {
      const row = rows.find(({ Budget = '' }) => Budget.startsWith(name));
      // A change of the 20th comes after the days of the spend.
      const inForce = 28n * (before ?? amount);
      expect(money(amount, currency), name).toContain(row?.['Daily budget']);
      expect(money(cost, currency), name).toContain(row?.Spend);
      expect(row?.Used, name).toBe(
        (Number(cost) / Number(inForce)).toLocaleString('en-US', { style: 'percent', minimumFractionDigits: 1 }),
      );
    }
  });
});

interface Moved {
  readonly name: string;
  readonly currency: string;
  readonly before: number;
  readonly now: number;
  readonly clicksBefore: number;
  readonly clicksNow: number;
}

/** Of one account. Largest change first. */
function moved(customer: bigint | string): Moved[] {
  const now = "date BETWEEN '2026-11-13' AND '2026-11-19'";
  const before = "date BETWEEN '2026-11-06' AND '2026-11-12'";
  return file
    .prepare<unknown[], Moved>(
      `SELECT coalesce(named.campaign_name, 'campaign ' || campaign_id) AS name, account.currency,
        total(cost_micros) FILTER (WHERE ${before}) AS before, total(cost_micros) FILTER (WHERE ${now}) AS now,
        total(clicks) FILTER (WHERE ${before}) AS clicksBefore, total(clicks) FILTER (WHERE ${now}) AS clicksNow
      FROM spend JOIN account USING (customer_id) LEFT JOIN dim_campaign AS named USING (customer_id, campaign_id)
      WHERE customer_id = ? GROUP BY campaign_id HAVING before <> now ORDER BY abs(now - before) DESC`,
    )
    .all(customer);
}

/** Its part of the change of its account, and the whole of it. */
interface Share extends Moved {
  readonly account: string;
  readonly effect: number;
  readonly all: number;
}

interface Week {
  readonly customer_id: string;
  readonly name: string;
  readonly driver: string;
  readonly all: readonly Moved[];
  readonly before: number;
  readonly change: number;
}

const tenths = (share: number) => {
  const words = Math.abs(share).toLocaleString('en-US', { style: 'percent', minimumFractionDigits: 1 });
  return `${words === '0.0%' ? '' : share > 0 ? '+' : '−'}${words}`;
};
const signed = (micros: number, currency: string) =>
  money(Math.abs(micros), currency).map((text) => `${micros > 0 ? '+' : '−'}${text}`);
const sumOf = <Row>(rows: readonly Row[], amountOf: (row: Row) => number) =>
  rows.reduce((sum, row) => sum + amountOf(row), 0);
const ofAccount = (html: string, customer: bigint | string) =>
  html.split('<section aria-labelledby="a').find((part) => part.startsWith(`${customer}"`)) ?? '';

describe('the figures of the seeded market that explain a change', () => {
  it('are those of SQL for movers, on the page and in JSON', async () => {
    const html = await page('/');
    const { rows, notes } = namedTable(html, /^Campaigns with most effect/);
    const weeks: Week[] = json.months.map((month: Week) => {
      const all = moved(month.customer_id);
      const before = sumOf(all, (one) => one.before);
      const change = sumOf(all, (one) => one.now) - before;
      return { ...month, all, before, change };
    });
    expect(weeks.length).toBe(4);
    const shares = new Map<string, Share>();
    for (const { all, name, before, change } of weeks) {
      for (const one of all) {
        shares.set(one.name, { ...one, account: name, effect: (one.now - one.before) / before, all: change / before });
      }
    }
    const sizes = [...shares.values()].map(({ effect }) => tenths(Math.abs(effect)));
    const largest = sizes.toSorted((one, other) => Number.parseFloat(other) - Number.parseFloat(one)).slice(0, 5);
    expect(rows.map(({ Effect = '' }) => Effect.replace('−', '+'))).toEqual(largest);
    expect(html).toContain(`${shares.size - 5} more campaigns below, by account`);
    for (const [index, row] of rows.entries()) {
      const share = shares.get(row.Campaign ?? '');
      if (share === undefined) throw new Error(`${row.Campaign} did not move`);
      expect(signed(share.now - share.before, share.currency), row.Campaign).toContain(row.Change);
      expect(row.Effect).toBe(tenths(share.effect));
      expect(notes[index]).toEqual({
        Campaign: share.account,
        Change: share.before === 0 ? 'new' : tenths((share.now - share.before) / share.before),
        Effect: `all: ${percent(1 + share.all, 1)}`,
      });
    }
    for (const { customer_id: customer, name, all, before, change, driver } of weeks) {
      const own = tableOf(ofAccount(reported, customer), /^2026-11-13 to 2026-11-19 against the seven days before/);
      expect(own.map(({ Campaign }) => Campaign)).toEqual(all.slice(0, 8).map((one) => one.name));
      for (const [index, row] of own.entries()) {
        const one = all[index];
        if (one === undefined) throw new Error(`${row.Campaign} did not move`);
        expect(money(one.before, one.currency), row.Campaign).toContain(row['Spend before']);
        expect(money(one.now, one.currency), row.Campaign).toContain(row['Spend now']);
        expect(signed(one.now - one.before, one.currency), row.Campaign).toContain(row.Change);
        expect(row.Clicks).toBe(`${whole(one.clicksBefore)} → ${whole(one.clicksNow)}`);
        const [first, last] = row['Cost per click']?.split(' → ') ?? [];
        expect([...money(one.before / one.clicksBefore, one.currency), '–']).toContain(first);
        expect([...money(one.now / one.clicksNow, one.currency), '–']).toContain(last);
      }
      const most = all.find((one) => one.now > one.before === change > 0);
      expect(driver).toBe(most?.name);
      const share = percent(before + change, before).replace(/^[+−]/, '');
      const words = share === '0%' ? 'as much as' : `${share} ${change > 0 ? 'more' : 'less'} than`;
      const named = Math.abs(change / before) >= 0.03 ? `, most of all <bdi>${driver}</bdi>` : '';
      expect(await page(`/accounts/${customer}`), name).toContain(`Last 7 days: ${words} the 7 before${named}.`);
    }
  });

  it.each([
    ['the last four weeks', '', '2026-10-23', '2026-11-19'],
    ['a range that is shorter', 'from=2026-11-01&to=2026-11-15', '2026-11-01', '2026-11-15'],
    ['one day', 'from=2026-11-15&to=2026-11-15', '2026-11-15', '2026-11-15'],
  ])('are those of SQL for the means by weekday of %s', async (_, query, from, to) => {
    for (const { customer_id: customer, currency } of json.months) {
      const rows = tableOf(ofAccount(await page(`/accounts/${customer}`, query), customer), /^Means by weekday/);
      expect(rows.map(({ Weekday }) => Weekday)).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
      for (const [index, row] of rows.entries()) {
        const mean = file
          .prepare<unknown[], { days: number; cost: number | null; clicks: number | null }>(
            `SELECT count(*) AS days, avg(cost) AS cost, avg(clicks) AS clicks FROM (
              SELECT sum(cost_micros) AS cost, sum(clicks) AS clicks FROM spend
              WHERE customer_id = ? AND date BETWEEN ? AND ? AND strftime('%w', date) = ? GROUP BY date)`,
          )
          .get(customer, from, to, String((index + 1) % 7));
        expect(row.Days).toBe(String(mean?.days));
        expect(mean?.cost == null ? ['–'] : money(mean.cost, currency), row.Weekday).toContain(row.Spend);
        expect(row.Clicks).toBe(mean?.clicks == null ? '–' : whole(Math.round(mean.clicks)));
      }
    }
  });

  it('are those of SQL for the month’s end, on the page, in the terminal and in JSON', async () => {
    for (const { customer_id: customer, spent_micros: spent, month_end_micros: end } of json.months) {
      // Of each day to come, the mean of its weekday in the 28 newest complete days.
      const toCome = only<number>(
        `WITH RECURSIVE day (date) AS (SELECT '2026-11-20' UNION ALL SELECT date(date, '+1 day') FROM day WHERE date < '2026-11-30')
        SELECT sum((SELECT 1.0 * sum(cost_micros) / count(DISTINCT date) FROM spend
          WHERE customer_id = ? AND date BETWEEN '2026-10-23' AND '2026-11-19'
            AND strftime('%w', spend.date) = strftime('%w', day.date))) FROM day`,
        customer,
      );
      expect(Math.abs(end - spent - toCome)).toBeLessThan(1);
    }
  });

  it('are those of SQL for past months', async () => {
    for (const { customer_id: customer, currency } of json.months) {
      const rows = tableOf(ofAccount(await page(`/accounts/${customer}`), customer), /^By month/);
      const expected = file
        .prepare<unknown[], { month: string; days: number; cost: number; clicks: number }>(
          `SELECT substr(date, 1, 7) AS month, count(DISTINCT date) AS days, sum(cost_micros) AS cost, sum(clicks) AS clicks
          FROM spend WHERE customer_id = ? GROUP BY 1 ORDER BY 1`,
        )
        .all(customer);
      expect(expected.map(({ month }) => month)).toEqual(['2026-10', '2026-11']);
      expect(rows.map(({ Month }) => Month)).toEqual(['October 2026', 'November 2026']);
      for (const [index, { days, cost, clicks }] of expected.entries()) {
        expect(rows[index]).toMatchObject({ 'Complete days': String(days), Clicks: whole(clicks) });
        expect(money(cost, currency)).toContain(rows[index]?.Spend);
        expect(money(cost / clicks, currency)).toContain(rows[index]?.['Cost per click']);
      }
    }
  });

  it('are those of SQL for each change: its amounts, and the days before it', async () => {
    const html = await page('/');
    const changes = file
      .prepare<[], { id: number; before: number; after: number; currency: string; budget: string }>(
        'SELECT id, from_micros AS before, to_micros AS after, currency, budget_id AS budget FROM budget_change ORDER BY id DESC',
      )
      .all();
    const { rows, notes } = namedTable(html, /^Newest changes/);
    expect(changes.length).toBe(3);
    expect(rows.length).toBe(changes.length);
    for (const [index, { id, before, after, currency, budget }] of changes.entries()) {
      const words = [before, after].map((amount) => money(amount, currency)[0]).join(' → ');
      expect(rows[index]?.['Daily budget']).toBe(`${words} (${percent(after, before)})`);
      expect(notes[index]?.['Daily budget']).toBe(`2026-11-20, trim, B${id}`);
      const [cost, clicks] = ['cost_micros', 'clicks'].map((column) =>
        only<number>(
          `SELECT sum(${column}) FROM spend JOIN campaign USING (customer_id, campaign_id)
          WHERE campaign_budget_id = ? AND date BETWEEN '2026-11-13' AND '2026-11-19'`,
          budget,
        ),
      ) as [number, number];
      expect(money(cost / 7, currency)).toContain(rows[index]?.['Spend per day']);
      expect(money(cost / clicks, currency)).toContain(rows[index]?.['Cost per click']);
      expect(notes[index]?.['Spend per day']).toBe('7 days before, 0 after');
    }
  });
});

describe('days that ended after the last read', () => {
  it('are not read yet, unlike days that the read before left out', async () => {
    const product = await createProduct({ queries: TRIM_QUERIES });
    expect((await product.run(['extract'])).code).toBe(0);
    product.execute("DELETE FROM account_day WHERE date = '2026-11-15'");
    const settings = await readSettings(product.folder, {}, product.env());
    const app = { settings, clock: fakeClock('2026-11-22T12:00:00Z') };
    const shown = async (path: string) => (await statusPage(app, { path, query: '', role: 'viewer' })).html;
    const gaps = tableOf(await shown('/coverage'), /^Longest gaps first/).map(({ From, To, State }) => [
      From,
      To,
      State,
    ]);
    expect(gaps).toContainEqual(['2026-11-15', '2026-11-15', 'missing']);
    expect(gaps).toContainEqual(['2026-11-20', '2026-11-21', 'not read yet']);
    expect(await shown('/')).toMatch(/Data quality \(\d+ missing days?, \d+ not read yet\)/);
  });
});

describe('the effect of a change', () => {
  it('ends when a change by others is noticed', async () => {
    const product = await createProduct({
      queries: { ...TRIM_QUERIES, 'campaign.sql': readFileSync('queries/campaign.sql', 'utf8') },
    });
    expect((await product.run(['report'])).code).toBe(0);
    product.at('2026-11-23T10:00:00Z');
    product.sandbox.setBudget(TRIMMED.customerId, TRIMMED.budgetId, micros(58_000_000n));
    for (const day of ['2026-11-23', '2026-11-24', '2026-11-26']) {
      product.at(`${day}T12:00:00Z`);
      expect((await product.run(['report'])).code).toBe(0);
    }
    const [noticed] = product.rows('SELECT account_day AS day FROM foreign_change');
    expect(noticed?.day).toBe('2026-11-23');
    const settings = await readSettings(product.folder, {}, product.env());
    const { html } = await statusPage(
      { settings, clock: fakeClock('2026-11-26T12:00:00Z') },
      { path: '/', query: '', role: 'viewer' },
    );
    const { notes } = namedTable(html, /^Newest changes/);
    const first = notes.find((note) => note['Daily budget']?.endsWith('B1'));
    expect(first?.['Spend per day']).toBe('7 days before, 2 after');
  });
});

describe('the figures of a budget that was cut, taken back, approved and frozen', () => {
  it('are those of SQL on its page, in the list and in the history', async () => {
    const queries = { ...TRIM_QUERIES, 'campaign.sql': readFileSync('queries/campaign.sql', 'utf8') };
    const product = await createProduct({ queries });
    const day = async (date: string, ...commands: readonly (readonly string[])[]) => {
      product.at(`${date}T12:00:00Z`);
      for (const command of commands) expect([command, (await product.run(command)).code]).toEqual([command, 0]);
    };
    await day('2026-11-20', ['report'], ['budgets', 'undo', 'B1', '--why', 'sale']);
    product.reconfigure('approve');
    product.at('2026-11-21T12:00:00Z');
    const { value } = await product.json(['report']);
    await day('2026-11-21', ['budgets', 'approve', value.decisions[0].proposal]);
    await day('2026-11-22', ['freeze', '--why', 'audit'], ['report'], ['unfreeze', '--why', 'done']);
    product.reconfigure('apply');
    await day('2026-11-25', ['report'], ['publish']);
    const made = new Database(join(product.folder, 'data', 'warehouse.sqlite'), { readonly: true });
    onTestFinished(() => void made.close());
    const changes = made
      .prepare<[], { id: number; day: string; before: number; after: number }>(
        'SELECT id, account_day AS day, from_micros AS before, to_micros AS after FROM budget_change ORDER BY id',
      )
      .all();
    const amounts = changes.map(({ before, after }) => [before / 1e6, after / 1e6]);
    expect(amounts).toEqual([
      [60, 51],
      [51, 60],
      [60, 51],
      [51, 43.35],
    ]);

    const settings = await readSettings(product.folder, {}, product.env());
    const show = async (path: string, query = '') =>
      (await statusPage({ settings, clock: fakeClock('2026-11-25T12:00:00Z') }, { path, query, role: 'viewer' })).html;
    const own = tableOf(await show(`/budgets/${TRIMMED.customerId}/${TRIMMED.budgetId}`), /^Newest first, including/);
    const history = (await product.json(['budgets', 'history'])).value.changes;
    for (const { id, before, after } of changes) {
      const words = [before, after].map((amount) => money(amount, 'EUR')[0]);
      expect(Object.values(own.find((row) => Object.values(row).includes(`B${id}`)) ?? {})).toEqual(
        expect.arrayContaining(words),
      );
      expect(history.find((one: { id: number }) => one.id === id)).toMatchObject({
        from_micros: before,
        to_micros: after,
      });
    }
    // The first run read the days since the 13th, so the sum of the month lacks twelve.
    const month = (await product.json(['report', '--no-extract', '--dry-run'])).value.months[0];
    const spent = made.prepare('SELECT sum(cost_micros) FROM stats_by_day WHERE date < ?').pluck().get('2026-11-25');
    expect(month).toMatchObject({ lacked_days: 12, complete_until: '2026-11-24', spent_micros: spent });
    const { stdout } = await product.run(['report', '--no-extract', '--dry-run']);
    expect(stdout).toContain('complete until 2026-11-24, without 12 earlier days.');
    expect(await show(`/accounts/${TRIMMED.customerId}`)).toContain('in November (without 12 earlier days)');
    const [row] = namedTable(await show('/'), /^November 2026/).notes;
    expect(row?.Account).toBe('EUR, complete until 2026-11-24 , without 12 earlier days');

    // The day of a change belongs to no side, nor do days beyond the next change.
    const account = await show(`/accounts/${TRIMMED.customerId}`);
    const { rows: effects, notes } = namedTable(account, /^Newest changes/);
    const sides = [
      { id: 4, before: ['2026-11-22', '2026-11-24'], after: undefined, words: '3 days before, 0 after' },
      { id: 3, before: undefined, after: ['2026-11-22', '2026-11-24'], words: '0 days before, 3 after' },
      { id: 2, before: undefined, after: undefined, words: '0 days before, 0 after' },
      { id: 1, before: ['2026-11-13', '2026-11-19'], after: undefined, words: '7 days before, 0 after' },
    ];
    for (const [index, { id, before, after, words }] of sides.entries()) {
      const row = effects[index];
      const note = notes[index];
      expect(note?.['Daily budget'], `B${id}`).toContain(`B${id}`);
      expect(note?.['Spend per day']).toBe(words);
      const period = (range: readonly string[] | undefined, per: string) =>
        range === undefined
          ? undefined
          : made
              .prepare<unknown[], number>(
                `SELECT 1.0 * sum(cost_micros) / ${per} FROM stats_by_day WHERE date BETWEEN ? AND ?`,
              )
              .pluck()
              .get(...range);
      for (const [title, per] of [
        ['Spend per day', 'count(DISTINCT date)'],
        ['Cost per click', 'sum(clicks)'],
      ] as const) {
        const [first, second] = row?.[title]?.split(' → ') ?? [];
        const sqlBefore = period(before, per);
        const sqlAfter = period(after, per);
        expect(sqlBefore === undefined ? ['–'] : money(sqlBefore, 'EUR'), `B${id} ${title}`).toContain(first);
        expect(sqlAfter === undefined ? [undefined] : money(sqlAfter, 'EUR'), `B${id} ${title}`).toContain(second);
      }
    }
    // Of a day with changes, the highest amount counts: 60 until the 21st, then 51.
    const cost = made
      .prepare<[], number>("SELECT sum(cost_micros) FROM stats_by_day WHERE date BETWEEN '2026-11-20' AND '2026-11-24'")
      .pluck()
      .get();
    const used = tableOf(await show('/budgets', 'from=2026-11-20&to=2026-11-24'), /budget/).find(({ Used }) => Used);
    expect(used?.Used).toBe(
      ((cost ?? 0) / 1e6 / (2 * 60 + 3 * 51)).toLocaleString('en-US', { style: 'percent', minimumFractionDigits: 1 }),
    );
  });
});
