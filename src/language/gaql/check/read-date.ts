import type { CivilDate } from '../../../domain/civil-date.ts';
import { parseCivilDate } from '../../../domain/parse-civil-date.ts';
import type { CatalogueField } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { Literal, Value } from '../syntax/tree.ts';
import { shown } from './bind-parameters.ts';
import {
  beginsGrain,
  CALENDAR_DAYS_MAX,
  type DayGrain,
  isCalendarName,
  PERIOD_NAMES,
  type PeriodName,
  periodNamed,
  type WrittenDay,
} from './date-window.ts';
import { didYouMean } from './suggest.ts';

/** Reads a quoted `YYYY-MM-DD` or `YYYYMMDD`, or a calendar day such as `:today`. */
export function readDay(value: Value, field: CatalogueField, grain: DayGrain, report: Report): WrittenDay | undefined {
  const day = value.kind === 'placeholder' ? calendarDay(value, report) : fixedDay(value, field, report);
  if (day && !beginsGrain(day, grain)) {
    const message = `${field.name} takes the first day of a ${grain}${grain === 'week' ? ', a Monday' : ''}.`;
    const hint = `Write that day, or :${grain}_start.`;
    report({ code: 'MISALIGNED_DATE_FOR_FILTER', span: value.span, message, hint });
    return undefined;
  }
  return day;
}

function calendarDay(value: Extract<Value, { kind: 'placeholder' }>, report: Report): WrittenDay | undefined {
  const { name, days = 0, span } = value;
  if (isCalendarName(name) && Math.abs(days) <= CALENDAR_DAYS_MAX) return { kind: 'calendar', name, days };
  const message = `Found :${name} moved by ${days} days, expected at most ${CALENDAR_DAYS_MAX}.`;
  report({ code: 'BAD_VALUE', span, message });
  return undefined;
}

export function withDashes(date: string): string {
  return date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}

function fixedDay(value: Literal, field: CatalogueField, report: Report): WrittenDay | undefined {
  const text = withDashes(value.text);
  const date: CivilDate | undefined = value.kind === 'string' ? parseCivilDate(text) : undefined;
  if (date) return { kind: 'fixed', date };
  const wellFormed = value.kind === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text);
  const message = wellFormed
    ? `The day ${value.text} does not exist.`
    : `Found ${shown(value)}, expected a date${value.parameter === undefined ? ' in quotes' : ''} for ${field.name}: ${value.parameter === undefined ? "'YYYY-MM-DD'" : 'YYYY-MM-DD'}.`;
  const isWritten = value.parameter === undefined && !wellFormed;
  const hint = isWritten ? 'For a day that moves with the calendar, write :today-7 without quotes.' : undefined;
  report({ code: 'INVALID_DATE_FORMAT', span: value.span, message, hint });
  return undefined;
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?([+-]\d{2}:\d{2})?$/;

export function checkDateTime(value: Literal, field: CatalogueField, report: Report): void {
  const [day = '', time] = value.text.split(/ (.*)/s);
  if (value.kind === 'string' && parseCivilDate(withDashes(day)) && (time === undefined || TIME.test(time))) return;
  const message = `Found ${shown(value)}, expected a day, or a day and a time, in quotes for ${field.name}.`;
  const hint = "Write 'YYYY-MM-DD' or 'YYYY-MM-DD hh:mm:ss'.";
  report({ code: 'INVALID_DATE_FORMAT', span: value.span, message, hint });
}

export function readPeriod(written: Value, report: Report): PeriodName | undefined {
  const period = written.kind === 'name' ? periodNamed(written.text) : undefined;
  // A placeholder here has already been reported.
  if (period || written.kind === 'placeholder') return period;
  const inQuotes = written.kind === 'string' ? periodNamed(written.text) : undefined;
  const message = inQuotes
    ? `Found ${shown(written)}, expected a period without quotes after DURING.`
    : `Unknown period ${written.parameter === undefined ? quote(written.text) : shown(written)} after DURING.`;
  const hint = inQuotes
    ? `Write ${inQuotes}.`
    : (didYouMean(written.text, PERIOD_NAMES) ??
      `Periods are ${PERIOD_NAMES.join(', ')}. For other days, write BETWEEN :today-14 AND :yesterday.`);
  report({ code: 'INVALID_VALUE_WITH_DURING_OPERATOR', span: written.span, message, hint });
  return undefined;
}
