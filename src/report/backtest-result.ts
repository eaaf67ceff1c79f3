import type { DateRange } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { RuleDescription } from '../rules/describe-rule.ts';
import type { TrialRow, TrialSums } from '../trial/backtest-tally.ts';
import type { AccountResult } from './report-result.ts';

/** What a rule would have done on past days. Nothing was changed for it. */
export interface BacktestResult {
  readonly rule: RuleDescription;
  readonly target: string;
  readonly days: DateRange;
  readonly evaluatedAt: string;
  readonly accounts: readonly AccountResult[];
  /** Of the accounts that it was tried on. */
  readonly trials: readonly AccountBacktest[];
  /** What a reader must know to judge it, one sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

export interface AccountBacktest {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly sums: TrialSums;
  /** What all budgets came to before the first and after the last day, micros. */
  readonly budgets: { readonly begin: bigint; readonly end: bigint };
  /** In the order of the days. */
  readonly rows: readonly TrialRow[];
}
