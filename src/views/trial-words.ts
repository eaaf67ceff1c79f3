import { formatMoneyRounded } from '../domain/micros.ts';
import { listed } from '../domain/wording.ts';
import type { BacktestResult, PastSpend } from '../language/results/report-result.ts';
import { count } from './text/text-layout.ts';

export const HISTORY_DID_NOT_REACT =
  'Costs and clicks come from the real budgets. They do not react to changes by the rule.';

/** Recorded costs do not react, so both results are bounds. */
export function spendWords({ spent, saved, added }: PastSpend, currency: string | undefined): string {
  const money = (amount: bigint) => formatMoneyRounded(amount, currency);
  const effects = [
    ...(saved === 0n ? [] : [`saved up to ${money(saved)}`]),
    ...(added === 0n ? [] : [`spent up to ${money(added)} more`]),
  ];
  const effect = effects.length === 0 ? 'saved and added nothing' : listed(effects);
  return `The complete days cost ${money(spent)}. With its changes, the rule would have ${effect}.`;
}

export function trialWords({ rule, trials }: Pick<BacktestResult, 'rule' | 'trials'>): string {
  const times = trials.reduce((sum, { alerts, sums }) => sum + (alerts ?? sums.changes), 0);
  const did = rule.change === undefined ? `alerted people ${count(times, 'time')}` : `made ${count(times, 'change')}`;
  return `If active, the rule would have ${did}.`;
}
