import type { CivilDate } from '../domain/civil-date.ts';
import type { Micros } from '../domain/micros.ts';
import type { SimulatedSums } from '../results/simulation-result.ts';
import { type Budget, unitsOf, type VisitRow } from '../sandbox/market/market.ts';
import type { SimulatedMarket } from '../sandbox/market/simulated-market.ts';

export interface DayTotals extends SimulatedSums {
  readonly date: CivilDate;
  /** In the order of the account's budgets. */
  readonly byBudget: readonly SimulatedSums[];
}

/** Contains all rows of the day. To save memory, keep only the totals. */
export interface SpentDay {
  readonly totals: DayTotals;
  visit(row: VisitRow): void;
}

/** A day's sums are far below 2^53 micros, so they are exact. */
export function spendDay(market: SimulatedMarket, date: CivilDate, amountOf: (budget: Budget) => Micros): SpentDay {
  const { budgets } = market.account;
  const units = unitsOf(market.account);
  const places = new Map(budgets.map((budget, place) => [budget, place]));
  const rows: number[] = [];
  const sums = budgets.map(() => ({ cost: 0, clicks: 0, impressions: 0 }));
  market.spendDay(date, amountOf, (unit, impressions, clicks, costMicros, wanted) => {
    rows.push(unit, impressions, clicks, costMicros, wanted);
    const budget = units[unit]?.campaign.budget;
    const sum = budget && sums[places.get(budget) ?? -1];
    if (sum === undefined) return;
    sum.cost += costMicros;
    sum.clicks += clicks;
    sum.impressions += impressions;
  });
  const byBudget = sums.map(({ cost, clicks, impressions }) => ({ spendMicros: BigInt(cost), clicks, impressions }));
  return {
    totals: { date, byBudget, ...sumOfSpent(byBudget) },
    visit(row) {
      for (let at = 0; at < rows.length; at += 5) {
        row(rows[at] ?? 0, rows[at + 1] ?? 0, rows[at + 2] ?? 0, rows[at + 3] ?? 0, rows[at + 4] ?? 0);
      }
    },
  };
}

export function sumOfSpent(parts: readonly SimulatedSums[]): SimulatedSums {
  return parts.reduce(
    (sum, part) => ({
      spendMicros: sum.spendMicros + part.spendMicros,
      clicks: sum.clicks + part.clicks,
      impressions: sum.impressions + part.impressions,
    }),
    { spendMicros: 0n, clicks: 0, impressions: 0 },
  );
}
