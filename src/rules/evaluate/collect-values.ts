import { unreachable } from '../../domain/errors.ts';
import type { CheckedCondition, CheckedValue } from '../check/checked-expression.ts';
import type { Alert, Rule } from '../rule.ts';

/** A rule, or as much as could be read of a rule file. */
interface ValueHolders extends Pick<Rule, 'where' | 'over' | 'change' | 'limits'> {
  readonly when: Rule['when'] | undefined;
  readonly alert: Pick<Alert, 'text'> | undefined;
}

/** Every value that a rule names anywhere: in its conditions, its change, its limits and its alert; parts after wholes. */
export function valuesOfRule({ where, when, change, limits, alert }: ValueHolders): CheckedValue[] {
  return [
    ...(where === undefined ? [] : valuesOfCondition(where.tree)),
    ...(when === undefined ? [] : valuesOfCondition(when.tree)),
    ...(change?.kind === 'to' ? withParts(change.value) : []),
    ...limits.minimum.flatMap(({ value }) => withParts(value)),
    ...(alert?.text ?? []).flatMap((part) => (part.kind === 'value' ? withParts(part.value) : [])),
  ];
}

/** Whether the rule looks at the account's today, which is never settled: such a rule alerts, and has no history to be tried on. */
export function readsToday(rule: ValueHolders): boolean {
  if (rule.over?.kind === 'today') return true;
  return valuesOfRule(rule).some((value) => value.kind === 'metric' && value.metric.window.kind === 'today');
}

/** The same of one condition. */
export function valuesOfCondition(tree: CheckedCondition): CheckedValue[] {
  return sidesOfCondition(tree).flatMap(withParts);
}

/** The values that a condition compares, each as a whole. */
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
    case 'like':
    case 'null_test':
      return [tree.operand];
    default:
      return unreachable(tree);
  }
}

/** The value and, one after the other, what it is computed from. */
export function withParts(tree: CheckedValue): CheckedValue[] {
  switch (tree.kind) {
    case 'negation':
      return [tree, ...withParts(tree.operand)];
    case 'arithmetic':
      return [tree, ...withParts(tree.left), ...withParts(tree.right)];
    case 'coalesce':
      return [tree, ...tree.values.flatMap(withParts)];
    default:
      return [tree];
  }
}
