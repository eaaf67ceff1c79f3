import { formatMoney } from '../../domain/micros.ts';
import { formatRational, multiply, type Rational, rational } from '../../domain/rational.ts';
import { windowText } from '../language/window.ts';
import { paceText } from '../pacing/pace-words.ts';
import { type Limits, type Mode, narrower, type Rule } from '../rule.ts';

/** A rule as its file says it, in words. */
export interface RuleDescription {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly from: string;
  readonly for: string;
  readonly where: string | undefined;
  readonly over: string | undefined;
  readonly when: string | undefined;
  /** "2 days" where it must be true for more than one. */
  readonly lasting: string | undefined;
  readonly currency: string | undefined;
  readonly change: string | undefined;
  readonly pace: string | undefined;
  readonly limits: string | undefined;
  /** "paused campaigns" where they count, too. */
  readonly includes: string | undefined;
  readonly alert: string | undefined;
  readonly mode: string;
  /** The narrower of the rule's mode and the settings'. */
  readonly effectiveMode: string;
}

/** `widest` is how far the settings let any rule go. */
export function describeRule(rule: Rule, widest: Mode): RuleDescription {
  const { name, version, description, from, currency, mode } = rule;
  return {
    name,
    version,
    description,
    from,
    currency,
    mode,
    for: rule.for,
    where: rule.where?.text,
    over: rule.over && windowText(rule.over),
    when: rule.when?.text,
    lasting: rule.lastingDays > 1 ? days(rule.lastingDays) : undefined,
    change: rule.change?.text,
    pace: rule.change?.kind === 'pace' ? paceText(rule.change.pace, currency) : undefined,
    limits: limitsText(rule.limits, currency),
    includes: rule.includePaused ? 'paused campaigns' : undefined,
    alert: rule.alert?.written,
    effectiveMode: narrower(mode, widest),
  };
}

function limitsText(limits: Limits, currency: string | undefined): string | undefined {
  const { floor, ceiling, step, cooldownDays, drift, minimum } = limits;
  const parts = [
    floor && `floor ${formatMoney(floor, currency)}`,
    ceiling && `ceiling ${formatMoney(ceiling, currency)}`,
    step && `step ${percent(step)}`,
    cooldownDays && `cooldown ${days(cooldownDays)}`,
    drift && `drift ${percent(drift.share)} over ${days(drift.days)}`,
    ...minimum.map(({ name, least }) => `at least ${formatRational(least, 6)} ${name}`),
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(', ');
}

const days = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;
const percent = (share: Rational): string => `${formatRational(multiply(share, rational(100n)), 6)}%`;
