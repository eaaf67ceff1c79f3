import { type CivilDate, daysBetween, daysOf } from '../../../domain/civil-date.ts';
import type { Span } from '../../../domain/diagnostic.ts';
import { civilDate } from '../../../domain/parse-civil-date.ts';
import { counted } from '../../../domain/wording.ts';
import { type DateWindow, resolveWindow } from '../../gaql/check/date-window.ts';
import { ownOf, type Window, windowText } from '../language/window.ts';
import { type Checking, type DataReach, refuse, type Scope, type TableDays } from './checking.ts';

/** Every window is tried on these days: a whole month, and the ends of quarters and years. */
const TODAYS: readonly CivilDate[] = [
  ...daysOf({ from: civilDate('2028-08-01'), to: civilDate('2028-08-31') }),
  civilDate('2027-12-31'),
  civilDate('2028-03-31'),
  civilDate('2028-09-30'),
  civilDate('2028-12-31'),
];

const known = new WeakMap<DateWindow, DataReach>();

export function reachOf(window: DateWindow): DataReach {
  const reach = known.get(window) ?? findReach(window);
  known.set(window, reach);
  return reach;
}

function findReach(window: DateWindow): DataReach {
  if (window.kind === 'fixed') return { kind: 'fixed' };
  const ranges = TODAYS.flatMap((today) => {
    const range = resolveWindow(window, today);
    return range ? [{ today, ...range }] : [];
  });
  const [first] = ranges;
  if (!first) return { kind: 'moving', oldest: Number.POSITIVE_INFINITY, newest: 0 };
  if (ranges.every(({ from, to }) => from === first.from && to === first.to)) return { kind: 'fixed' };
  const startsOnFixedDay = ranges.every(({ from }) => from === first.from);
  return {
    kind: 'moving',
    oldest: startsOnFixedDay
      ? Number.POSITIVE_INFINITY
      : Math.max(...ranges.map(({ from, today }) => daysBetween(from, today))),
    newest: Math.min(...ranges.map(({ to, today }) => daysBetween(to, today))),
  };
}

/** `oldest` and `newest` count days back from the account's today. */
export interface WindowReach {
  readonly oldest: number;
  readonly newest: number;
}

const MONTH_BACK = 30;
const TODAY: WindowReach = { oldest: 0, newest: 0 };

/** `own` is the rule's window. A `previous` window ends before `own` begins. */
function windowReach(window: Window, own: Window | undefined, settleDays: number): WindowReach {
  switch (window.kind) {
    case 'days':
      return { oldest: window.days + settleDays, newest: 1 + settleDays };
    case 'previous': {
      const after = own && own.kind !== 'previous' ? windowReach(own, undefined, settleDays).oldest : 0;
      return { oldest: after + window.days, newest: after + 1 };
    }
    case 'month_to_date':
      return { oldest: Math.max(MONTH_BACK, 1 + settleDays), newest: 1 + settleDays };
    case 'yesterday':
      return { oldest: 1, newest: 1 };
    case 'today':
      return TODAY;
    case 'same_weekday': {
      const days = ownOf(window, own);
      const last = days?.kind === 'today' ? 0 : days?.kind === 'days' && days.days === 1 ? 1 + settleDays : 1;
      return { oldest: last + 7 * window.weeks, newest: last + 7 };
    }
  }
}

export const DAYS_MAX = 999;
const WEEKS_MAX = 104;

export interface WindowRefusal {
  readonly code: 'BAD_WINDOW' | 'MISSING_WINDOW' | 'WINDOW_NOT_SETTLED' | 'WINDOW_LONGER_THAN_DATA';
  readonly message: string;
  readonly hint: string;
}

export function checkWindow(checking: Checking, window: Window, span: Span): boolean {
  const refusal = refusalOf(window, checking.scope);
  if (!refusal) return true;
  refuse(checking, refusal.code, span, refusal.message, refusal.hint);
  return false;
}

export function refusalOf(window: Window, { over, data }: Pick<Scope, 'over' | 'data'>): WindowRefusal | undefined {
  const number = countOf(window);
  const inWeeks = 'weeks' in window;
  const max = window.kind === 'same_weekday' ? WEEKS_MAX : inWeeks ? Math.floor(DAYS_MAX / 7) : DAYS_MAX;
  if (number !== undefined && !(Number.isInteger(number) && number >= 1 && number <= max)) {
    const unit = inWeeks ? 'weeks' : 'days';
    const message = `Found ${number} ${unit}, expected a whole number from 1 to ${max}.`;
    return { code: 'BAD_WINDOW', message, hint: `Write "${windowWords(exampleOf(window))}".` };
  }
  if (window.kind === 'previous' && over === undefined) {
    const message = 'Previous days end before the days of "over", but the rule has no "over".';
    return { code: 'MISSING_WINDOW', message, hint: 'Add "over: 7 days" to the rule.' };
  }
  const words = windowWords(window);
  if (window.untilNow === true) {
    if (!data.hasHours) {
      const message = `${JSON.stringify(words)} compares hours, but the query ${data.table} does not select segments.hour.`;
      return { code: 'BAD_WINDOW', message, hint: `Add segments.hour to queries/${data.table}.sql.` };
    }
    const unread = refusalByReach(words, TODAY, data);
    if (unread !== undefined) return unread;
  }
  const own = window.kind === 'previous' && over ? `, before the ${windowText(over)} of the rule,` : '';
  return refusalByReach(words, windowReach(window, over, data.settleDays), data, own);
}

export function refusalByReach(
  text: string,
  needed: WindowReach,
  { table, reach, settleDays, earlierDays }: TableDays,
  own = '',
): WindowRefusal | undefined {
  const words = JSON.stringify(text);
  if (reach.kind === 'fixed') {
    const message = `The query ${table} reads fixed days, but ${words} moves every day.`;
    const hint = 'Use dates that move with the calendar: segments.date DURING LAST_30_DAYS.';
    return { code: 'WINDOW_NOT_SETTLED', message, hint };
  }
  const isToday = needed.newest === 0;
  if (!isToday && needed.newest <= settleDays) {
    const message = `${words} reads days that are not complete yet: days of ${table} are complete ${counted(settleDays, 'day')} later.`;
    const hint = 'Use complete days such as "over 7 days". Or lower settle_days or conversion_window.';
    return { code: 'WINDOW_NOT_SETTLED', message, hint };
  }
  if (reach.newest > needed.newest) {
    const message = `${words} needs ${ago(needed.newest)}, but the last day of the query ${table} is ${ago(reach.newest)}.`;
    const last = isToday ? 'today' : 'yesterday';
    return { code: 'WINDOW_NOT_SETTLED', message, hint: `Extend the query to ${last}: "AND :${last}".` };
  }
  const oldest = needed.oldest + earlierDays;
  if (reach.oldest >= oldest) return undefined;
  const more = [
    ...(settleDays > 0 ? [`${counted(settleDays, 'day')} until numbers are final`] : []),
    ...(earlierDays > 0 ? [`${counted(earlierDays, 'more day')} for "lasting"`] : []),
  ];
  const included = more.length > 0 ? ` (including ${more.join(' and ')})` : '';
  const message = `${words}${own} starts ${ago(oldest)}${included}, but the query ${table} starts ${ago(reach.oldest)}.`;
  const during = oldest <= 30 ? 'DURING LAST_30_DAYS' : `BETWEEN :today-${oldest} AND :yesterday`;
  const hint = `Read more days: segments.date ${during}. Or shorten the window.`;
  return { code: 'WINDOW_LONGER_THAN_DATA', message, hint };
}

export function windowWords(window: Window): string {
  if (window.kind === 'same_weekday') return windowText(window);
  return `${window.kind === 'yesterday' || window.kind === 'today' ? 'on' : 'over'} ${windowText(window)}`;
}

function exampleOf(window: Window): Window {
  if (window.kind === 'days' || window.kind === 'previous') return { kind: window.kind, days: 7 };
  return window.kind === 'same_weekday' ? { kind: window.kind, weeks: 4 } : window;
}

function countOf(window: Window): number | undefined {
  if (window.kind === 'days' || window.kind === 'previous') return window.weeks ?? window.days;
  return window.kind === 'same_weekday' ? window.weeks : undefined;
}

function ago(days: number): string {
  if (days < 0) return `${-days} days ahead`;
  if (days === 0) return 'today';
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
