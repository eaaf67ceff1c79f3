import { windowWords } from '../../src/language/rules/check/check-window.ts';
import type { CheckedCondition, CheckedValue } from '../../src/language/rules/check/checked-expression.ts';
import type { Expression } from '../../src/language/rules/language/expression.ts';

const number = ({ n, d }: { readonly n: bigint; readonly d: bigint }) => `${n}${d === 1n ? '' : `/${d}`}`;
const not = (negated: boolean) => (negated ? 'NOT ' : '');

/** The tree as it was written, with every operation in parentheses. */
export function shape(tree: Expression): string {
  switch (tree.kind) {
    case 'number':
      return number(tree.value);
    case 'text':
      return JSON.stringify(tree.value);
    case 'name':
      return tree.name;
    case 'call':
      return `${tree.name}(${tree.values.map(shape).join(', ')})`;
    case 'windowed':
      return `[${shape(tree.operand)} ${windowWords(tree.over.window)}]`;
    case 'negation':
      return `(- ${shape(tree.operand)})`;
    case 'not':
      return `(NOT ${shape(tree.operand)})`;
    case 'between':
      return `(${shape(tree.operand)} ${not(tree.negated)}BETWEEN ${shape(tree.low)} AND ${shape(tree.high)})`;
    case 'in':
      return `(${shape(tree.operand)} ${not(tree.negated)}IN ${tree.list.map(shape).join(', ')})`;
    case 'in_column':
      return `(${shape(tree.operand)} ${not(tree.negated)}IN ${tree.column})`;
    case 'like':
      return `(${shape(tree.operand)} ${not(tree.negated)}LIKE ${JSON.stringify(tree.pattern)})`;
    case 'null_test':
      return `(${shape(tree.operand)} IS ${not(tree.negated)}NULL)`;
    default:
      return `(${shape(tree.left)} ${tree.sign} ${shape(tree.right)})`;
  }
}

/** The checked tree, each metric with its measure, column and days, each column in micros with ÷1000000. */
export function resolved(tree: CheckedCondition | CheckedValue): string {
  switch (tree.kind) {
    case 'number':
      return number(tree.value);
    case 'text':
      return JSON.stringify(tree.value);
    case 'metric': {
      const { measure, column, inMicros, window } = tree.metric;
      return `${measure}[${column}${inMicros ? '÷1000000' : ''} ${windowWords(window)}]`;
    }
    case 'attribute':
      return `@${tree.column}${tree.inMicros ? '÷1000000' : ''}`;
    case 'budget':
      return 'BUDGET';
    case 'negation':
      return `(- ${resolved(tree.operand)})`;
    case 'clock':
      return tree.name;
    case 'by_weekday':
      return `[${tree.values.map(resolved).join(', ')}]`;
    case 'coalesce':
      return `coalesce(${tree.values.map(resolved).join(', ')})`;
    case 'not':
      return `(NOT ${resolved(tree.operand)})`;
    case 'between':
      return `(${resolved(tree.operand)} ${not(tree.negated)}BETWEEN ${resolved(tree.low)} AND ${resolved(tree.high)})`;
    case 'in':
      return `(${resolved(tree.operand)} ${not(tree.negated)}IN ${tree.list.map(resolved).join(', ')})`;
    case 'labelled':
      return `(${JSON.stringify(tree.name)} ${not(tree.negated)}IN ${resolved(tree.labels)})`;
    case 'like':
      return `(${resolved(tree.operand)} ${not(tree.negated)}LIKE ${JSON.stringify(tree.pattern)})`;
    case 'null_test':
      return `(${resolved(tree.operand)} IS ${not(tree.negated)}NULL)`;
    default:
      return `(${resolved(tree.left)} ${tree.sign} ${resolved(tree.right)})`;
  }
}
