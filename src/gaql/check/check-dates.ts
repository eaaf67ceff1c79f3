import { addDays, type CivilDate, type DateRange, daysBetween, parseCivilDate } from '../../domain/civil-date.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { Condition, Query, Scalar } from '../syntax/tree.ts';
import { valuesOf } from './check-condition.ts';
import { type DateWindow, PERIOD_NAMES, periodNamed } from './date-window.ts';
import type { Report } from './report.ts';
import { didYouMean } from './suggest.ts';

export const DATE_FIELD = 'segments.date';

const EXAMPLE = `WHERE ${DATE_FIELD} DURING LAST_30_DAYS, or BETWEEN '2026-01-01' AND '2026-01-31'`;

/** The dates in WHERE exist and bound the query on both sides; returns the days they name. */
export function checkDates(tree: Query, complete: boolean, report: Report): DateWindow | undefined {
  const conditions = tree.where.filter(({ field }) => field.name === DATE_FIELD);
  const windows = conditions.map((condition) => readCondition(condition, report));
  const selected = tree.select.find(({ name }) => name === DATE_FIELD);
  if (!complete || windows.includes('refused')) return undefined;
  const window = intersect(windows.filter((one) => one !== 'refused'));
  if (window === 'empty') {
    const span = conditions[0]?.operatorSpan ?? tree.span;
    report({ code: 'INVALID_VALUE_WITH_BETWEEN_OPERATOR', span, message: 'The date conditions leave no day.' });
    return undefined;
  }
  if (window === 'several') {
    const span = conditions.at(-1)?.operatorSpan ?? tree.span;
    report({
      code: 'PROHIBITED_FIELD_COMBINATION_IN_SELECT_CLAUSE',
      span,
      message: 'Found DURING beside another date condition, expected one of them.',
    });
    return undefined;
  }
  if (window === 'open' && selected) {
    report({
      code: 'EXPECTED_FILTERS_ON_DATE_RANGE',
      span: conditions[0]?.field.span ?? selected.span,
      message:
        conditions.length === 0
          ? `${DATE_FIELD} is selected and WHERE does not say which days.`
          : `The condition on ${DATE_FIELD} is open: it needs a first and a last day.`,
      hint: `For example ${EXAMPLE}.`,
    });
  }
  return typeof window === 'string' ? undefined : window;
}

type Bounds = { readonly from?: CivilDate; readonly to?: CivilDate };
type Reading =
  | { readonly kind: 'period'; readonly window: DateWindow }
  | { readonly kind: 'bounds'; readonly bounds: Bounds };

function readCondition(condition: Condition, report: Report): Reading | 'refused' {
  if (condition.kind === 'during') {
    const period = condition.period.kind === 'name' ? periodNamed(condition.period.text) : undefined;
    if (period) return { kind: 'period', window: { kind: 'period', period } };
    report({
      code: 'INVALID_VALUE_WITH_DURING_OPERATOR',
      span: condition.period.span,
      message: `DURING has no period ${quote(condition.period.text)}.`,
      hint: didYouMean(condition.period.text, PERIOD_NAMES) ?? `Periods are ${PERIOD_NAMES.join(', ')}.`,
    });
    return 'refused';
  }
  const dates = valuesOf(condition).map((value) => readDate(value, report));
  const [first, second] = dates;
  if (dates.includes(undefined)) return 'refused';
  if (condition.kind === 'between' && first && second) {
    if (first > second) {
      report({
        code: 'INVALID_VALUE_WITH_BETWEEN_OPERATOR',
        span: condition.low.span,
        message: `BETWEEN ${first} AND ${second} holds no day: the first date is the later one.`,
        hint: 'Swap the two dates.',
      });
      return 'refused';
    }
    return { kind: 'bounds', bounds: { from: first, to: second } };
  }
  if (condition.kind === 'comparison' && first) return { kind: 'bounds', bounds: boundsOf(condition.operator, first) };
  return { kind: 'bounds', bounds: {} };
}

function boundsOf(operator: string, date: CivilDate): Bounds {
  if (operator === '=') return { from: date, to: date };
  if (operator === '>=') return { from: date };
  if (operator === '>') return { from: addDays(date, 1) };
  if (operator === '<=') return { to: date };
  if (operator === '<') return { to: addDays(date, -1) };
  return {};
}

function intersect(readings: readonly Reading[]): DateWindow | 'open' | 'empty' | 'several' {
  const periods = readings.filter((reading) => reading.kind === 'period');
  if (periods[0]) return readings.length === 1 ? periods[0].window : 'several';
  let range: Partial<DateRange> = {};
  for (const reading of readings) {
    if (reading.kind !== 'bounds') continue;
    const { from, to } = reading.bounds;
    if (from && (!range.from || isBefore(range.from, from))) range = { ...range, from };
    if (to && (!range.to || isBefore(to, range.to))) range = { ...range, to };
  }
  if (!range.from || !range.to) return 'open';
  return isBefore(range.to, range.from) ? 'empty' : { kind: 'fixed', range: { from: range.from, to: range.to } };
}

/** By the calendar: the day after 9999-12-31 has a fifth digit and compares wrongly as text. */
function isBefore(a: CivilDate, b: CivilDate): boolean {
  return daysBetween(a, b) > 0;
}

/** A quoted `YYYY-MM-DD` or `YYYYMMDD` that is a day of the calendar. */
function readDate(value: Scalar, report: Report): CivilDate | undefined {
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(value.text);
  const text = compact ? `${compact[1]}-${compact[2]}-${compact[3]}` : value.text;
  const date = value.kind === 'string' ? parseCivilDate(text) : undefined;
  if (date) return date;
  const wellFormed = value.kind === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text);
  report({
    code: 'INVALID_DATE_FORMAT',
    span: value.span,
    message: wellFormed
      ? `There is no day ${value.text} in the calendar.`
      : `Found ${value.kind === 'string' ? value.raw : value.text}, expected a date in quotes: 'YYYY-MM-DD'.`,
  });
  return undefined;
}
