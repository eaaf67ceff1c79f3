import { MICROS_PER_UNIT, type Micros } from '../../../domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../../domain/rational.ts';
import { exactIn, type Shortfall } from '../evaluate/decided-number.ts';
import { type Findings, unitOf } from '../evaluate/explain.ts';
import type { Candidate } from '../evaluate/subjects.ts';
import type { PaceFinding } from '../pacing/evaluate-pace.ts';
import type { BudgetChange, Rule } from '../rule.ts';
import type { RequestedChange, Subject } from './decision.ts';

export function requestChanges(
  rule: Rule,
  subject: Subject,
  { budgets, stopped }: Pick<Candidate, 'budgets' | 'stopped'>,
  findings: Findings,
  said: Pick<RequestedChange, 'because' | 'numbers' | 'alertText'>,
  pace: PaceFinding | undefined,
  moved: Micros | undefined,
): RequestedChange[] {
  const { change } = rule;
  if (change === undefined) return [];
  const about = { rule, subject, tooLittle: shortfalls(rule, findings), ...said };
  if (change.kind === 'pace') {
    const paced = pace?.reading.budgets ?? [];
    return paced.flatMap(({ budgetId, wanted }) =>
      wanted === undefined ? [] : [{ ...about, budgetId, target: wanted }],
    );
  }
  if (change.kind === 'reallocate')
    return moved === undefined ? [] : [{ ...about, budgetId: subject.budgetId, target: rational(moved) }];
  // This change has no budget id, so that the guards report the unknown budget.
  if (budgets.length === 0 && subject.kind !== 'account') return [{ ...about, budgetId: undefined, target: undefined }];
  return budgets.map(({ budgetId, amount }) => ({
    ...about,
    budgetId,
    stopped: stopped.get(budgetId),
    target: targetOf(change, amount, findings),
  }));
}

/** In micros. Undefined if the value of the expression is unknown. */
function targetOf(
  change: Exclude<BudgetChange, { kind: 'pace' | 'reallocate' }>,
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

function shortfalls({ limits }: Rule, { valueFor }: Findings): Shortfall[] {
  return limits.minimum.flatMap(({ name, value, least }) => {
    const found = valueFor(value);
    const isKnown = typeof found === 'object';
    if (isKnown && compare(found, least) >= 0) return [];
    const unit = unitOf(value);
    return [{ name, found: isKnown ? exactIn(unit, found) : null, least: exactIn(unit, least), unit }];
  });
}
