import { unreachable } from '../../../domain/errors.ts';
import { counted } from '../../../domain/wording.ts';

/** Every window except `today` consists of past days in the account's time zone. */
export type Window =
  | { readonly kind: 'days'; readonly days: number }
  /** `over previous 7 days`: the days before the rule's own window. */
  | { readonly kind: 'previous'; readonly days: number }
  /** `over month to date`: from the first of the month to the last complete day. */
  | { readonly kind: 'month_to_date' }
  | { readonly kind: 'yesterday' }
  /** `on today`: today's numbers so far, which are never complete. */
  | { readonly kind: 'today' }
  /** `same weekday over 4 weeks`: 7, 14, … days before the compared day, usually yesterday, without holidays. */
  | { readonly kind: 'same_weekday'; readonly weeks: number };

export function windowText(window: Window): string {
  switch (window.kind) {
    case 'days':
      return counted(window.days, 'day');
    case 'previous':
      return `previous ${counted(window.days, 'day')}`;
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
