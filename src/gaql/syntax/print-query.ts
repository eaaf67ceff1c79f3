import { unreachable } from '../../domain/errors.ts';
import type { Condition, Query, Scalar } from './tree.ts';

/**
 * The query as it is sent: one line, no comments, no semicolon. String literals go out exactly as they were written.
 * Only for trees without syntax errors.
 */
export function printQuery(query: Query): string {
  const clauses = [
    `SELECT ${query.select.map((field) => field.name).join(', ')}`,
    `FROM ${query.from?.name ?? ''}`,
    query.where.length > 0 ? `WHERE ${query.where.map(printCondition).join(' AND ')}` : '',
    query.orderBy.length > 0
      ? `ORDER BY ${query.orderBy.map(({ field, direction }) => `${field.name} ${direction}`).join(', ')}`
      : '',
    query.limit ? `LIMIT ${query.limit.rows}` : '',
  ];
  return clauses.filter((clause) => clause !== '').join(' ');
}

function printCondition(condition: Condition): string {
  const field = condition.field.name;
  switch (condition.kind) {
    case 'comparison':
      return `${field} ${condition.operator} ${printScalar(condition.value)}`;
    case 'membership':
      return `${field} ${condition.operator} (${condition.values.map(printScalar).join(', ')})`;
    case 'between':
      return `${field} BETWEEN ${printScalar(condition.low)} AND ${printScalar(condition.high)}`;
    case 'during':
      return `${field} DURING ${printScalar(condition.period).toUpperCase()}`;
    case 'null_test':
      return `${field} ${condition.operator}`;
    default:
      return unreachable(condition);
  }
}

function printScalar(scalar: Scalar): string {
  return scalar.kind === 'string' ? scalar.raw : scalar.text;
}
