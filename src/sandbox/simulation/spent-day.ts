import type { CivilDate } from '../../domain/civil-date.ts';
import type { Micros } from '../../domain/micros.ts';
import { addUp, type SimulatedSums } from '../../language/results/simulation-result.ts';
import { type Budget, unitsOf, type VisitRow } from '../market/market.ts';
import { conversionsOf, resultsHash } from '../market/results.ts';
import type { SimulatedMarket } from '../market/simulated-market.ts';

export interface DayTotals extends SimulatedSums {
  readonly date: CivilDate;
  /** In the order of the account's budgets. */
  readonly byBudget: readonly SimulatedSums[];
}

export interface SpentDay {
  readonly totals: DayTotals;
  visit(row: VisitRow): void;
}

/** Sums are exact, because a day costs far less than 2^53 micros. */
export function spendDay(market: SimulatedMarket, date: CivilDate, amountOf: (budget: Budget) => Micros): SpentDay {
  const { budgets } = market.account;
  const units = unitsOf(market.account);
  const places = new Map(budgets.map((budget, place) => [budget, place]));
  const rows: number[] = [];
  const sums = budgets.map(() => ({ cost: 0, clicks: 0, impressions: 0, conversionHundredths: 0, valueHundredths: 0 }));
  market.spendDay(date, amountOf, (index, impressions, clicks, costMicros, wanted) => {
    rows.push(index, impressions, clicks, costMicros, wanted);
    const unit = units[index];
    const sum = unit && sums[places.get(unit.campaign.budget) ?? -1];
    if (unit === undefined || sum === undefined) return;
    sum.cost += costMicros;
    sum.clicks += clicks;
    sum.impressions += impressions;
    const hash = resultsHash(market.seed, market.account, unit);
    for (const { hundredths, valueHundredths, primary } of conversionsOf(hash, date, clicks, unit.campaign.results)) {
      if (!primary) continue;
      sum.conversionHundredths += hundredths;
      sum.valueHundredths += valueHundredths;
    }
  });
  const byBudget = sums.map(({ cost, ...counts }) => ({ spendMicros: BigInt(cost), ...counts }));
  return {
    totals: { date, byBudget, ...addUp(byBudget) },
    visit(row) {
      for (let at = 0; at < rows.length; at += 5) {
        row(rows[at] ?? 0, rows[at + 1] ?? 0, rows[at + 2] ?? 0, rows[at + 3] ?? 0, rows[at + 4] ?? 0);
      }
    },
  };
}
