import { type Micros, unitsOf } from '../domain/micros.ts';
import { parseDecimal, rational } from '../domain/rational.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { amountColumn, type Column, MICROS } from '../gaql/check/column.ts';
import type { NameType } from './check-expression.ts';
import type { NamedValue } from './evaluate-expression.ts';

/** The amount of the campaign's budget now. */
const BUDGET = 'budget';

/**
 * The names a condition may use: the table's metrics and attributes, beside each `*_micros` its amount in currency
 * units (`cost_micros`, `cost`), and `budget`.
 */
export function namesOf(columns: readonly Column[]): Map<string, NameType> {
  const names = new Map<string, NameType>();
  for (const { name, type, role } of columns) {
    if (role === 'segment') continue;
    names.set(name, isNumber(type) ? 'number' : 'text');
    const amount = amountColumn(name, type);
    if (amount !== undefined) names.set(amount, 'money');
  }
  return names.set(BUDGET, 'money');
}

/** TRUE and FALSE are held as 1 and 0. */
const isNumber = (type: DataType): boolean => type === 'INT64' || type === 'DOUBLE' || type === 'BOOLEAN';

type StoredValue = bigint | number | string | null | undefined;

/** Looks names up in a campaign's aggregates. What is not there is undefined, never zero. */
export function valuesOf(subject: {
  readonly metrics: ReadonlyMap<string, StoredValue>;
  readonly attributes: ReadonlyMap<string, StoredValue>;
  readonly budget: Micros | undefined;
}): (name: string) => NamedValue {
  const stored = (name: string): StoredValue => subject.metrics.get(name) ?? subject.attributes.get(name);
  return (name) => {
    if (name === BUDGET) return subject.budget === undefined ? undefined : unitsOf(subject.budget);
    const value = stored(name);
    if (value !== undefined) return toNamed(value);
    const inMicros = stored(`${name}${MICROS}`);
    return typeof inMicros === 'bigint' ? unitsOf(inMicros) : undefined;
  };
}

function toNamed(value: bigint | number | string | null): NamedValue {
  if (typeof value === 'bigint') return rational(value);
  if (typeof value === 'number') return parseDecimal(String(value));
  return value ?? undefined;
}
