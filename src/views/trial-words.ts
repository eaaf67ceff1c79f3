import { formatMoneyRounded, sumOfKnown } from '../domain/micros.ts';
import { listed } from '../domain/wording.ts';
import type { BacktestResult, PastSpend } from '../language/results/report-result.ts';
import type { RuleDescription } from '../language/rules/file/describe-rule.ts';
import { shortDay } from './html/wording.ts';
import { count } from './text/text-layout.ts';

/** A pacing rule looks at the spend of the month each day, and would see what it caused. */
export function historyWords({ pace }: Pick<RuleDescription, 'pace'>): string {
  const history = 'Costs and clicks come from the real budgets. They do not react to changes by the rule.';
  return pace === undefined ? history : `${history} So the rule does not see its own effect, and changes too much.`;
}

/** Per budget and complete day. */
export const EFFECTS_ARE_BOUNDS =
  'A lower budget saves at most its reduction, and a higher one adds at most its raise.';

type Effect = Pick<PastSpend, 'saved' | 'added'>;

/** Recorded costs do not react, so both results are bounds. */
function effectWords({ saved, added }: Effect, currency: string | undefined): string {
  const effects = [
    ...(saved === 0n ? [] : [`saved up to ${formatMoneyRounded(saved, currency)}`]),
    ...(added === 0n ? [] : [`spent up to ${formatMoneyRounded(added, currency)} more`]),
  ];
  return effects.length === 0 ? 'saved and added nothing' : listed(effects);
}

export function spendWords(spend: PastSpend, currency: string | undefined): string {
  const spent = formatMoneyRounded(spend.spent, currency);
  return `The account spent ${spent} on these complete days. With its changes, the rule would have ${effectWords(spend, currency)}.`;
}

type Tried = Pick<BacktestResult, 'rule' | 'trials'>;

/** The sums of the accounts with changes, by currency. */
export function effectsWords({ trials }: Pick<Tried, 'trials'>): string[] {
  const changed = trials.filter(({ sums, spend }) => sums.changes > 0 && spend !== undefined);
  return [...Map.groupBy(changed, ({ currency }) => currency)].map(([currency, own]) => {
    const sum = (key: 'spent' | 'saved' | 'added') => sumOfKnown(own.map(({ spend }) => spend?.[key])) ?? 0n;
    const effect = effectWords({ saved: sum('saved'), added: sum('added') }, currency);
    return `It would have ${effect}, in ${count(own.length, 'account')} that spent ${formatMoneyRounded(sum('spent'), currency)}.`;
  });
}

const DAYS_NAMED = 3;

export function trialWords({ rule, trials }: Tried): string {
  const times = trials.reduce((sum, { alerts, sums }) => sum + (alerts ?? sums.changes), 0);
  const did = rule.change === undefined ? `alerted people ${count(times, 'time')}` : `made ${count(times, 'change')}`;
  const acts = trials.flatMap(({ rows }) => rows.filter(({ kind }) => kind !== 'refusal'));
  const days = [...new Set(acts.map(({ day }) => day))].toSorted();
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return `If active, the rule would have ${did}.`;
  const named = listed(days.map(shortDay));
  const on = days.length <= DAYS_NAMED ? named : `${days.length} days from ${shortDay(first)} to ${shortDay(last)}`;
  return `If active, the rule would have ${did}, on ${on}.`;
}
