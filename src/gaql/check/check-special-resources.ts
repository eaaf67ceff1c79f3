import type { Report } from '../report.ts';
import type { FieldRef, Query, ResourceRef } from '../syntax/tree.ts';
import { operatorOf } from './check-condition.ts';
import { type CheckedDates, DATE_FIELD } from './check-dates.ts';
import type { CheckedCondition } from './checked-condition.ts';
import { distanceOf } from './date-mark.ts';
import { type DateWindow, marksOf } from './date-window.ts';

/** Resources that take only some ranges and limits. */
export function checkSpecialResource(
  tree: Query,
  from: ResourceRef,
  conditions: readonly CheckedCondition[],
  dates: CheckedDates,
  report: Report,
): void {
  if (from.name === 'click_view') checkClickView(tree, from, conditions, dates, report);
  const changeTime = CHANGE_TIMES.get(from.name);
  if (changeTime !== undefined) checkChanges(tree, from, changeTime, conditions, report);
}

function checkClickView(
  tree: Query,
  from: ResourceRef,
  conditions: readonly CheckedCondition[],
  { window, unreadable }: CheckedDates,
  report: Report,
): void {
  if (unreadable || (window && isOneDay(window))) return;
  // An open range beside a selected date has been told.
  if (!window && tree.select.some((field) => field.name === DATE_FIELD)) return;
  const one = 'click_view is read one day at a time';
  report({
    code: window ? 'DATE_RANGE_TOO_WIDE' : 'EXPECTED_FILTERS_ON_DATE_RANGE',
    span: (fieldOf(DATE_FIELD, conditions) ?? from).span,
    message: window ? `${one}.` : `${one}, and WHERE names none.`,
    hint: `Filter with ${DATE_FIELD} = '2026-01-31', or DURING YESTERDAY.`,
  });
}

/** Where WHERE first names the field. */
function fieldOf(name: string, conditions: readonly CheckedCondition[]): FieldRef | undefined {
  return conditions.find(({ written }) => written.field.name === name)?.written.field;
}

/** On every today: a period of one day among the conditions, or a first and a last day that are the same. */
function isOneDay(window: DateWindow): boolean {
  if (window.kind === 'fixed') return window.range.from === window.range.to;
  const bounds = window.kind === 'period' ? [window] : window.bounds;
  if (bounds.some((bound) => bound.kind === 'period' && ['TODAY', 'YESTERDAY'].includes(bound.period))) return true;
  const { firsts, lasts } = marksOf(bounds);
  return firsts.some((from) => lasts.some((to) => distanceOf(from, to) === 0));
}

const CHANGE_TIMES: ReadonlyMap<string, string> = new Map([
  ['change_status', 'change_status.last_change_date_time'],
  ['change_event', 'change_event.change_date_time'],
]);

/** Whether the service answers a query FROM the resource only with a LIMIT. */
export const needsLimit = (resource: string): boolean => CHANGE_TIMES.has(resource);

const CHANGES_MAX = 10_000;

/** The history of changes wants both ends of a range of time and a LIMIT. */
function checkChanges(
  { limit }: Query,
  from: ResourceRef,
  time: string,
  conditions: readonly CheckedCondition[],
  report: Report,
): void {
  const operators = conditions.flatMap(({ written }) => (written.field.name === time ? [operatorOf(written)] : []));
  const has = (...some: readonly string[]) => operators.some((operator) => some.includes(operator));
  const finite = has('DURING', 'BETWEEN', '=') || (has('>=', '>') && has('<=', '<'));
  if (!finite) {
    report({
      code: 'CHANGE_DATE_RANGE_INFINITE',
      span: (fieldOf(time, conditions) ?? from).span,
      message: `${from.name} needs a first and a last time in WHERE.`,
      hint: `For example WHERE ${time} DURING LAST_14_DAYS.`,
    });
  }
  if (!limit) {
    const message = `${from.name} needs a LIMIT of ${CHANGES_MAX} at most.`;
    report({ code: 'LIMIT_NOT_SPECIFIED', span: from.span, message, hint: `Add LIMIT ${CHANGES_MAX} at the end.` });
  } else if (limit.rows > CHANGES_MAX) {
    const message = `Found ${limit.rows}, and ${from.name} takes a LIMIT of ${CHANGES_MAX} at most.`;
    report({ code: 'INVALID_LIMIT_CLAUSE', span: limit.span, message });
  }
}
