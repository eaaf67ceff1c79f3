import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';

/** What days, or the days of one budget, came to. */
export interface SimulatedSums {
  readonly spendMicros: bigint;
  readonly clicks: number;
  readonly impressions: number;
}

/** A whole future of the account. */
export interface SimulatedFuture extends SimulatedSums {
  readonly changes: number;
  readonly alerts: number;
  /** All daily budgets together on the last day. */
  readonly budgetMicrosEnd: bigint;
}

export interface SimulatedDaySums extends SimulatedSums {
  /** All daily budgets together. */
  readonly budgetMicros: bigint;
}

/** What would come of rules: the same demand with them and without. Nothing here happened. */
export interface SimulationResult {
  readonly days: DateRange;
  /** How many days `days` has, and how many before them filled the rules' windows. */
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
  readonly changes: readonly SimulatedChange[];
  readonly alerts: readonly SimulatedAlert[];
  /** What alerts were about beside changes, the most told of first. */
  readonly alerted: readonly AlertedBudget[];
  readonly shocks: readonly SimulatedShock[];
  /** What has to be known to read it, one sentence each. */
  readonly notes: readonly string[];
}

export interface SimulatedBudget {
  readonly budgetId: BudgetId;
  /** Its campaign's name, or how many campaigns share it. */
  readonly label: string;
  readonly fromMicros: Micros;
  readonly toMicros: Micros;
  readonly changes: number;
  readonly with: SimulatedSums;
  readonly without: SimulatedSums;
}

export interface SimulatedRule {
  readonly rule: string;
  /** Subjects that it fired for, added up over the days. */
  readonly fired: number;
  readonly changes: number;
  readonly refused: number;
  /** By the code of the guard, most first. */
  readonly refusedBy: readonly (readonly [code: string, count: number])[];
  readonly alerts: number;
  /** On how many days it was not evaluated, and why on the first of them. */
  readonly notEvaluated: number;
  readonly notEvaluatedWhy: string | undefined;
  /** Why it had no part in it; undefined where it had. */
  readonly leftOut: string | undefined;
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

/** Something that people would be told. */
export interface SimulatedAlert {
  readonly day: CivilDate;
  readonly rule: string;
  /** What was changed, or that something began, still is so, became worse or is over. */
  readonly kind: 'change' | 'first' | 'repeat' | 'escalated' | 'resolved';
  readonly subject: string;
  /** Whose spend shows it; undefined for an account. */
  readonly budgetId: BudgetId | undefined;
  /** The rule's words; undefined where it has none, and for what is over. */
  readonly text: string | undefined;
}

/** A budget that people were told of, and what it spent with the rules. */
export interface AlertedBudget {
  readonly label: string;
  /** By day. Something that is over is no alert. */
  readonly days: readonly { readonly spendMicros: bigint; readonly alerts: number }[];
}

export interface SimulatedShock extends DateRange {
  readonly campaignId: CampaignId;
  readonly campaignName: string;
  /** `surge`, `collapse` or `dear_clicks`. */
  readonly kind: string;
}
