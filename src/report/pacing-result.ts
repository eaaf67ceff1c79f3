import type { CustomerId } from '../domain/ids.ts';
import type { LimitName } from '../rules/decision.ts';
import type { PaceReading } from '../rules/pacing/pace-reading.ts';
import type { DecisionResult } from './report-result.ts';
import type { RulesRead } from './rules-result.ts';

/** How the month of one target goes, and what becomes of its budgets. Amounts in micros. */
export interface PacingTarget {
  readonly rule: string;
  readonly customerId: CustomerId;
  /** For people: "Trail Shoes (campaign 21)", "account 1234567890". */
  readonly subject: string;
  /** Undefined where the target is of several. */
  readonly campaignId: string | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: string | undefined;
  readonly currency: string | undefined;
  readonly reading: PaceReading;
  /** What its budgets come to together by what was decided, after every guard; those that nothing changes as they are. */
  readonly shouldBe: bigint;
  /** The limits that held a change, each once. */
  readonly limitedBy: readonly LimitName[];
  /** What became of the rule's own wishes for it: none where it asks for nothing. */
  readonly decisions: readonly DecisionResult[];
  /** What other rules make of its budgets, which `shouldBe` counts too. */
  readonly others: readonly DecisionResult[];
  /** The condition that the reasons of the rule's own decisions begin with. */
  readonly because: string;
}

/** The targets that rules pace budgets to; `rules` are those that pace. */
export interface PacingResult extends RulesRead {
  readonly mode: string;
  /** A rule to begin with where none paces, as a file. */
  readonly example: string | undefined;
  readonly targets: readonly PacingTarget[];
}
