import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { TrialAlert } from '../trial/conditions.ts';

export interface SimulatedSums {
  readonly spendMicros: bigint;
  readonly clicks: number;
  readonly impressions: number;
  /** Hundredths of a conversion. Integers keep the sums exact. */
  readonly conversionHundredths: number;
  /** Hundredths of a currency unit. */
  readonly valueHundredths: number;
}

export function addUp(parts: readonly SimulatedSums[]): SimulatedSums {
  return parts.reduce(
    (sum, part) => ({
      spendMicros: sum.spendMicros + part.spendMicros,
      clicks: sum.clicks + part.clicks,
      impressions: sum.impressions + part.impressions,
      conversionHundredths: sum.conversionHundredths + part.conversionHundredths,
      valueHundredths: sum.valueHundredths + part.valueHundredths,
    }),
    { spendMicros: 0n, clicks: 0, impressions: 0, conversionHundredths: 0, valueHundredths: 0 },
  );
}

export interface SimulatedFuture extends SimulatedSums {
  readonly changes: number;
  readonly alerts: number;
  readonly budgetMicrosEnd: bigint;
}

export interface SimulatedDaySums extends SimulatedSums {
  readonly budgetMicros: bigint;
}

export interface SimulationResult {
  readonly days: DateRange;
  /** `dayCount` is the number of days in `days`. `warmupCount` is the number of days before `days`. */
  readonly dayCount: number;
  readonly warmupCount: number;
  readonly seed: number;
  readonly market: string;
  readonly account: { readonly customerId: CustomerId; readonly name: string };
  readonly currency: string;
  readonly with: SimulatedFuture;
  readonly without: SimulatedFuture;
  readonly byDay: readonly {
    readonly date: CivilDate;
    readonly with: SimulatedDaySums;
    readonly without: SimulatedDaySums;
    readonly changes: number;
    readonly alerts: number;
  }[];
  readonly budgets: readonly SimulatedBudget[];
  readonly rules: readonly SimulatedRule[];
  readonly targets: readonly SimulatedTarget[];
  readonly changes: readonly SimulatedChange[];
  readonly alerts: readonly SimulatedAlert[];
  readonly alerted: readonly AlertedBudget[];
  readonly shocks: readonly SimulatedShock[];
  readonly notes: readonly string[];
}

export interface SimulatedBudget {
  readonly budgetId: BudgetId;
  readonly label: string;
  readonly fromMicros: Micros;
  readonly toMicros: Micros;
  readonly changes: number;
  readonly with: SimulatedSums;
  readonly without: SimulatedSums;
}

export interface SimulatedRule {
  readonly rule: string;
  readonly fired: number;
  readonly changes: number;
  readonly refused: number;
  readonly refusedBy: readonly (readonly [code: string, count: number])[];
  readonly alerts: number;
  /** Number of days on which the rule was not evaluated. `notEvaluatedWhy` is the first reason. */
  readonly notEvaluated: number;
  readonly notEvaluatedWhy: string | undefined;
  readonly leftOut: string | undefined;
}

/** The months or flights of a target, over all of its accounts. */
export interface SimulatedTarget extends DateRange {
  readonly target: string;
  readonly currency: string | undefined;
  readonly targetMicros: bigint;
  readonly withMicros: bigint;
  readonly withoutMicros: bigint;
}

export interface SimulatedChange {
  readonly day: CivilDate;
  readonly budgetId: BudgetId;
  readonly campaignId: CampaignId | undefined;
  readonly subject: string;
  readonly rule: string;
  readonly fromMicros: Micros;
  readonly toMicros: Micros;
  readonly limitedBy: string | undefined;
  readonly reason: string;
}

export interface SimulatedAlert extends Pick<TrialAlert, 'day' | 'kind' | 'budgetId' | 'text'> {
  readonly rule: string;
  readonly subject: string;
}

export interface AlertedBudget {
  readonly label: string;
  /** `alerts` counts neither budget changes nor ended conditions. */
  readonly days: readonly { readonly spendMicros: bigint; readonly alerts: number }[];
}

export interface SimulatedShock extends DateRange {
  readonly campaignId: CampaignId;
  readonly campaignName: string;
  readonly kind: string;
}
