import { formatMoney } from '../../../domain/micros.ts';
import { formatPercent, formatRational } from '../../../domain/rational.ts';
import { counted } from '../../../domain/wording.ts';
import { windowText } from '../language/window.ts';
import { paceText } from '../pacing/pace-words.ts';
import { type Limits, type Mode, narrower, type Rule } from '../rule.ts';

/** `accounts` are those of a target, each with the campaigns that it selects. */
export type RuleDescription = ReturnType<typeof describeRule> & { readonly accounts?: readonly string[] };

export function describeRule(rule: Rule, widest: Mode) {
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
    lasting: rule.lastingDays > 1 ? counted(rule.lastingDays, 'day') : undefined,
    conversionWindow: rule.conversionDays === undefined ? undefined : counted(rule.conversionDays, 'day'),
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
    step && `step ${formatPercent(step, 6)}`,
    cooldownDays && `cooldown ${counted(cooldownDays, 'day')}`,
    drift && `drift ${formatPercent(drift.share, 6)} over ${counted(drift.days, 'day')}`,
    ...minimum.map(({ name, least }) => `at least ${formatRational(least, 6)} ${name}`),
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(', ');
}
