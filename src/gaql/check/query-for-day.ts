import type { CivilDate } from '../../domain/civil-date.ts';
import { InvariantError, unreachable } from '../../domain/errors.ts';
import { printForService, valuesOf } from '../syntax/print-query.ts';
import type { Condition, Value } from '../syntax/tree.ts';
import type { CheckedQuery } from './check-query.ts';
import { dayOf, isCalendarName } from './date-mark.ts';

/** The text to send on the account's `today`, with dates in the place of `:today-7` and the like. */
export function queryForDay({ tree }: CheckedQuery, today: CivilDate): string {
  return printForService({ ...tree, where: tree.where.map((condition) => withDates(condition, today)) });
}

/** Whether every parameter has a value, so that the query can be sent. */
export function hasValues({ tree }: CheckedQuery): boolean {
  return tree.where.flatMap(valuesOf).every((value) => value.kind !== 'placeholder' || isCalendarName(value.name));
}

function withDates(condition: Condition, today: CivilDate): Condition {
  const one = (value: Value) => withDate(value, today);
  switch (condition.kind) {
    case 'comparison':
      return { ...condition, value: one(condition.value) };
    case 'membership':
      return { ...condition, values: condition.values.map(one) };
    case 'between':
      return { ...condition, low: one(condition.low), high: one(condition.high) };
    case 'during':
    case 'null_test':
      return condition;
    default:
      return unreachable(condition);
  }
}

function withDate(value: Value, today: CivilDate): Value {
  if (value.kind !== 'placeholder') return value;
  const { name, days = 0, span } = value;
  if (!isCalendarName(name)) throw new InvariantError(`The parameter :${name} was not bound.`);
  const date = dayOf({ kind: 'calendar', name, days }, today);
  return { kind: 'string', text: date, raw: `'${date}'`, span };
}
