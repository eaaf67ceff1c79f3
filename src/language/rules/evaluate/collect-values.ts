import { unreachable } from '../../../domain/errors.ts';
import type { CheckedCondition, CheckedValue } from '../check/checked-expression.ts';
import type { Alert, Rule } from '../rule.ts';

interface ValueHolders extends Pick<Rule, 'where' | 'over' | 'when' | 'change' | 'limits'> {
  readonly alert: Pick<Alert, 'text'> | undefined;
}

/** In the result, each value precedes its parts. */
export function valuesOfRule({ where, when, change, limits, alert }: ValueHolders): CheckedValue[] {
  return [
    ...(where === undefined ? [] : valuesOfCondition(where.tree)),
    ...(when === undefined ? [] : valuesOfCondition(when.tree)),
    ...(change?.kind === 'to' ? withParts(change.value) : []),
    ...(change?.kind === 'reallocate' ? withParts(change.by.tree) : []),
    ...limits.minimum.flatMap(({ value }) => withParts(value)),
    ...(alert?.text ?? []).flatMap((part) => (part.kind === 'value' ? withParts(part.value) : [])),
  ];
}

/** A rule that reads today can only alert, because today's numbers are never final. */
export function readsToday(rule: ValueHolders): boolean {
  if (rule.over?.kind === 'today') return true;
  return valuesOfRule(rule).some(
    (value) =>
      value.kind === 'metric' && (value.metric.window.kind === 'today' || value.metric.window.untilNow === true),
  );
}

export function usesHour(rule: ValueHolders): boolean {
  return valuesOfRule(rule).some((value) => value.kind === 'clock' && value.name === 'hour');
}

export const HOUR_UNKNOWN = 'uses the hour, which is unknown on a day that is played as a whole';

export function valuesOfCondition(tree: CheckedCondition): CheckedValue[] {
  return sidesOfCondition(tree).flatMap(withParts);
}

export function sidesOfCondition(tree: CheckedCondition): CheckedValue[] {
  switch (tree.kind) {
    case 'logic':
      return [...sidesOfCondition(tree.left), ...sidesOfCondition(tree.right)];
    case 'not':
      return sidesOfCondition(tree.operand);
    case 'comparison':
      return [tree.left, tree.right];
    case 'between':
      return [tree.operand, tree.low, tree.high];
    case 'in':
      return [tree.operand, ...tree.list];
    case 'labelled':
      return [tree.labels];
    case 'like':
    case 'null_test':
      return [tree.operand];
    default:
      return unreachable(tree);
  }
}

/** True if the rule needs the names of labels. */
export function usesLabels({ where, when }: Pick<ValueHolders, 'where' | 'when'>): boolean {
  const isLabelled = (tree: CheckedCondition): boolean => {
    if (tree.kind === 'logic') return isLabelled(tree.left) || isLabelled(tree.right);
    return tree.kind === 'not' ? isLabelled(tree.operand) : tree.kind === 'labelled';
  };
  return [where, when].some((one) => one !== undefined && isLabelled(one.tree));
}

export function withParts(tree: CheckedValue): CheckedValue[] {
  switch (tree.kind) {
    case 'negation':
      return [tree, ...withParts(tree.operand)];
    case 'arithmetic':
      return [tree, ...withParts(tree.left), ...withParts(tree.right)];
    case 'by_weekday':
    case 'coalesce':
      return [tree, ...tree.values.flatMap(withParts)];
    default:
      return [tree];
  }
}

/** The sums, attributes and budgets from which a value is computed. */
export function readIn(tree: CheckedValue): CheckedValue[] {
  return withParts(tree).filter(({ kind }) => kind === 'metric' || kind === 'attribute' || kind === 'budget');
}
