import { InvariantError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/micros.ts';
import type { AccountAnswer } from '../rules/evaluate/evaluate-rules.ts';
import { describeRule, type RuleDescription } from '../rules/file/describe-rule.ts';
import type { OfTargets } from '../rules/pacing/evaluate-pace.ts';
import type { Shares } from '../rules/pacing/merge-parts.ts';
import type { Mode, Rule } from '../rules/rule.ts';

/** One amount of money for campaigns of several accounts. */
export interface Target {
  readonly name: string;
  readonly currency: string;
  /** The part of the target in each of its accounts: a pacing rule with the target's name. Its amounts are in the target's currency. */
  readonly rules: ReadonlyMap<CustomerId, Rule>;
  /** Undefined splits by need. */
  readonly shares: Shares | undefined;
}

/** The target in words. Its rule stands for those of all accounts. */
export function describeTarget(target: Target, widest: Mode): RuleDescription {
  const accounts = Array.from(target.rules, ([id, { where }]) => (where ? `${id} where ${where.text}` : id));
  return { ...describeRule(targetAsRule(target), widest), accounts };
}

/** The rule that all accounts have in common, with the currency of its amounts. */
export function targetAsRule({ name, currency, rules }: Target): Rule {
  const [first] = rules.values();
  if (first === undefined) throw new InvariantError(`The target ${name} has no account.`);
  return { ...first, currency, where: undefined };
}

/** An account's answers, by the name of the target. */
export type Asked = ReadonlyMap<string, AccountAnswer>;

/** The rule, for a target with its limits in the currency of the account, rounded to their inside. */
export function ruleInAccount(rule: Rule, ofTargets: OfTargets | undefined): Rule {
  const part = ofTargets?.kind === 'decided' ? ofTargets.parts.get(rule.target ?? '') : undefined;
  const rate = part?.kind === 'paced' ? part.finding.reading.rate : undefined;
  if (rate === undefined) return rule;
  const { n, d } = rate.rate;
  const { floor, ceiling } = rule.limits;
  const inAccount = (amount: Micros | undefined, up: bigint) =>
    amount === undefined ? undefined : micros((amount * d + up) / n);
  return { ...rule, limits: { ...rule.limits, floor: inAccount(floor, n - 1n), ceiling: inAccount(ceiling, 0n) } };
}
