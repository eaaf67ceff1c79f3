import { addDays, type CivilDate, daysBetween } from '../../../domain/civil-date.ts';
import { parseCivilDate } from '../../../domain/parse-civil-date.ts';
import { type CatalogueResource, ownerOf } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Ordering, Query, ResourceRef, Value } from '../syntax/tree.ts';
import { type CheckedDates, DATE_FIELD, isCoreDate } from './check-dates.ts';
import type { CheckedCondition } from './check-value.ts';
import {
  CALENDAR_DAYS_MAX,
  type DateWindow,
  dayOf,
  distanceOf,
  isCalendarName,
  marksOf,
  periodNamed,
  resolveWindow,
} from './date-window.ts';
import { withDashes } from './read-date.ts';
import { didYouMean } from './suggest.ts';

export function checkSpecialResource(
  tree: Query,
  from: ResourceRef,
  conditions: readonly CheckedCondition[],
  dates: CheckedDates,
  today: CivilDate | undefined,
  report: Report,
): void {
  if (from.name === 'click_view') checkClickView(tree, from, conditions, dates, report);
  const changeTime = CHANGE_TIMES.get(from.name);
  if (changeTime !== undefined) checkChanges(tree, from, changeTime, conditions, report);
  if (today !== undefined) checkAge(from, changeTime ?? DATE_FIELD, conditions, dates, today, report);
}

/** The most days of one request, by resource. */
const REQUEST_DAYS_MAX: ReadonlyMap<string, number> = new Map([['click_view', 1]]);

/** Number of past days that the service keeps, by resource. */
const DAYS_KEPT: ReadonlyMap<string, number> = new Map([
  ['click_view', 90],
  ['change_status', 90],
  ['change_event', 30],
]);

/** Undefined without a limit of the resource. */
export function requestDaysMax(resource: string): number | undefined {
  return REQUEST_DAYS_MAX.get(resource);
}

/** The first day that the service still keeps. Undefined without a limit of the resource. */
export function oldestDayOf(resource: string, today: CivilDate): CivilDate | undefined {
  const kept = DAYS_KEPT.get(resource);
  return kept === undefined ? undefined : addDays(today, -kept);
}

function checkAge(
  from: ResourceRef,
  field: string,
  conditions: readonly CheckedCondition[],
  { window }: CheckedDates,
  today: CivilDate,
  report: Report,
): void {
  const kept = DAYS_KEPT.get(from.name);
  if (kept === undefined) return;
  const asked =
    field === DATE_FIELD ? window && resolveWindow(window, today)?.from : firstDay(field, conditions, today);
  // Because of time zones, the date of the account can be one day before `today`.
  if (asked === undefined || daysBetween(asked, today) <= kept + 1) return;
  const oldest = addDays(today, -kept);
  report({
    code: 'START_DATE_TOO_OLD',
    span: (fieldOf(field, conditions) ?? from).span,
    message: `The service keeps ${from.name} for ${kept} days, since ${oldest}, but the query starts on ${asked}.`,
    hint: `Name days since then, for example with ${field} DURING ${field === DATE_FIELD ? 'YESTERDAY' : 'LAST_14_DAYS'}.`,
  });
}

function firstDay(time: string, conditions: readonly CheckedCondition[], today: CivilDate): CivilDate | undefined {
  const firsts = conditions.flatMap(({ bound }) => {
    const [value] = bound?.values ?? [];
    if (!bound || !value || bound.field.name !== time) return [];
    if (bound.operator === 'DURING') {
      const period = value.kind === 'name' ? periodNamed(value.text) : undefined;
      return (period && resolveWindow({ kind: 'period', period }, today)?.from) ?? [];
    }
    return (['=', '>', '>=', 'BETWEEN'].includes(bound.operator) && dayIn(value, today)) || [];
  });
  return firsts.toSorted().at(-1);
}

function dayIn(value: Value, today: CivilDate): CivilDate | undefined {
  if (value.kind !== 'placeholder') return parseCivilDate(withDashes(value.text.split(' ', 1)[0] ?? ''));
  const { name, days = 0 } = value;
  return isCalendarName(name) && Math.abs(days) <= CALENDAR_DAYS_MAX
    ? dayOf({ kind: 'calendar', name, days }, today)
    : undefined;
}

function checkClickView(
  tree: Query,
  from: ResourceRef,
  conditions: readonly CheckedCondition[],
  { window, unreadable }: CheckedDates,
  report: Report,
): void {
  if (unreadable || (window && isOneDay(window))) return;
  // If SELECT has the date, another check has already reported the missing first or last day.
  if (!window && tree.select.some((field) => field.name === DATE_FIELD)) return;
  const one = 'A query of click_view must cover exactly one day';
  const message = window ? `${one}.` : `${one}, but WHERE names no day.`;
  const hint = `Filter with ${DATE_FIELD} = '2026-01-31', or DURING YESTERDAY.`;
  report({
    code: window ? 'DATE_RANGE_TOO_WIDE' : 'EXPECTED_FILTERS_ON_DATE_RANGE',
    span: (fieldOf(DATE_FIELD, conditions) ?? from).span,
    message,
    hint,
  });
}

function fieldOf(name: string, conditions: readonly CheckedCondition[]): FieldRef | undefined {
  return conditions.find(({ written }) => written.field.name === name)?.written.field;
}

function isOneDay(window: DateWindow): boolean {
  if (window.kind === 'fixed') return window.range.from === window.range.to;
  const bounds = window.kind === 'period' ? [window] : window.bounds;
  if (bounds.some((bound) => bound.kind === 'period' && ['TODAY', 'YESTERDAY'].includes(bound.period))) return true;
  const { firsts, lasts } = marksOf(bounds);
  return firsts.some((from) => lasts.some((to) => distanceOf(from, to) === 0));
}

/** Time fields of resources for which the service requires a LIMIT. */
const CHANGE_TIMES: ReadonlyMap<string, string> = new Map([
  ['change_status', 'change_status.last_change_date_time'],
  ['change_event', 'change_event.change_date_time'],
]);

const CHANGES_MAX = 10_000;

/** True if as many rows as the LIMIT may not be all. A query of another resource has a LIMIT by choice. */
export function mayBeCut(
  { resource, limit }: { readonly resource: string; readonly limit: number | undefined },
  rows: bigint,
): boolean {
  return CHANGE_TIMES.has(resource) && rows === BigInt(limit ?? 0);
}

function checkChanges(
  { limit }: Query,
  from: ResourceRef,
  time: string,
  conditions: readonly CheckedCondition[],
  report: Report,
): void {
  const operators = conditions.flatMap(({ written }) => (written.field.name === time ? [written.operator] : []));
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
    const message = `${from.name} needs a LIMIT of at most ${CHANGES_MAX}.`;
    report({ code: 'LIMIT_NOT_SPECIFIED', span: from.span, message, hint: `Add LIMIT ${CHANGES_MAX} at the end.` });
  } else if (limit.rows > CHANGES_MAX) {
    const message = `Found LIMIT ${limit.rows}, expected at most ${CHANGES_MAX} for ${from.name}.`;
    report({ code: 'INVALID_LIMIT_CLAUSE', span: limit.span, message });
  }
}

/** Segments in WHERE, except dates, must also be in SELECT. */
export function checkSelectedFilters(
  tree: Query,
  conditions: readonly CheckedCondition[],
  resource: CatalogueResource,
  report: Report,
): void {
  for (const { written, field } of conditions) {
    if (!field || isCoreDate(field.name) || isSelected(field.name, tree)) continue;
    const owner = ownerOf(field.name);
    const splits = resource.segmentedBy.includes(owner) && !resource.attributed.includes(owner);
    if (field.role !== 'segment' && !splits) continue;
    const message =
      field.role === 'segment'
        ? `${quote(field.name)} is a segment: WHERE can use it only if SELECT has it.`
        : `${quote(field.name)} splits the rows of ${resource.name}: WHERE can use it only if SELECT has it.`;
    const hint = `Add ${field.name} to SELECT.`;
    report({ code: 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE', span: written.field.span, message, hint });
  }
}

const isSelected = (name: string, { select }: Query): boolean => select.some((field) => field.name === name);

export function checkOrdering({ field }: Ordering, tree: Query, report: Report): void {
  if (isSelected(field.name, tree) || field.name.endsWith('.resource_name')) return;
  const ofMainResource = field.name.startsWith(`${tree.from?.name}.`);
  const message = `${quote(field.name)} is in ORDER BY but not in SELECT.`;
  const hint = `Add ${field.name} to SELECT.`;
  report({
    code: 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE',
    severity: ofMainResource ? 'warning' : 'error',
    span: field.span,
    message,
    hint,
  });
}

/** Returns the field with the alias, because the service does not know aliases. */
export function fieldOfAlias({ name }: FieldRef, { select }: Query): string | undefined {
  return select.find(({ alias }) => alias?.name === name)?.name;
}

export function noteLimit({ limit, from }: Query, report: Report): void {
  if (!limit) return;
  const message = `The table holds at most ${limit.rows} rows per account, so it may be incomplete.`;
  const hint =
    from && CHANGE_TIMES.has(from.name)
      ? 'Rules do not read a table with a LIMIT.'
      : 'Rules do not read a table with a LIMIT. Remove the LIMIT to get all rows.';
  report({ code: 'LIMITED_TABLE', severity: 'note', span: limit.span, message, hint });
}

const REQUEST_PARAMETERS = ['include_drafts', 'omit_unselected_resource_names'];

export function checkRequestParameters({ parameters }: Query, report: Report): void {
  const seen = new Set<string>();
  for (const { name, nameSpan, value } of parameters) {
    if (!REQUEST_PARAMETERS.includes(name)) {
      report({
        code: 'BAD_PARAMETER_NAME',
        span: nameSpan,
        message: `Unknown request parameter ${quote(name)}.`,
        hint: didYouMean(name, REQUEST_PARAMETERS) ?? `Request parameters are ${REQUEST_PARAMETERS.join(' and ')}.`,
      });
    } else if (seen.has(name)) {
      report({ code: 'BAD_PARAMETER_NAME', span: nameSpan, message: `${quote(name)} is given twice.` });
    }
    seen.add(name);
    if (value.kind !== 'number' && /^(true|false)$/i.test(value.text)) continue;
    const message = `Found ${quote(value.text)}, expected true or false.`;
    report({ code: 'BAD_PARAMETER_VALUE', span: value.span, message });
  }
}
