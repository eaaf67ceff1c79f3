import { unreachable } from '../../domain/errors.ts';
import { counted } from '../../domain/wording.ts';

/** The days a metric is summed over, as a rule says it. All but `today` are complete days of the account's own calendar. */
export type Window =
  /** `over 7 days`: the last complete days. */
  | { readonly kind: 'days'; readonly days: number }
  /** `over previous 7 days`: the days before the first day of the rule's own window. */
  | { readonly kind: 'previous'; readonly days: number }
  /** `over month to date`: from the first of the account's month to its last complete day. */
  | { readonly kind: 'month_to_date' }
  /** `on yesterday`: the day before the account's today. */
  | { readonly kind: 'yesterday' }
  /** `on today`: the account's today as far as it was read. It is never complete, so that such a rule may only alert. */
  | { readonly kind: 'today' }
  /** `same weekday over 4 weeks`: the days 7, 14, … days before yesterday, or before today in a rule over today. */
  | { readonly kind: 'same_weekday'; readonly weeks: number };

/** A window as a rule file writes it, without `over`: "7 days", "previous 7 days". */
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
