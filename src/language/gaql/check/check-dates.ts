import { addDays, addMonths, type CivilDate, daysBetween, type Grain } from '../../../domain/civil-date.ts';
import type { Span } from '../../../domain/diagnostic.ts';
import { civilDate } from '../../../domain/parse-civil-date.ts';
import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { type Condition, type FieldRef, type Query, takesList, type Value } from '../syntax/tree.ts';
import { shown } from './bind-parameters.ts';
import { type CheckedCondition, checkEach, isPattern } from './check-value.ts';
import {
  type DateBounds,
  type DateMark,
  type DateWindow,
  marksOf,
  resolveWindow,
  type WrittenDay,
} from './date-window.ts';
import { readDay, readPeriod } from './read-date.ts';

export const DATE_FIELD = 'segments.date';

const CORE_DATES: ReadonlyMap<string, Grain> = new Map([
  [DATE_FIELD, 'day'],
  ['segments.week', 'week'],
  ['segments.month', 'month'],
  ['segments.quarter', 'quarter'],
  ['segments.year', 'year'],
]);

export const isCoreDate = (field: string): boolean => CORE_DATES.has(field);

const EXAMPLE = `WHERE ${DATE_FIELD} DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'`;
export const RETENTION_MONTHS = 37;
/** Replaces today where the result is the same for every day. */
const ANY_DAY = civilDate('2026-01-20');

export interface CheckedDates {
  /** Undefined if the query does not limit both the first and the last day. */
  readonly window: DateWindow | undefined;
  /** True if the date conditions are wrong or cannot be judged. */
  readonly unreadable: boolean;
}

export function checkDates(
  tree: Query,
  conditions: readonly CheckedCondition[],
  complete: boolean,
  today: CivilDate | undefined,
  report: Report,
): CheckedDates {
  const dated = conditions.flatMap((condition) => {
    const grain = CORE_DATES.get(condition.written.field.name);
    return grain ? [{ ...condition, grain }] : [];
  });
  const readings = dated.map(({ bound, field, grain }) => bound && field && readCondition(bound, field, grain, report));
  if (!complete || !readings.every((reading) => reading !== undefined)) return { window: undefined, unreadable: true };
  const selected = tree.select.find(({ name }) => isCoreDate(name));
  const first = dated[0]?.written;
  const window = windowOf(readings);
  if (!first || window === 'open') {
    if (selected) reportOpen(selected, first?.field, report);
    return { window: undefined, unreadable: false };
  }
  if (window === 'empty') {
    report({ code: 'DATE_RANGE_TOO_NARROW', span: first.operatorSpan, message: 'No day meets all date conditions.' });
    return { window: undefined, unreadable: true };
  }
  reportRetention(window, today, first.operatorSpan, report);
  return { window, unreadable: false };
}

function reportOpen(selected: FieldRef, conditioned: FieldRef | undefined, report: Report): void {
  const message = conditioned
    ? `The condition on ${conditioned.name} is open: it needs a first and a last day.`
    : `${selected.name} is selected, but WHERE names no days.`;
  const hint = `For example ${EXAMPLE}.`;
  report({ code: 'EXPECTED_FILTERS_ON_DATE_RANGE', span: (conditioned ?? selected).span, message, hint });
}

function reportRetention(window: DateWindow, today: CivilDate | undefined, span: Span, report: Report): void {
  if (today === undefined) return;
  const oldest = oldestKept(today);
  const from = resolveWindow(window, today)?.from;
  if (from === undefined || daysBetween(from, oldest) <= 0) return;
  const message = `The service keeps days for ${RETENTION_MONTHS} months, since ${oldest}, but the query starts on ${from}.`;
  const hint = 'Expect no rows, or an error, for earlier days.';
  report({ code: 'BEYOND_RETENTION', severity: 'warning', span, message, hint });
}

export function oldestKept(today: CivilDate): CivilDate {
  return addMonths(today, -RETENTION_MONTHS);
}

function readCondition(
  condition: Condition,
  field: CatalogueField,
  grain: Grain,
  report: Report,
): DateBounds | undefined {
  const read = (value: Value, told = report) =>
    grain === 'year' ? readYear(value, told) : readDay(value, field, grain, told);
  const { operator, values } = condition;
  const [low, high] = values;
  if (!low || isPattern(operator)) return UNBOUNDED;
  if (operator === 'DURING') {
    const period = readPeriod(low, report);
    return period && { kind: 'period', period };
  }
  if (takesList(operator)) {
    const days: (WrittenDay | undefined)[] = [];
    checkEach(condition, (value, told) => days.push(read(value, told)), report);
    if (!days.every((day) => day !== undefined)) return undefined;
    return operator === 'IN' ? { kind: 'list', days, grain } : UNBOUNDED;
  }
  const first = read(low);
  if (!high) return first && comparisonBounds(operator, first, grain);
  const last = read(high);
  return first && last && rangeBounds(first, last, grain, low.span, report);
}

const UNBOUNDED: DateBounds = { kind: 'marks' };

/** Another check reports values that are not whole numbers. */
function readYear(value: Value, report: Report): WrittenDay | undefined {
  if (value.kind === 'placeholder' || !/^-?\d+$/.test(value.text)) return undefined;
  if (/^[1-9]\d{3}$/.test(value.text)) return { kind: 'fixed', date: civilDate(`${value.text}-01-01`) };
  report({ code: 'BAD_VALUE', span: value.span, message: `Found ${shown(value)}, expected a year of four digits.` });
  return undefined;
}

function comparisonBounds(operator: string, day: WrittenDay, grain: Grain): DateBounds {
  const first: DateMark = { day, plusDays: 0 };
  const last: DateMark = { day, lastOf: grain, plusDays: 0 };
  switch (operator) {
    case '=':
      return { kind: 'marks', from: first, to: last };
    case '>=':
      return { kind: 'marks', from: first };
    case '>':
      return { kind: 'marks', from: { ...last, plusDays: 1 } };
    case '<=':
      return { kind: 'marks', to: last };
    case '<':
      return { kind: 'marks', to: { ...first, plusDays: -1 } };
    default:
      return UNBOUNDED;
  }
}

function rangeBounds(
  first: WrittenDay,
  last: WrittenDay,
  grain: Grain,
  span: Span,
  report: Report,
): DateBounds | undefined {
  if (first.kind === 'fixed' && last.kind === 'fixed' && first.date > last.date) {
    const message = `BETWEEN ${first.date} AND ${last.date} contains no day: the first date is later.`;
    const hint = 'Swap the two dates.';
    report({ code: 'DATE_RANGE_TOO_NARROW', span, message, hint });
    return undefined;
  }
  return { kind: 'marks', from: { day: first, plusDays: 0 }, to: { day: last, lastOf: grain, plusDays: 0 } };
}

function windowOf(readings: readonly DateBounds[]): DateWindow | 'open' | 'empty' {
  const [only] = readings;
  if (only?.kind === 'period' && readings.length === 1) return only;
  const { firsts, lasts } = marksOf(readings);
  const closed = readings.some(({ kind }) => kind !== 'marks');
  if (!closed && (firsts.length === 0 || lasts.length === 0)) return 'open';
  const window: DateWindow = { kind: 'bounds', bounds: readings };
  const kinds = new Set(readings.flatMap(kindsOfDays));
  if (kinds.has('counted')) return !kinds.has('fixed') && isEverEmpty(window) ? 'empty' : window;
  const range = resolveWindow(window, ANY_DAY);
  return range ? { kind: 'fixed', range } : 'empty';
}

/** A window that is empty on 400 days is always empty. */
function isEverEmpty(window: DateWindow): boolean {
  for (let days = 0; days < SAMPLE_DAYS; days += 1) if (resolveWindow(window, addDays(ANY_DAY, days))) return false;
  return true;
}

const SAMPLE_DAYS = 400;

function kindsOfDays(bounds: DateBounds): ('fixed' | 'counted')[] {
  if (bounds.kind === 'period') return ['counted'];
  const days = bounds.kind === 'list' ? bounds.days : [bounds.from?.day, bounds.to?.day];
  return days.flatMap((day) => (day === undefined ? [] : day.kind === 'fixed' ? 'fixed' : 'counted'));
}
