import { type CivilDate, daysBetween, daysOf } from '../../domain/civil-date.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { type DateWindow, resolveWindow } from '../../gaql/check/date-window.ts';
import type { Window } from '../language/window.ts';

/** The days a query reads, counted back from the account's today: 1 is yesterday. */
export type DataReach =
  /** The same days whatever day it is. */
  | { readonly kind: 'fixed' }
  | {
      readonly kind: 'moving';
      /** The first of them on the days when it reaches farthest; infinite where the first is a fixed day. */
      readonly oldest: number;
      /** The last of them on the days when it comes nearest. */
      readonly newest: number;
    };

/** Every day of a month of 31 days, and the last day of a leap year: on these each calendar stretch is at its longest. */
const TODAYS: readonly CivilDate[] = [
  ...daysOf({ from: civilDate('2028-08-01'), to: civilDate('2028-08-31') }),
  ...['2027-12-31', '2028-03-31', '2028-09-30', '2028-12-31'].map(civilDate),
];

/** Many rules read one query. */
const known = new WeakMap<DateWindow, DataReach>();

/** How far the query's dates reach on whatever day. */
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
  // From a fixed day in the future to a day that moves: nothing is known of how far it will reach.
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

/** The days of a rule's window, counted back from the account's today, on the days when it reaches farthest. */
export interface WindowReach {
  readonly oldest: number;
  readonly newest: number;
}

/** The days from the first of a month of 31 to its last day. */
const MONTH_BACK = 30;

/** `own` is the rule's own window, which `previous` ends before and which says of which day the weekday is. */
export function windowReach(window: Window, own: Window | undefined, settleDays: number): WindowReach {
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
      return { oldest: 0, newest: 0 };
    case 'same_weekday': {
      const last = own?.kind === 'today' ? 0 : 1;
      return { oldest: last + 7 * window.weeks, newest: last + 7 };
    }
  }
}
