import { unreachable } from '../../../domain/errors.ts';
import { counted } from '../../../domain/wording.ts';

/** `until now`: of each day, only the hours that have passed today in the last read. */
interface HoursOfDay {
  readonly untilNow?: boolean | undefined;
}

/** Every window except `today` consists of past days in the account's time zone. */
export type Window = HoursOfDay & DayWindow;

type DayWindow =
  /** `weeks` is set if the window was written in weeks. */
  | { readonly kind: 'days'; readonly days: number; readonly weeks?: number | undefined }
  /** `over previous 7 days`: the days before the rule's own window. */
  | { readonly kind: 'previous'; readonly days: number; readonly weeks?: number | undefined }
  /** `over month to date`: from the first of the month to the last complete day. */
  | { readonly kind: 'month_to_date' }
  | { readonly kind: 'yesterday' }
  /** `on today`: today's numbers so far, which are never complete. */
  | { readonly kind: 'today' }
  /** `same weekday over 4 weeks`: 7, 14, … days before the compared day, usually yesterday, without holidays. */
  | { readonly kind: 'same_weekday'; readonly weeks: number };

/** `until now` compares other days with today, whatever the days of the rule are. */
export function ownOf(window: Window, own: Window | undefined): Window | undefined {
  return window.untilNow === true ? { kind: 'today' } : own;
}

export function windowText(window: Window): string {
  return `${dayText(window)}${window.untilNow === true ? ' until now' : ''}`;
}

function dayText(window: DayWindow): string {
  switch (window.kind) {
    case 'days':
      return daysText(window);
    case 'previous':
      return `previous ${daysText(window)}`;
    case 'month_to_date':
      return 'month to date';
    case 'yesterday':
    case 'today':
      return window.kind;
    case 'same_weekday':
      return `same weekday over ${counted(window.weeks, 'week')}`;
    default:
      return unreachable(window);
  }
}

export function daysWindow(kind: 'days' | 'previous', count: number, inWeeks: boolean): Window {
  return inWeeks ? { kind, days: 7 * count, weeks: count } : { kind, days: count };
}

function daysText({ days, weeks }: Extract<Window, { kind: 'days' | 'previous' }>): string {
  return weeks === undefined ? counted(days, 'day') : counted(weeks, 'week');
}
