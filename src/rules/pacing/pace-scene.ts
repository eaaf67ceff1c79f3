import type { CivilDate } from '../../domain/civil-date.ts';
import type { Rational } from '../../domain/rational.ts';
import type { EvaluatedAccount } from '../evaluate/evaluated-account.ts';
import type { Limits } from '../rule.ts';
import type { Pace } from './pace.ts';
import type { Costs, StatusOf } from './paced-budgets.ts';
import type { PacePlan } from './plan-pace.ts';

/** What a pace is evaluated with, beside its subject. */
export interface PaceScene {
  readonly pace: Pace;
  readonly plan: PacePlan;
  /** The days of the plan's month, and those of them from today on. */
  readonly days: readonly CivilDate[];
  readonly rest: readonly CivilDate[];
  /** Of these days, without what is carried over. */
  readonly target: Rational;
  readonly limits: Pick<Limits, 'floor' | 'ceiling'>;
  readonly account: EvaluatedAccount;
  readonly costs: Costs;
  readonly clicks: Costs;
  /** The places of the weeks of an earlier month, by its place in the plan. */
  readonly placesOfEarlier: readonly (readonly (readonly number[])[])[];
  readonly statusOf: StatusOf;
  /** How it is said that no campaign takes part. */
  readonly nobody: string;
}
