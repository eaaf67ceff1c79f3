import { addDays, daysOf } from '../../domain/civil-date.ts';
import type { AccountBacktest, BacktestResult } from '../../language/results/report-result.ts';
import { drawnAmount } from '../../views/html/wording.ts';
import type { TerminalChart } from '../../views/text/terminal-chart.ts';
import { namesOf, withId } from '../../views/text/text-layout.ts';

/** Days without an evaluation are gaps. */
export function budgetsChart({ days: { from, to }, accounts }: BacktestResult, trial: AccountBacktest): TerminalChart {
  const { customerId, currency, sums, budgets, byDay } = trial;
  const [first = from] = byDay.keys();
  const shown = daysOf({ from: addDays(first, -1), to });
  const amounts = shown.map((day) => {
    if (day < first) return { with: budgets.begin, without: budgets.begin };
    return sums.notEvaluated.some((gap) => gap.from <= day && day <= gap.to) ? undefined : byDay.get(day);
  });
  return {
    title: `Sum of daily budgets, ${withId(customerId, namesOf(accounts))}`,
    unit: currency ?? 'currency unknown',
    x: shown,
    series: [
      { name: 'with the rule', values: amounts.map((amount) => drawnAmount(amount?.with)), stepped: true },
      { name: 'without', values: amounts.map((amount) => drawnAmount(amount?.without)), stepped: true },
    ],
  };
}
