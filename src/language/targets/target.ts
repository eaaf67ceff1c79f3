import type { CustomerId } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/micros.ts';
import type { Shares } from '../rules/pacing/merge-parts.ts';
import type { PaceRate } from '../rules/pacing/pace.ts';
import type { Rule } from '../rules/rule.ts';

/** One amount of money for campaigns of several accounts. */
export interface Target {
  readonly name: string;
  readonly currency: string;
  /** The part of the target in each of its accounts: a pacing rule with the target's name. Its amounts are in the target's currency. */
  readonly rules: ReadonlyMap<CustomerId, Rule>;
  /** Undefined splits by need. */
  readonly shares: Shares | undefined;
}

/** The rule with its limits in the currency of the account, rounded to their inside. */
export function ruleInAccount(rule: Rule, rate: PaceRate | undefined): Rule {
  if (rate === undefined) return rule;
  const { n, d } = rate.rate;
  const { floor, ceiling } = rule.limits;
  const inAccount = (amount: Micros | undefined, up: bigint) =>
    amount === undefined ? undefined : micros((amount * d + up) / n);
  return { ...rule, limits: { ...rule.limits, floor: inAccount(floor, n - 1n), ceiling: inAccount(ceiling, 0n) } };
}
