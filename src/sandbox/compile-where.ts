import type { CivilDate } from '../domain/civil-date.ts';
import { InvariantError, unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { periodNamed, resolveWindow } from '../gaql/check/date-window.ts';
import type { ComparisonSign, Condition, Literal, PatternOperator, Value } from '../gaql/syntax/tree.ts';
import type { FieldValue } from './field-values.ts';

/** A value as conditions and orderings compare it. Numbers are whole; they compare exactly with bigints. */
export type Operand = string | number | bigint;

export type Test = (value: Operand | undefined) => boolean;

/**
 * A checked condition as a function of its field's value; undefined is NULL, which only IS NULL accepts. `today` is the
 * account's, for DURING.
 */
export function compileCondition(condition: Condition, type: DataType, today: CivilDate): Test {
  switch (condition.kind) {
    case 'comparison':
      return compileComparison(condition.operator, condition.value, type);
    case 'membership': {
      const values = new Set(condition.values.map((value) => String(operandOf(value, type))));
      if (condition.operator !== 'IN' && condition.operator !== 'NOT IN') {
        throw new InvariantError(`The sandbox has no lists, and ${condition.operator} passed the check.`);
      }
      const wanted = condition.operator === 'IN';
      return (value) => value !== undefined && values.has(String(value)) === wanted;
    }
    case 'between': {
      const low = operandOf(condition.low, type);
      const high = operandOf(condition.high, type);
      return (value) => value !== undefined && compareOperands(value, low) >= 0 && compareOperands(value, high) <= 0;
    }
    case 'during': {
      const period = periodNamed(literalOf(condition.period).text);
      const days = period && resolveWindow({ kind: 'period', period }, today);
      if (!days) throw new InvariantError(`DURING ${literalOf(condition.period).text} passed the check.`);
      // Of an instant the day counts.
      const dayOf = (value: string) => value.slice(0, days.to.length);
      return (value) => typeof value === 'string' && dayOf(value) >= days.from && dayOf(value) <= days.to;
    }
    case 'null_test': {
      const wanted = condition.operator === 'IS NULL';
      return (value) => (value === undefined) === wanted;
    }
    default:
      return unreachable(condition);
  }
}

/** A field's JSON value as an operand of its type. */
export function operandOfValue(value: FieldValue | undefined, type: DataType): Operand | undefined {
  if (value === undefined || typeof value === 'object') return undefined;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return type === 'INT64' ? BigInt(value) : value;
}

/** Text by code units, numbers by size. */
export function compareOperands(a: Operand, b: Operand): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compileComparison(operator: ComparisonSign | PatternOperator, value: Value, type: DataType): Test {
  switch (operator) {
    case 'LIKE':
    case 'NOT LIKE':
      return matches(likePattern(literalOf(value).text), operator === 'LIKE');
    case 'REGEXP_MATCH':
    case 'NOT REGEXP_MATCH':
      return matches(regexpPattern(literalOf(value).text), operator === 'REGEXP_MATCH');
    default: {
      const constant = operandOf(value, type);
      const accepts = SIGNS[operator];
      return (candidate) => candidate !== undefined && accepts(compareOperands(candidate, constant));
    }
  }
}

function matches(pattern: RegExp, wanted: boolean): Test {
  return (candidate) => candidate !== undefined && pattern.test(String(candidate)) === wanted;
}

/** A query that is sent holds no parameters. */
function literalOf(value: Value): Literal {
  if (value.kind === 'placeholder') throw new InvariantError(`The parameter :${value.name} passed the check.`);
  return value;
}

const SIGNS: Readonly<Record<ComparisonSign, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function operandOf(value: Value, type: DataType): Operand {
  const { text } = literalOf(value);
  switch (type) {
    case 'INT64':
      return BigInt(text);
    case 'DOUBLE':
      return Number(text);
    case 'BOOLEAN':
      return text.toUpperCase();
    case 'DATE':
      return text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
    case 'STRING':
    case 'ENUM':
    case 'RESOURCE_NAME':
    case 'DATE_TIME':
    case 'MESSAGE':
      return text;
    default:
      return unreachable(type);
  }
}

/** `%` is any text, `_` any character, `[%]` and `[_]` themselves; case does not matter. */
function likePattern(text: string): RegExp {
  const pattern = text.replace(/\[([%_[\]])\]|%|_|[\\^$.*+?()[\]{}|]/g, (found, bracketed: string | undefined) => {
    if (bracketed !== undefined) return /[[\]]/.test(bracketed) ? `\\${bracketed}` : bracketed;
    if (found === '%') return '.*';
    if (found === '_') return '.';
    return `\\${found}`;
  });
  return new RegExp(`^${pattern}$`, 'isu');
}

/** The whole text has to match. An expression that cannot be read matches nothing. */
function regexpPattern(text: string): RegExp {
  const flags = text.startsWith('(?i)') ? 'isu' : 'su';
  try {
    return new RegExp(`^(?:${text.replace(/^\(\?i\)/, '')})$`, flags);
  } catch {
    return /(?!)/;
  }
}
