import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDays, daysOf, endOfGrain } from '../../src/domain/civil-date.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../src/domain/rational.ts';
import type { ReportResult } from '../../src/language/results/report-result.ts';
import { seededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { APPLY, createWorld, NOON, type World, type WorldOptions, writeFolder } from '../support/world.ts';

const DE = '4081725530';
const GB = '7350926148';
const US = '6193047821';
const JP = '9264813507';

const SPEND = {
  'campaign_days.sql': `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date BETWEEN :today-60 AND :yesterday`,
};

interface Client extends WorldOptions {
  readonly members?: string;
  readonly amount?: number;
  readonly more?: Readonly<Record<string, string>>;
}

const ALL = `[{ account: ${DE} }, { account: ${GB} }, { account: ${US} }, { account: ${JP} }]`;

const targetOf = (members: string, amount: number) =>
  `description: One amount.\ncurrency: EUR\namount: ${amount}\nmembers: ${members}\nlimits: { floor: 5 }\nmode: apply\n`;

/** The four accounts of the sandbox with one target, and rates of the day. */
async function clientWorld({ members = ALL, amount = 40_000, more = {}, ...options }: Client = {}): Promise<World> {
  const world = await createWorld({ config: APPLY, queries: SPEND, rules: {}, ...options });
  writeFolder(world.folder, 'targets', { 'client.yaml': targetOf(members, amount), ...more });
  const day = (options.now ?? NOON).slice(0, 10);
  const rates = `date,from,to,rate\n${day},GBP,EUR,1.17\n${day},USD,EUR,0.92\n${day},EUR,JPY,165\n`;
  // The day in the zone of an account may still be yesterday.
  const before = rates.replaceAll(day, addDays(day as never, -1)).replace(/^.*\n/, '');
  writeFileSync(join(world.folder, 'exchange_rates.csv'), rates + before);
  return world;
}

const RATES: Readonly<Record<string, Rational>> = {
  EUR: rational(1n),
  GBP: rational(117n, 100n),
  USD: rational(92n, 100n),
  JPY: rational(1n, 165n),
};

/** All running budgets in EUR, as the service has them. */
function budgetsNow({ sandbox }: World): Rational {
  return seededMarket(1)
    .accounts.flatMap(({ customerId, currency, budgets, campaigns }) =>
      budgets
        .filter(({ campaignIds }) =>
          campaigns.some(({ id, status }) => campaignIds.includes(id) && status === 'ENABLED'),
        )
        .map(({ id }) => multiply(rational(sandbox.budgetAmount(customerId, id)), RATES[currency] ?? rational(0n))),
    )
    .reduce(add);
}

const changed = (world: World) =>
  world.rows('state', 'SELECT customer_id, budget_id, rule, to_micros, account_day FROM budget_intent ORDER BY 1, 2');

const whyNot = ({ rules }: ReportResult) => new Set(rules.map(({ notEvaluated }) => notEvaluated));

describe('an account of a target', () => {
  it('that changed its currency withholds the target, because its older costs are in the other one', async () => {
    const world = await clientWorld();
    expect((await world.report()).failures).toEqual([]);
    world.clock.set('2026-11-21T12:00:00Z');
    world.execute(`UPDATE account SET currency = 'EUR' WHERE customer_id = ${GB}`);
    const result = await world.report();
    expect([...whyNot(result)]).toEqual([`account ${GB}: its costs until 2026-11-21 are in another currency`]);
    expect(changed(world).filter(({ account_day }) => account_day === '2026-11-21')).toEqual([]);
  });

  it.each<[what: string, refused: (query: string) => boolean, reason: RegExp]>([
    [
      'misses days',
      (query) => query.includes('metrics.cost_micros'),
      /^account 7350926148: campaign_days has no complete data for 2026-11-01 and \d+ more days$/,
    ],
    ['ended, and can no longer be read', () => true, /^account 7350926148 could not be read$/],
  ])('that %s withholds the target in all accounts, by name', async (_what, refused, reason) => {
    const world = await clientWorld();
    world.fault = ({ customerId, query = '' }) =>
      customerId === GB && refused(query) ? { kind: 'status', status: 403 } : undefined;
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    for (const why of whyNot(result)) expect(why).toMatch(reason);
    expect(result.rules.length).toBeGreaterThanOrEqual(3);
    expect(changed(world)).toEqual([]);
  });

  it('that is not among the accounts of the run withholds the target', async () => {
    const world = await clientWorld({ env: { ADS_CUSTOMER_IDS: [DE, US, JP].join(',') } });
    const result = await world.report();
    expect([...whyNot(result)]).toEqual([`account ${GB} is not among the accounts of this run`]);
    expect(changed(world)).toEqual([]);
  });

  it('changes no budget while budgets are frozen', async () => {
    const world = await clientWorld();
    await world.extract();
    writeFileSync(join(world.dataDir, 'FREEZE'), 'audit\n');
    const { decisions } = await world.report();
    expect(decisions.length).toBeGreaterThan(30);
    expect(new Set(decisions.map(({ code }) => code))).toEqual(new Set(['FROZEN']));
  });
});

describe('a budget', () => {
  it('that also serves a campaign outside the target is never changed', async () => {
    const members = `[{ account: ${DE}, where: "campaign_name NOT LIKE '%Stirnlampen'" }, { account: ${GB} }]`;
    const world = await clientWorld({ members, amount: 9000 });
    await world.report();
    const shared = seededMarket(1).accounts[0]?.budgets.find(({ campaignIds }) => campaignIds.length > 1)?.id;
    const budgets = changed(world).map(({ budget_id }) => String(budget_id));
    expect(budgets.length).toBeGreaterThan(10);
    expect(budgets).not.toContain(shared);
  });

  it('of two targets gets one decision', async () => {
    const other = targetOf(`[{ account: ${DE}, where: "campaign_name LIKE '%e%'" }]`, 2000);
    const world = await clientWorld({ more: { 'other.yaml': other } });
    const { decisions } = await world.report();
    const budgets = changed(world).map(({ customer_id, budget_id }) => `${customer_id} ${budget_id}`);
    expect(new Set(budgets).size).toBe(budgets.length);
    expect(new Set(decisions.flatMap(({ code }) => code ?? []))).toEqual(new Set(['DECIDED_BY_OTHER']));
  });
});

describe('the plan of a day', () => {
  it('lowers all budgets if the target is lowered below what is spent', async () => {
    const world = await clientWorld();
    await world.extract();
    writeFileSync(join(world.folder, 'targets', 'client.yaml'), targetOf(ALL, 900));
    const before = budgetsNow(world);
    const { pacing } = await world.report();
    expect(pacing?.map(({ reading: { state } }) => state)).toEqual(['overspent']);
    expect(compare(budgetsNow(world), multiply(before, rational(1n, 5n)))).toBeLessThan(0);
  });

  it.each<[when: string, now: string, day: string, amount: number]>([
    ['on the 31st', '2026-12-31T12:00:00Z', '2026-12-31', 38_200],
    ['on the 30th of 31 days', '2026-12-30T12:00:00Z', '2026-12-30', 38_200],
    ['on a leap day', '2028-02-29T12:00:00Z', '2028-02-29', 35_200],
    ['before a leap day', '2028-02-28T12:00:00Z', '2028-02-28', 35_200],
    ['while one account is in the next month', '2026-11-30T16:00:00Z', '2026-11-30', 36_500],
    ['while one account is in the month before', '2026-12-01T05:00:00Z', '2026-11-30', 36_500],
  ])('never has more than what is left %s', async (_when, now, day, amount) => {
    const world = await clientWorld({ now, amount });
    const before = budgetsNow(world);
    const { pacing, failures } = await world.report();
    expect(failures).toEqual([]);
    const reading = pacing?.[0]?.reading;
    if (reading === undefined) throw new Error('The target was not paced.');
    expect([reading.today, reading.period.to, reading.state]).toEqual([day, endOfGrain('month', day as never), 'high']);
    const rest = BigInt(daysOf({ from: reading.today, to: reading.period.to }).length);
    const left = subtract(subtract(reading.target, reading.spent), reading.unsettled);
    const after = budgetsNow(world);
    expect(compare(after, before)).toBeLessThan(0);
    expect(compare(multiply(after, rational(rest)), left)).toBeLessThanOrEqual(0);
  });
});
