import { unreachable } from '../domain/errors.ts';
import type { CheckedCondition, CheckedValue } from './checked-expression.ts';
import type { Rule } from './rule.ts';

/** Every value that a rule names anywhere: in its conditions, its change, its limits and its alert; parts after wholes. */
export function valuesOfRule({ where, when, change, limits, alert }: Rule): CheckedValue[] {
  return [
    ...(where === undefined ? [] : valuesOfCondition(where.tree)),
    ...valuesOfCondition(when.tree),
    ...(change?.kind === 'to' ? withParts(change.value) : []),
    ...limits.minimum.flatMap(({ value }) => withParts(value)),
    ...(alert?.text ?? []).flatMap((part) => (part.kind === 'value' ? withParts(part.value) : [])),
  ];
}

/** The same of one condition. */
export function valuesOfCondition(tree: CheckedCondition): CheckedValue[] {
  switch (tree.kind) {
    case 'logic':
      return [...valuesOfCondition(tree.left), ...valuesOfCondition(tree.right)];
    case 'not':
      return valuesOfCondition(tree.operand);
    case 'comparison':
      return [tree.left, tree.right].flatMap(withParts);
    case 'between':
      return [tree.operand, tree.low, tree.high].flatMap(withParts);
    case 'in':
      return [tree.operand, ...tree.list].flatMap(withParts);
    case 'like':
    case 'null_test':
      return withParts(tree.operand);
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
