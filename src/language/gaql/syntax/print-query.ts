import { InvariantError, unreachable } from '../../../domain/errors.ts';
import {
  type Condition,
  type Ordering,
  type Query,
  type RequestParameter,
  type SelectedField,
  takesList,
  type Value,
} from './tree.ts';

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
  const left = query.where.flatMap(({ values }) => values).find(({ kind }) => kind === 'placeholder');
  if (left) throw new InvariantError(`The query to send still contains ${printValue(left)}.`);
  return printQuery(withoutAliases(query));
}

export function withoutAliases(query: Query): Query {
  return { ...query, select: query.select.map((field) => ({ ...field, alias: undefined })) };
}

export function printSelected({ name, alias }: SelectedField): string {
  return alias === undefined ? name : `${name} AS ${alias.name}`;
}

export function printCondition({ field, operator, values }: Condition): string {
  const words = values.map(printValue);
  if (takesList(operator)) return `${field.name} ${operator} (${words.join(', ')})`;
  if (operator === 'DURING' && values[0]?.kind === 'name')
    return `${field.name} ${operator} ${words[0]?.toUpperCase()}`;
  return `${field.name} ${operator} ${words.join(' AND ')}`.trimEnd();
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

/** Only a value in a list can become several values. */
export function withValues(condition: Condition, change: (value: Value) => readonly Value[]): Condition {
  const changed = condition.values.map((value) => ({ value, instead: change(value) }));
  const isList = takesList(condition.operator);
  return {
    ...condition,
    values: changed.flatMap(({ value, instead }) => (isList ? instead : [instead[0] ?? value])),
  };
}
