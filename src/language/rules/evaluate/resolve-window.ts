import { addDays, type CivilDate, type DateRange, daysOf, monthStart } from '../../../domain/civil-date.ts';
import { InvariantError, unreachable } from '../../../domain/errors.ts';
import { listed } from '../../../domain/wording.ts';
import { ownOf, type Window } from '../language/window.ts';

export interface AccountCalendar extends KnownDays {
  readonly today: CivilDate;
  /** The newest day whose numbers can be final. Always before `today`. */
  readonly lastSettled: CivilDate;
  /** Number of days until a day's conversions are complete. */
  readonly conversionDays?: number | undefined;
  readonly readToday?: boolean;
  /** The hour of the account's clock, 0 to 23. Undefined in a trial, which plays whole days. */
  readonly hour?: number | undefined;
  /** The number of hours of today, 0 to 23, that had passed when today was last read. Undefined in a trial. */
  readonly readHours?: number | undefined;
}

type Optional = 'conversionDays' | 'hour' | 'readHours';
export type KnownCalendar = Required<Omit<AccountCalendar, Optional>> & Pick<AccountCalendar, Optional>;

/** `untilHour`: of each day, only the hours before it. */
export type WindowDays =
  | ({ readonly kind: 'range'; readonly untilHour?: number } & DateRange)
  | { readonly kind: 'days'; readonly days: readonly CivilDate[]; readonly untilHour?: number }
  /** `reason` is a text such as "2026-11-19 is not complete yet". */
  | { readonly kind: 'none'; readonly reason: string };

/** `own` is the rule's own window. The windows `previous` and `same_weekday` depend on `own`. */
export function resolveWindow(window: Window, own: Window | undefined, calendar: AccountCalendar): WindowDays {
  const days = resolveDays(window, own, calendar);
  if (window.untilNow !== true || days.kind === 'none') return days;
  const { today, readHours = 0 } = calendar;
  if (readHours === 0) return { kind: 'none', reason: `no whole hour of ${today} has been read yet` };
  return { ...days, untilHour: readHours };
}

function resolveDays(window: Window, own: Window | undefined, calendar: AccountCalendar): WindowDays {
  const { today, lastSettled } = calendar;
  const yesterday = addDays(today, -1);
  switch (window.kind) {
    case 'days':
      return { kind: 'range', from: addDays(lastSettled, 1 - window.days), to: lastSettled };
    case 'month_to_date': {
      const from = monthStart(today);
      if (lastSettled >= from) return { kind: 'range', from, to: lastSettled };
      return { kind: 'none', reason: `no day since ${from} is complete yet` };
    }
    case 'yesterday':
      return lastSettled >= yesterday
        ? { kind: 'range', from: yesterday, to: yesterday }
        : { kind: 'none', reason: `${yesterday} is not complete yet` };
    case 'today':
      return calendar.readToday === true
        ? { kind: 'range', from: today, to: today }
        : { kind: 'none', reason: `${today} has not been read yet` };
    case 'same_weekday': {
      const days = sameWeekdays(window.weeks, comparedDay(ownOf(window, own), calendar), calendar);
      const open = days.find((day) => day > lastSettled);
      if (open !== undefined) return { kind: 'none', reason: `${open} is not complete yet` };
      return days.length > 0 ? { kind: 'days', days } : { kind: 'none', reason: 'all of its days are holidays' };
    }
    case 'previous': {
      if (own === undefined || own.kind === 'previous') {
        throw new InvariantError('Found "previous" in a rule without a window of its own.');
      }
      const base = resolveWindow(own, undefined, calendar);
      if (base.kind === 'none') return base;
      const first = base.kind === 'range' ? base.from : base.days[0];
      if (first === undefined) throw new InvariantError('Found a window without days.');
      return { kind: 'range', from: addDays(first, -window.days), to: addDays(first, -1) };
    }
    default:
      return unreachable(window);
  }
}

export function comparedDay(
  own: Window | undefined,
  { today, lastSettled }: Pick<AccountCalendar, 'today' | 'lastSettled'>,
): CivilDate {
  if (own?.kind === 'today') return today;
  return own?.kind === 'days' && own.days === 1 ? lastSettled : addDays(today, -1);
}

export function listDays(window: WindowDays): readonly CivilDate[] {
  switch (window.kind) {
    case 'range':
      return daysOf(window);
    case 'days':
      return window.days;
    case 'none':
      return [];
    default:
      return unreachable(window);
  }
}

export function rangesOf(window: WindowDays): readonly DateRange[] {
  if (window.kind === 'range') return [{ from: window.from, to: window.to }];
  return listDays(window).map((day) => ({ from: day, to: day }));
}

export function describeDays(window: WindowDays): string {
  switch (window.kind) {
    case 'range':
      return `${window.from === window.to ? window.from : `${window.from} to ${window.to}`}${hoursText(window)}`;
    case 'days':
      return `${listed(window.days)}${hoursText(window)}`;
    case 'none':
      return `none, ${window.reason}`;
    default:
      return unreachable(window);
  }
}

function hoursText({ untilHour }: Exclude<WindowDays, { kind: 'none' }>): string {
  return untilHour === undefined ? '' : `, 00:00 to ${String(untilHour).padStart(2, '0')}:00`;
}

interface KnownDays {
  /** Rules do not compare holidays with other days. */
  readonly holidays?: ReadonlySet<CivilDate>;
  readonly settled?: (day: CivilDate) => boolean;
}

/** Oldest first. An earlier week replaces a holiday if the earlier day is final. */
export function sameWeekdays(weeks: number, day: CivilDate, { holidays, settled }: KnownDays): CivilDate[] {
  const days: CivilDate[] = [];
  for (let week = 1; week <= 2 * weeks && days.length < weeks; week += 1) {
    const one = addDays(day, -7 * week);
    if (holidays?.has(one)) continue;
    if (week <= weeks || settled?.(one)) days.unshift(one);
  }
  return days;
}
