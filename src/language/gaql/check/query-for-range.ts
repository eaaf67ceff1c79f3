import { type CivilDate, type DateRange, daysBetween, daysOf } from '../../../domain/civil-date.ts';
import type { Span } from '../../../domain/diagnostic.ts';
import { InvariantError } from '../../../domain/errors.ts';
import { civilDate } from '../../../domain/parse-civil-date.ts';
import { printForService, printQuery, withoutAliases, withValues } from '../syntax/print-query.ts';
import {
  type ComparisonSign,
  type Condition,
  HOLDS,
  type Literal,
  type Placeholder,
  takesList,
  type Value,
} from '../syntax/tree.ts';
import { DATE_FIELD, isCoreDate } from './check-dates.ts';
import type { CheckedQuery } from './check-query.ts';
import { isPattern } from './check-value.ts';
import { dayOf, isCalendarName, periodNamed, resolveWindow } from './date-window.ts';
import { withDashes } from './read-date.ts';

/** Returns the reason if the query cannot run for other days. */
export function fixedToItsWindow({ columns, limit, window }: CheckedQuery): string | undefined {
  if (limit !== undefined) return 'it has a LIMIT, so days may be incomplete';
  if (window === undefined || !columns.some(({ field }) => field === DATE_FIELD))
    return `it does not select ${DATE_FIELD}`;
  return undefined;
}

/** True if one query per day gives the same rows as one query for the whole range. */
export function isCuttable(query: CheckedQuery): boolean {
  const coarser = query.columns.some(({ field }) => field !== DATE_FIELD && isCoreDate(field));
  return fixedToItsWindow(query) === undefined && !coarser && datedConditions(query).every(isTelling);
}

export function daysAsked(query: CheckedQuery, range: DateRange, today: CivilDate): CivilDate[] {
  const dated = datedConditions(query);
  return daysOf(range).filter((day) => dated.every((condition) => leavesDay(condition, day, today)));
}

/** Replaces all date conditions. Call only if {@link fixedToItsWindow} returns undefined. */
export function queryForRange(query: CheckedQuery, range: DateRange, asList = false): string {
  const { tree } = query;
  const first = tree.where.findIndex(({ field }) => isCoreDate(field.name));
  const listed = asList || datedConditions(query).some(({ operator }) => takesList(operator));
  const where = tree.where.flatMap((condition, index) => {
    if (!isCoreDate(condition.field.name)) return [condition];
    return index === first ? [rangeCondition(condition, range, listed)] : [];
  });
  return printForService({ ...tree, where });
}

function rangeCondition(condition: Condition, range: DateRange, asList: boolean): Condition {
  const field = { ...condition.field, name: DATE_FIELD };
  const days = asList ? daysOf(range) : [range.from, range.to];
  const values = days.map((day) => quotedDay(day, field.span));
  return { ...condition, field, operator: asList ? 'IN' : 'BETWEEN', values };
}

function quotedDay(date: CivilDate, span: Span): Literal {
  return { kind: 'string', text: date, raw: `'${date}'`, span };
}

function datedConditions({ tree }: CheckedQuery): readonly Condition[] {
  return tree.where.filter(({ field }) => isCoreDate(field.name));
}

/** True if the allowed days can be computed from the condition. */
function isTelling({ field, operator, values }: Condition): boolean {
  return field.name === DATE_FIELD && !isPattern(operator) && values.length > 0;
}

function leavesDay({ operator, values }: Condition, day: CivilDate, today: CivilDate): boolean {
  const [first, second] = values;
  if (!first) return true;
  if (operator === 'DURING') {
    const period = first.kind === 'name' ? periodNamed(first.text) : undefined;
    const days = period && resolveWindow({ kind: 'period', period }, today);
    return days !== undefined && day >= days.from && day <= days.to;
  }
  const written = (value: Value) => writtenDay(value, today);
  if (takesList(operator)) return values.some((value) => written(value) === day) === (operator === 'IN');
  if (second) return day >= written(first) && day <= written(second);
  return HOLDS[operator as ComparisonSign](daysBetween(written(first), day));
}

function writtenDay(value: Value, today: CivilDate): CivilDate {
  if (value.kind !== 'placeholder') return civilDate(withDashes(value.text));
  return calendarDay(value, today);
}

function calendarDay({ name, days = 0 }: Placeholder, today: CivilDate): CivilDate {
  if (!isCalendarName(name)) throw new InvariantError(`The parameter :${name} was not bound.`);
  return dayOf({ kind: 'calendar', name, days }, today);
}

/** True if the text of the query shows which days the query includes. */
export function tellsItsDays(query: CheckedQuery): boolean {
  return isCuttable(query) || datedConditions(query).every(leavesOneStretch);
}

function leavesOneStretch({ operator, values }: Condition): boolean {
  if (takesList(operator)) return operator === 'IN' && values.length === 1;
  return operator !== '!=' && !isPattern(operator) && values.length > 0;
}

/** If {@link isCuttable} is true, omits dates, so that stored days stay valid when the window changes. */
export function queryFingerprint(query: CheckedQuery): string {
  if (!isCuttable(query)) return query.text;
  const where = query.tree.where.filter(({ field }) => !isCoreDate(field.name));
  return printQuery(withoutAliases({ ...query.tree, where }));
}

export function queryForDay({ tree }: CheckedQuery, today: CivilDate): string {
  const written = (value: Value): Value[] =>
    value.kind === 'placeholder' ? [quotedDay(calendarDay(value, today), value.span)] : [value];
  return printForService({ ...tree, where: tree.where.map((condition) => withValues(condition, written)) });
}

export function hasValues({ tree }: CheckedQuery): boolean {
  return tree.where
    .flatMap(({ values }) => values)
    .every((value) => value.kind !== 'placeholder' || isCalendarName(value.name));
}
