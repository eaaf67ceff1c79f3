import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { byEffort } from '../../support/effort.ts';
import { createProduct, leftBy, type Product, type ProductOptions } from '../../support/product.ts';
import { chartsBelow } from '../../support/terminal-charts.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, budgetId: BUDGET, campaignId } = TRIMMED;
const RANGE = ['--from', '2026-11-02', '--to', '2026-11-19'];
const BACKTEST = ['rules', 'backtest', 'trim'];

/** Told of on days when a campaign had fewer clicks than on the day before: some days, and not on those beside them. */
const FEWER = `description: Fewer clicks than the day before.
from: stats
for: campaign
over: yesterday
when: clicks < clicks over previous 1 day
alert: { severity: info, text: "{clicks} clicks" }
`;

const flat = (text: string): string => text.replace(/\s+/g, ' ');

/** As much as a rule that paces looks at. */
const MONTHS = { 'stats.sql': TRIM_QUERIES['stats.sql'].replace(/DURING \w+/, 'BETWEEN :today-60 AND :yesterday') };

const PACE = `description: 900 EUR a month.
from: stats
for: campaign
currency: EUR
change: pace budget to 900 per month
limits: { floor: 5 }
`;

/** What was read, by the text of the query: it is read once for all tests. */
const histories = new Map<string | undefined, ReturnType<typeof leftBy>>();

async function readOnce(options: ProductOptions): ReturnType<typeof leftBy> {
  const product = await createProduct(options);
  const read = await product.run(['extract', '--from', '2026-10-20', '--to', '2026-11-19']);
  expect(read).toMatchObject({ code: 0 });
  return leftBy(product);
}

/** A product that has read October and November until the 19th at once, and changed nothing. */
async function withHistory(options: ProductOptions = {}): Promise<Product> {
  const query = options.queries?.['stats.sql'];
  const history = histories.get(query) ?? readOnce(options);
  histories.set(query, history);
  return createProduct({ ...options, left: await history });
}

describe('pacekeeper rules backtest', () => {
  it('plays amounts by weekday', async () => {
    const change = 'set budget to 50 on Monday to Friday, 30 on Saturday, else 20';
    const rule = TRIM_RULES['trim.yaml']
      .replace('decrease budget by 15%', change)
      .replace(/when:.*/, 'when: clicks >= 0');
    const product = await withHistory({
      queries: TRIM_QUERIES,
      rules: { 'week.yaml': rule.replace(', step: 20%', '') },
    });
    const { value } = await product.json(['rules', 'backtest', 'week', ...RANGE]);
    const changes = value.rows.map((one: { date: string; to_micros: number }) => [
      one.date.slice(8),
      one.to_micros / 1e6,
    ]);
    expect(changes).toEqual([
      ['02', 50],
      ['07', 30],
      ['08', 20],
      ['09', 50],
      ['14', 30],
      ['15', 20],
      ['16', 50],
    ]);
  });

  it('plays the weekday of each day, and has no hour', async () => {
    const rule = FEWER.replace(/when:.*/, "when: weekday = 'Monday' AND clicks >= 0");
    const hour = FEWER.replace(/when:.*/, 'when: hour >= 9 AND clicks >= 0');
    const product = await withHistory({ queries: TRIM_QUERIES, rules: { 'monday.yaml': rule, 'hour.yaml': hour } });
    const { value } = await product.json(['rules', 'backtest', 'monday', ...RANGE]);
    const days = value.rows.map(({ date }: { date: string }) => date);
    expect(days).toEqual(['2026-11-02', '2026-11-09', '2026-11-16']);
    const { value: ofHour } = await product.json(['rules', 'backtest', 'hour', ...RANGE]);
    expect(ofHour.results).toMatchObject([{ fired: 0, subjects: 18, unknown: 18 }]);
    expect(ofHour.notes).toEqual(['hour uses the hour, which is unknown on a day that is played as a whole.']);
  });

  it('tries a flight on its days, and says so where there are none', async () => {
    const rule = PACE.replace('900 per month', '300 from 2026-11-03 to 2026-11-12');
    const product = await withHistory({ queries: MONTHS, rules: { 'flight.yaml': rule } });
    const { value } = await product.json(['rules', 'backtest', 'flight', ...RANGE]);
    const days = value.rows.map(({ date }: { date: string }) => date);
    expect(days.length).toBeGreaterThan(0);
    expect(days.filter((day: string) => day < '2026-11-03' || day > '2026-11-12')).toEqual([]);
    const after = await product.json(['rules', 'backtest', 'flight', '--from', '2026-11-13', '--to', '2026-11-19']);
    expect([after.value.rows, after.value.notes]).toEqual([
      [],
      ['flight paced until 2026-11-12, so it does nothing on these days.'],
    ]);
  });

  it('shows the actions of each day, builds on earlier simulated days, and changes nothing', async () => {
    const product = await withHistory();
    const { code, value } = await product.json([...BACKTEST, ...RANGE]);
    expect(code).toBe(0);
    expect(value.results[0].alerts).toBeNull();
    const [first, second] = value.rows;
    expect(first).toMatchObject({
      row: 'change',
      date: '2026-11-02',
      rule: 'trim',
      customer_id: EUR,
      campaign_id: campaignId,
      budget_id: BUDGET,
      currency: 'EUR',
      from_micros: 60_000_000,
      to_micros: 51_000_000,
    });
    expect(first.reason).toContain('2026-10-26 to 2026-11-01');
    expect(second).toMatchObject({ date: '2026-11-03', from_micros: 51_000_000, to_micros: 43_350_000 });
    const [result, ...others] = value.results;
    expect(others).toEqual([]);
    // From 60.00 down by 15 % a day, until the floor of 5.00 refuses.
    expect(result).toMatchObject({
      customer_id: EUR,
      currency: 'EUR',
      days: 18,
      evaluated: 18,
      subjects: 18,
      fired: 18,
      changes: 16,
      refused: { AT_FLOOR: 2 },
      as_known: 0,
      restated: 0,
      not_on_record: 18,
    });
    expect(value.rows.at(-1)).toMatchObject({ to_micros: 5_000_000, limited_by: 'floor' });
    expect(result.budgets_begin_micros - result.budgets_end_micros).toBe(55_000_000);
    expect(value.note).toContain('Costs and clicks come from the real budgets.');
    expect(product.mutates()).toEqual([]);
    expect(product.events()).toEqual([]);
    for (const columns of [80, 140]) {
      const { stdout } = await product.run([...BACKTEST, ...RANGE], { columns });
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/60\.00 EUR,? +(to\s+)?51\.00 EUR/);
      expect(flat(stdout)).toContain(first.reason);
      expect(stdout).toContain('Refused: AT_FLOOR 2.');
      expect(flat(stdout)).toMatch(
        /Nothing was changed or sent\. If active, the rule would have made 16 changes, on 16 days from \d+ Nov to \d+ Nov\./,
      );
    }
    const csv = await product.run([...BACKTEST, ...RANGE, '--all', '--format', 'csv']);
    expect(csv.stdout.split('\r\n').filter((line) => /^"?refusal/.test(line))).toHaveLength(2);
  });

  it('also draws the sum of the budgets on a terminal, with and without the rule', async () => {
    const product = await withHistory();
    const args = [...BACKTEST, '--from', '2026-10-24', '--to', '2026-10-31'];
    const shown = await product.run(args, { columns: 80 });
    const piped = await product.run(args, { width: 80 });
    const [chart = [], ...others] = chartsBelow(piped.stdout, shown.stdout);
    expect(others).toEqual([]);
    expect(`\n${chart.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Sum of daily budgets, Alpenkontor Outdoor GmbH (4081725530), EUR:
        ● with the rule  · without
        560.00┤●                                 ···································
              │
              │                                  ●●●●●●●●●
        543.32┤                                           ●●●●●●●●●
              │                                                   ●●●●●●●●●
              │                                                            ●●●●●●●●●
        526.64┤                                                                    ●
              └┬─────────────────────────────────┬─────────────────────────────────┬─
      2026-10-23                        2026-10-27                        2026-10-31
      "
    `);
    const csv = [...args, '--format', 'csv'];
    expect((await product.run(csv, { columns: 80 })).stdout).toBe((await product.run(csv)).stdout);
  });

  it('names days without an evaluation, and fails if budgets cannot be read', async () => {
    const product = await withHistory();
    const args = [...BACKTEST, '--from', '2026-10-24', '--to', '2026-10-29'];
    const { code, stdout } = await product.run(args);
    expect(code).toBe(0);
    expect(flat(stdout)).toContain('Evaluated 3 days with');
    expect(flat(stdout)).toContain(
      'Not evaluated 2026-10-24: stats has no complete data for 2026-10-17 and 2 more days Not evaluated 2026-10-25:',
    );
    product.fault = ({ query }) => (query?.includes('amount_micros') ? { kind: 'status', status: 503 } : undefined);
    const failed = await product.run(args);
    expect(failed.code).toBe(1);
    expect(flat(failed.stdout)).toContain('cannot be read, so the rule was not tried');
  });

  it('takes all days that are known if none are given', async () => {
    const product = await withHistory();
    const { code, value } = await product.json(BACKTEST);
    // The table begins on 20 October, and the rule reads seven days.
    expect([code, value.from, value.to]).toEqual([0, '2026-10-27', '2026-11-19']);
    expect(value.results[0]).toMatchObject({ days: 24, evaluated: 24, not_evaluated: [] });
    const asked = await product.json([...BACKTEST, '--from', value.from, '--to', value.to]);
    expect(value.rows).toEqual(asked.value.rows);
  });

  it('says what the rule would have saved: the cost above the lowered budget, at most the reduction', async () => {
    const product = await withHistory();
    const { value } = await product.json([...BACKTEST, ...RANGE]);
    const days = product.rows(
      `SELECT date, sum(cost_micros) AS cost FROM stats WHERE date BETWEEN '2026-11-02' AND '2026-11-19' GROUP BY date`,
    );
    const amounts = new Map<string, number>();
    for (const { date } of days.toSorted((one, other) => String(one.date).localeCompare(String(other.date)))) {
      const change = value.rows.find((row: { date: string }) => row.date === date);
      amounts.set(String(date), change?.to_micros ?? 5_000_000);
    }
    const saved = days.map(({ date, cost }) => {
      const amount = amounts.get(String(date)) ?? 0;
      return Math.max(0, Math.min(Number(cost), 60_000_000) - amount);
    });
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    expect(sum(saved)).toBeGreaterThan(0);
    expect(value.results[0]).toMatchObject({
      spent_micros: sum(days.map(({ cost }) => Number(cost))),
      saved_micros: sum(saved),
      added_micros: 0,
    });
    const { stdout } = await product.run([...BACKTEST, ...RANGE]);
    expect(flat(stdout)).toMatch(
      /The account spent [\d,.]+ EUR on these complete days\. With its changes, the rule would have saved up to/,
    );
  });

  it('says what a raise could have spent: the raise, on days that used up the budget', async () => {
    const raise = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('decrease budget by 15%', 'increase budget by 5') };
    const product = await withHistory({ rules: raise });
    product.execute(
      `UPDATE stats SET cost_micros = 1 WHERE date IN ('2026-11-02', '2026-11-04')`,
      `UPDATE stats SET cost_micros = 60000000 WHERE date = '2026-11-03'`,
    );
    const { value } = await product.json([...BACKTEST, '--from', '2026-11-02', '--to', '2026-11-04']);
    expect(value.rows.map((row: { to_micros: number }) => row.to_micros)).toEqual([65_000_000, 70_000_000, 75_000_000]);
    expect(value.results[0]).toMatchObject({ saved_micros: 0, added_micros: 10_000_000 });
  });

  it('says nothing of spend if the table has no cost of campaigns', async () => {
    const product = await createProduct({
      queries: {
        'stats.sql':
          'SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS',
      },
      rules: { 'trim.yaml': TRIM_RULES['trim.yaml'].replace(' AND cost / clicks > 2.50', '') },
    });
    await product.run(['extract', '--from', '2026-11-10', '--to', '2026-11-19']);
    const { value } = await product.json([...BACKTEST, '--from', '2026-11-19', '--to', '2026-11-19']);
    expect(value.results[0]).toMatchObject({ spent_micros: null, saved_micros: null, added_micros: null });
  });

  it('names each budget of an account rule by its campaign, like a report', async () => {
    const rule = PACE.replace('for: campaign', 'for: account').replace('900', '700');
    const product = await withHistory({ queries: MONTHS, rules: { 'pace.yaml': rule } });
    const args = ['rules', 'backtest', 'pace', '--from', '2026-11-13', '--to', '2026-11-14'];
    const { value } = await product.json(args);
    const [{ campaign_id, campaign_name, subject }] = value.rows;
    expect(subject).toBe(`${campaign_name} (campaign ${campaign_id})`);
    expect((await product.run(args, { columns: 200 })).stdout).toContain(campaign_name);
  });

  it('starts with the first day in the table, and names the earlier days once', async () => {
    const product = await withHistory();
    const { value } = await product.json([...BACKTEST, '--from', '1990-01-01', '--to', '2026-10-28']);
    expect(value.results[0]).toMatchObject({ evaluated: 2, days: 13_450 });
    expect(value.results[0].not_evaluated[0]).toEqual({
      from: '1990-01-01',
      to: '2026-10-19',
      reason: 'stats holds no complete day before 2026-10-20',
    });
    const { stdout } = await product.run([...BACKTEST, '--from', '1990-01-01', '--to', '2026-10-28'], { columns: 80 });
    expect(stdout).toMatch(/\n *2026-10-19 +2026-10-23 +2026-10-28\n$/);
  });

  it('reports days that an earlier version of the query read', async () => {
    const product = await withHistory();
    product.execute(`UPDATE account_day SET query_text = 'SELECT campaign.id FROM campaign'`);
    const { code, stderr } = await product.run([...BACKTEST, ...RANGE]);
    expect(code).toBe(2);
    expect(flat(stderr)).toMatch(
      /stats was read by an earlier version of its query\. next step: The query of stats has changed since it last read days\. Run pacekeeper extract --query stats --from 2026-10-26 --to 2026-11-19/,
    );
  });

  it('shows what the report of each day would have shown', async () => {
    const product = await withHistory({ queries: MONTHS, rules: { 'fewer.yaml': FEWER, 'pace.yaml': PACE } });
    const days = { from: civilDate('2026-11-13'), to: civilDate('2026-11-19') };
    const { value } = await product.json(['rules', 'backtest', 'fewer', '--from', days.from, '--to', days.to]);
    const paced = await product.json(['rules', 'backtest', 'pace', '--from', days.from, '--to', days.to]);
    const told: [string, string][] = [];
    for (const day of daysOf(days)) {
      product.at(`${day}T12:00:00Z`);
      const evaluated = await product.json(['rules', 'evaluate']);
      if (day === days.from) {
        // The budget is on the first day what it is now.
        const { from_micros, to_micros, reason } = evaluated.value.decisions[0];
        expect(paced.value.rows[0]).toMatchObject({ date: day, from_micros, to_micros, reason });
      }
      told.push(
        ...evaluated.value.alerts.flatMap(({ lines }: { lines: string[] }) => lines.map((line) => [day, line])),
      );
    }
    // The days on which it stays true are not told again.
    const begun = told.filter(
      ([day], index) => told[index - 1]?.[0] !== daysOf({ from: days.from, to: civilDate(day) }).at(-2),
    );
    expect(begun.length).toBeGreaterThan(1);
    expect(value.rows.map((row: { date: string; text: string }) => [row.date, row.text])).toEqual(begun);
    expect(value.results[0]).toMatchObject({ fired: told.length, alerts: begun.length, changes: 0 });
  });

  it('uses the numbers known at the time if on record, and counts those days', async () => {
    const product = await withHistory({ rules: { 'fewer.yaml': FEWER } });
    const args = ['rules', 'backtest', 'fewer', '--from', '2026-11-13', '--to', '2026-11-15'];
    // 13 November was read in time and is what it was, 12 November had half of its clicks: then it is told of one more day.
    product.execute(
      `UPDATE day_reading SET read_at = date(date, '+1 day') || 'T03:00:00Z' WHERE date <> '2026-11-14'`,
      `UPDATE day_reading SET totals = json_set(totals, '$.clicks', '1') WHERE date = '2026-11-12'`,
    );
    const { value } = await product.json(args);
    expect(value.results[0]).toMatchObject({ evaluated: 3, as_known: 0, restated: 2, not_on_record: 1 });
    expect(value.rows[0]).toMatchObject({ date: '2026-11-13', text: '1 clicks' });
    const { stdout } = await product.run(args);
    expect(flat(stdout)).toContain(
      "Evaluated 2 days with corrected numbers scaled to earlier totals and 1 day with today's numbers, because some earlier numbers are not on record",
    );
  });

  it.each(byEffort({ quick: ['"x"'], thorough: ['null', '"x"', '[]'] }))(
    'treats a reading with the total %s as not on record',
    async (total) => {
      const product = await withHistory({ rules: { 'fewer.yaml': FEWER } });
      product.execute(
        `UPDATE day_reading SET read_at = date(date, '+1 day') || 'T03:00:00Z'`,
        `UPDATE day_reading SET totals = json_set(totals, '$.clicks', json('${total}')) WHERE date = '2026-11-12'`,
      );
      const args = ['rules', 'backtest', 'fewer', '--from', '2026-11-13', '--to', '2026-11-15'];
      const { code, value } = await product.json(args);
      expect([code, value.results[0]]).toMatchObject([0, { evaluated: 3, as_known: 1, restated: 0, not_on_record: 2 }]);
    },
  );

  it('undoes recorded changes: rules start fresh, and changes by others apply on their days', async () => {
    const product = await createProduct();
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
    product.at('2026-11-21T12:00:00Z');
    product.sandbox.setBudget(EUR, BUDGET, 100_000_000n as never);
    expect((await product.run(['report', '--no-extract'])).code).toBe(0);
    product.at('2026-11-21T13:00:01Z');
    expect((await product.run(['report', '--no-extract'])).code).toBe(0);
    product.at('2026-11-24T12:00:00Z');
    await product.run(['extract', '--from', '2026-11-10', '--to', '2026-11-23']);
    const range = ['--from', '2026-11-20', '--to', '2026-11-22', '--all'];
    const { value } = await product.json([...BACKTEST, ...range]);
    expect(value.rows).toMatchObject([
      { date: '2026-11-20', row: 'change', from_micros: 60_000_000, to_micros: 51_000_000 },
      { date: '2026-11-21', row: 'refusal', code: 'FOREIGN_CHANGE', budget_id: BUDGET },
      { date: '2026-11-22', row: 'change', from_micros: 100_000_000, to_micros: 85_000_000 },
    ]);
    // In the chart, both lines follow the change by others, from 551.00 and 560.00 to 600.00.
    const { stdout } = await product.run([...BACKTEST, ...range], { columns: 80 });
    expect(stdout).toMatch(/^ +600\.00┤ +●+$/m);
    expect(stdout).toMatch(/^ +│●+·+\n +551\.00┤ +●+$/m);
    // Before all that it was 60.00, whatever it is now.
    const before = await product.json([...BACKTEST, '--from', '2026-11-18', '--to', '2026-11-18']);
    expect(before.value.rows).toMatchObject([{ from_micros: 60_000_000 }]);
  });
});

describe('a backtest without a possible result', () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['names the nearest rule', ['trimm', ...RANGE], /No such rule: found trimm, expected one of trim\./],
    [
      'needs the days in order',
      ['trim', '--from', '2026-11-05', '--to', '2026-11-04'],
      /Invalid range: --from 2026-11-05 is after --to 2026-11-04/,
    ],
    [
      'needs both ends or none',
      ['trim', '--from', '2026-11-05'],
      /Found --from alone, expected both --from and --to\./,
    ],
    [
      'needs data when no days are given',
      ['trim'],
      /No day from 2026-11-19 to 2026-11-19 can be evaluated for trim\..*stats holds no complete day\./,
    ],
    [
      'needs past days',
      ['trim', '--from', '2026-11-05', '--to', '2026-11-20'],
      /Found --to 2026-11-20, expected a past day: in account 4081725530 \(\S+\) today is 2026-11-20\.\s+next step: Set --to to 2026-11-19 or an earlier day\./,
    ],
    [
      'needs days with data',
      ['trim', ...RANGE],
      /No day from 2026-11-02 to 2026-11-19 can be evaluated for trim\. Account 4081725530 on 2026-11-02: stats holds no complete day\.\s+next step: Run pacekeeper extract --query stats --from 2026-10-26 --to 2026-11-19 to read the missing days\./,
    ],
  ];

  it('is refused with a reason and a next step', async () => {
    const product = await createProduct();
    for (const [what, args, message] of cases) {
      const { code, stdout, stderr } = await product.run(['rules', 'backtest', ...args]);
      expect(code, what).toBe(2);
      expect(stdout, what).toBe('');
      expect(flat(stderr), what).toMatch(message);
    }
  });

  it('needs an account in the currency of the rule', async () => {
    const rules = { 'trim.yaml': TRIM_RULES['trim.yaml'].replace('EUR', 'JPY') };
    const { code, stderr } = await (await createProduct({ rules })).run([...BACKTEST, ...RANGE]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Found ${EUR} in EUR, expected an account in JPY for trim.`);
  });
});
