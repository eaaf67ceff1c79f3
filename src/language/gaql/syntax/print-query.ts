import { InvariantError, unreachable } from '../../../domain/errors.ts';
import type { Condition, Ordering, Query, RequestParameter, SelectedField, Value } from './tree.ts';

/** The canonical form on one line. Only for trees without syntax errors. */
export function printQuery(query: Query): string {
  const clauses = [
    `SELECT ${query.select.map(printSelected).join(', ')}`,
    `FROM ${query.from?.name ?? ''}`,
    query.where.length > 0 ? `WHERE ${query.where.map(printCondition).join(' AND ')}` : '',
    query.orderBy.length > 0 ? `ORDER BY ${query.orderBy.map(printOrdering).join(', ')}` : '',
    query.limit ? `LIMIT ${query.limit.rows}` : '',
    query.parameters.length > 0 ? `PARAMETERS ${query.parameters.map(printParameter).join(', ')}` : '',
  ];
  return clauses.filter((clause) => clause !== '').join(' ');
}

/** Omits aliases, which the service does not know. Throws `InvariantError` if a placeholder is left. */
export function printForService(query: Query): string {
  const left = query.where.flatMap(valuesOf).find(({ kind }) => kind === 'placeholder');
  if (left) throw new InvariantError(`The query to send still contains ${printValue(left)}.`);
  return printQuery(withoutAliases(query));
}

export function withoutAliases(query: Query): Query {
  return { ...query, select: query.select.map((field) => ({ ...field, alias: undefined })) };
}

export function printSelected({ name, alias }: SelectedField): string {
  return alias === undefined ? name : `${name} AS ${alias.name}`;
}

export function printCondition(condition: Condition): string {
  const field = condition.field.name;
  switch (condition.kind) {
    case 'comparison':
      return `${field} ${condition.operator} ${printValue(condition.value)}`;
    case 'membership':
      return `${field} ${condition.operator} (${condition.values.map(printValue).join(', ')})`;
    case 'between':
      return `${field} BETWEEN ${printValue(condition.low)} AND ${printValue(condition.high)}`;
    case 'during':
      return `${field} DURING ${condition.period.kind === 'name' ? condition.period.text.toUpperCase() : printValue(condition.period)}`;
    case 'null_test':
      return `${field} ${condition.operator}`;
    default:
      return unreachable(condition);
  }
}

export function printOrdering({ field, direction }: Ordering): string {
  return direction === 'DESC' ? `${field.name} DESC` : field.name;
}

export function printParameter({ name, value }: RequestParameter): string {
  return `${name} = ${printValue(value)}`;
}

export function printValue(value: Value): string {
  switch (value.kind) {
    case 'string':
      return value.raw;
    case 'number':
    case 'name':
      return value.text;
    case 'placeholder': {
      const { name, days } = value;
      return days === undefined ? `:${name}` : `:${name}${days < 0 ? '-' : '+'}${Math.abs(days)}`;
    }
    default:
      return unreachable(value);
  }
}

export function valuesOf(condition: Condition): readonly Value[] {
  switch (condition.kind) {
    case 'comparison':
      return [condition.value];
    case 'membership':
      return condition.values;
    case 'between':
      return [condition.low, condition.high];
    case 'during':
      return [condition.period];
    case 'null_test':
      return [];
    default:
      return unreachable(condition);
  }
}

/** Only a value in a list can become several values. */
export function withValues(condition: Condition, change: (value: Value) => readonly Value[]): Condition {
  const one = (value: Value) => change(value)[0] ?? value;
  switch (condition.kind) {
    case 'comparison':
      return { ...condition, value: one(condition.value) };
    case 'membership':
      return { ...condition, values: condition.values.flatMap(change) };
    case 'between':
      return { ...condition, low: one(condition.low), high: one(condition.high) };
    case 'during':
      return { ...condition, period: one(condition.period) };
    case 'null_test':
      return condition;
    default:
      return unreachable(condition);
  }
}
