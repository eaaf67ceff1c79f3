import { MICROS_PER_UNIT } from '../domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../domain/rational.ts';
import type { CheckedValue } from './checked-expression.ts';
import type { Subject, Wish } from './decision.ts';
import type { Findings } from './explain.ts';
import { formatAmountIn, formatNumber, meaningOf } from './format-value.ts';
import type { PaceFinding } from './pacing/evaluate-pace.ts';
import type { BudgetChange, Rule } from './rule.ts';
import type { Candidate } from './subjects.ts';

/** The changes that a rule wishes for when it fires: one for each budget; one without a budget where it is not known. */
export function makeWishes(
  rule: Rule,
  subject: Subject,
  { budgets, stopped }: Pick<Candidate, 'budgets' | 'stopped'>,
  findings: Findings,
  texts: Pick<Wish, 'because' | 'alertText'>,
): Wish[] {
  const { change } = rule;
  if (change === undefined || change.kind === 'pace') return [];
  const tooLittle = describeTooLittle(rule, findings);
  const about = { rule, subject, tooLittle, ...texts };
  if (budgets.length === 0 && subject.kind !== 'account') return [{ ...about, budgetId: undefined, target: undefined }];
  return budgets.map(({ budgetId, amount }) => ({
    ...about,
    budgetId,
    stopped: stopped.get(budgetId),
    target: targetOf(change, amount, findings),
  }));
}

/** Those of a rule that paces: one for each budget that is to be changed. */
export function makePaceWishes(
  rule: Rule,
  subject: Subject,
  { reading }: PaceFinding,
  findings: Findings,
  texts: Pick<Wish, 'because' | 'alertText'>,
): Wish[] {
  const about = { rule, subject, tooLittle: describeTooLittle(rule, findings), ...texts };
  return reading.budgets.flatMap(({ budgetId, wanted }): Wish[] => {
    return wanted === undefined ? [] : [{ ...about, budgetId, target: wanted }];
  });
}

/** Micros; undefined where the change's expression is unknown. */
function targetOf(
  change: Exclude<BudgetChange, { kind: 'pace' }>,
  amount: bigint,
  { valueFor }: Findings,
): Rational | undefined {
  const before = rational(amount);
  if (change.kind === 'to') {
    const value = valueFor(change.value);
    return typeof value === 'object' ? multiply(value, rational(MICROS_PER_UNIT)) : undefined;
  }
  const by = change.by.kind === 'share' ? multiply(before, change.by.share) : rational(change.by.amount);
  return change.direction === 'increase' ? add(before, by) : subtract(before, by);
}

/** "12 clicks, at least 30 are needed"; undefined when there is enough of everything. */
function describeTooLittle({ limits }: Rule, { valueFor, currency }: Findings): string | undefined {
  const missing = limits.minimum.flatMap(({ name, value, least }) => {
    const found = valueFor(value);
    if (typeof found === 'object' && compare(found, least) >= 0) return [];
    const isMoney = meaningOf(value) === 'money';
    const needed = `at least ${written(least, value, currency)} ${isMoney ? 'is' : 'are'} needed`;
    if (typeof found !== 'object') return [`${name} unknown, ${needed}`];
    const amount = written(found, value, currency);
    return [isMoney ? `${name} of ${amount}, ${needed}` : `${amount} ${name}, ${needed}`];
  });
  return missing.length > 0 ? missing.join('; ') : undefined;
}

function written(number: Rational, like: CheckedValue, currency: string | undefined): string {
  return meaningOf(like) === 'money' ? formatAmountIn(number, currency) : formatNumber(number);
}
