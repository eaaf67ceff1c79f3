import type { CustomerId } from '../../domain/ids.ts';
import type { Rule } from '../rules/rule.ts';

/** One amount of money for campaigns of several accounts. */
export interface Target {
  readonly name: string;
  readonly currency: string;
  /** The part of the target in each of its accounts: a pacing rule with the target's name, amount and limits. */
  readonly rules: ReadonlyMap<CustomerId, Rule>;
}
