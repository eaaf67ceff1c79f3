import { describe, expect, it } from 'vitest';
import { addDays, type DateRange } from '../../../src/domain/civil-date.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { heldMarket } from '../../../src/sandbox/market/held-market.ts';
import type { Account, Budget, Market } from '../../../src/sandbox/market/market.ts';
import { seededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import {
  SEEDED_CUSTOMERS,
  type SimulatedMarket,
  simulatedMarket,
} from '../../../src/sandbox/market/simulated-market.ts';

const DAY = civilDate('2026-02-11');
const base = ({ baseAmount }: Budget) => baseAmount;
const half = ({ baseAmount }: Budget) => micros(baseAmount / 2n);

type Rows = [unit: number, impressions: number, clicks: number, cost: number][];

function rowsOf(market: SimulatedMarket, date = DAY, amountOf = base): Rows {
  const rows: Rows = [];
  market.spendDay(date, amountOf, (...[unit, impressions, clicks, cost]) =>
    rows.push([unit, impressions, clicks, cost]),
  );
  return rows;
}

function sandboxRows(market: Market, account: Account, amountOf: (budget: Budget) => ReturnType<typeof base>): Rows {
  const rows: Rows = [];
  const moment = { today: addDays(DAY, 3), elapsedShare: 0.5, amountOn: amountOf };
  market.visitDay(account, DAY, moment, (...[unit, impressions, clicks, cost]) =>
    rows.push([unit, impressions, clicks, cost]),
  );
  return rows;
}

describe('a simulated market', () => {
  it('without shocks it has the sandbox’s days, whatever the budgets', () => {
    const sandbox = seededMarket(1);
    expect(sandbox.accounts.map((account) => account.customerId)).toEqual(SEEDED_CUSTOMERS);
    for (const account of sandbox.accounts) {
      const market = simulatedMarket(1, { kind: 'seeded', customerId: account.customerId }, false);
      for (const amountOf of [base, half]) {
        expect(rowsOf(market, DAY, amountOf)).toEqual(sandboxRows(sandbox, account, amountOf));
      }
    }
  });

  it('has seeded shocks of each kind, never two of one campaign at once', () => {
    const year: DateRange = { from: civilDate('2026-01-01'), to: civilDate('2026-12-31') };
    const shocks = simulatedMarket(4, { kind: 'planned', campaigns: 10 }, true).shocksWithin(year);
    const again = simulatedMarket(4, { kind: 'planned', campaigns: 10 }, true).shocksWithin(year);
    expect(again.map(({ campaign, ...shock }) => ({ ...shock, id: campaign.id }))).toEqual(
      shocks.map(({ campaign, ...shock }) => ({ ...shock, id: campaign.id })),
    );
    expect(new Set(shocks.map(({ kind }) => kind))).toEqual(new Set(['surge', 'collapse', 'dear_clicks']));
    for (const [place, shock] of shocks.entries()) {
      const before = shocks[place - 1];
      if (before?.campaign === shock.campaign) expect(before.to < shock.from).toBe(true);
    }
    expect(simulatedMarket(4, { kind: 'planned', campaigns: 10 }, false).shocksWithin(year)).toEqual([]);
  });

  it('a shock changes only its campaign, only on its days', () => {
    const year: DateRange = { from: civilDate('2026-01-01'), to: civilDate('2026-12-31') };
    const [shocked, calm] = [true, false].map((shocks) =>
      simulatedMarket(4, { kind: 'planned', campaigns: 6 }, shocks),
    );
    if (shocked === undefined || calm === undefined) throw new Error('No market.');
    const boundless = () => micros(10n ** 12n);
    for (const { campaign, kind, from, to } of shocked.shocksWithin(year)) {
      const others = (rows: Rows) =>
        rows.filter(([keyword]) => shocked.account.keywords[keyword]?.campaign !== campaign);
      const own = (rows: Rows, at: 1 | 2 | 3) =>
        rows
          .filter(([keyword]) => shocked.account.keywords[keyword]?.campaign === campaign)
          .reduce((sum, row) => sum + row[at], 0);
      const with_ = rowsOf(shocked, from, boundless);
      const without = rowsOf(calm, from, boundless);
      if (shocked.shocksWithin({ from, to: from }).length === 1) expect(others(with_)).toEqual(others(without));
      const clicks = own(with_, 2);
      const before = own(without, 2);
      if (kind === 'surge') expect(clicks).toBeGreaterThan(1.7 * before);
      if (kind === 'collapse') expect(clicks).toBeLessThan(0.3 * before);
      if (kind === 'dear_clicks') expect(own(with_, 3)).toBeGreaterThan(1.4 * own(without, 3));
      const after = addDays(to, 1);
      expect(own(rowsOf(shocked, after, boundless), 2)).toBe(own(rowsOf(calm, after, boundless), 2));
    }
  });

  it('gives each campaign a budget, plus one shared by three from ten campaigns on', () => {
    const accountOf = (campaigns: number) => simulatedMarket(1, { kind: 'planned', campaigns }, true).account;
    expect(accountOf(1).budgets).toHaveLength(1);
    expect(accountOf(9).budgets).toHaveLength(9);
    expect(accountOf(10).budgets.map(({ campaignIds }) => campaignIds.length)).toEqual([3, 1, 1, 1, 1, 1, 1, 1]);
    expect(accountOf(3).currency).toBe('EUR');
    expect(accountOf(1).name).toBe('Simulated account of 1 campaign');
  });
});

describe('a replayed market with limiting budgets', () => {
  const account = seededMarket(1).accounts[0];
  if (account === undefined) throw new Error('No account.');
  const [first, second] = account.campaigns;
  const keywordOf = (campaign: typeof first) => account.keywords.findIndex((keyword) => keyword.campaign === campaign);
  const market: Market = {
    identity: 'market test',
    seed: 1,
    simulatedCost: false,
    accounts: [account],
    days: () => [DAY],
    visitDay(_account, _date, _moment, visit) {
      visit(keywordOf(first), 1000, 100, 100_000_001, 1000);
      visit(keywordOf(first) + 1, 50, 10, 0, 50);
      visit(keywordOf(second), 1000, 10, 7_000_003, 1000);
    },
  };
  const held = heldMarket(market, 1);

  it('spends the file’s cost to the micro if the budget is enough', () => {
    expect(rowsOf(held, DAY, () => micros(200_000_000n)).map(([, ...row]) => row)).toEqual([
      [1000, 100, 100_000_001],
      [50, 10, 0],
      [1000, 10, 7_000_003],
    ]);
  });

  it('removes clicks and impressions if the budget is too small, but keeps those without cost', () => {
    const [dear, free, small] = rowsOf(held, DAY, () => micros(50_000_000n));
    expect(dear?.[3]).toBeGreaterThan(45_000_000);
    expect(dear?.[3]).toBeLessThanOrEqual(51_500_000);
    expect(dear?.[1]).toBeLessThan(600);
    expect([free?.[2], small?.[3]]).toEqual([10, 7_000_003]);
  });

  it('limits costs without a click, too', () => {
    const views = heldMarket(
      {
        ...market,
        visitDay(_account, _date, _moment, visit) {
          visit(keywordOf(first), 1000, 0, 60_000_000, 1000);
          visit(keywordOf(first) + 1, 1000, 40, 40_000_000, 1000);
        },
      },
      1,
    );
    const [seen, clicked] = rowsOf(views, DAY, () => micros(50_000_000n));
    const spent = (seen?.[3] ?? 0) + (clicked?.[3] ?? 0);
    expect(spent).toBeGreaterThan(45_000_000);
    expect(spent).toBeLessThanOrEqual(51_500_000);
    expect(seen?.[3]).toBeLessThan(31_000_000);
    expect(seen?.[1]).toBeLessThan(600);
  });

  it('depends on the seed, not on the file’s name', () => {
    const spent = (name: string, seed: number) =>
      rowsOf(heldMarket({ ...market, identity: name }, seed), DAY, () => micros(50_000_000n));
    expect(spent('market other', 1)).toEqual(spent('market test', 1));
    expect(spent('market test', 2)).not.toEqual(spent('market test', 1));
  });

  it('has only the first account, and no shocks', () => {
    expect(held.account.customerId).toBe(customerId('4081725530'));
    expect(held.days).toEqual({ from: DAY, to: DAY });
    expect(held.shocksWithin({ from: DAY, to: DAY })).toEqual([]);
  });
});
