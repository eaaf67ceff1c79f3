import type { AccountMonth } from '../../language/results/account-month.ts';
import { type Column, count, day, id, list, money, number, text } from '../../storage/columns/column.ts';
import { endWords, shareOfChange, shortDigits, targetDigits, targetName } from './month-words.ts';

type Amount = 'spent' | 'monthEnd' | 'cap' | 'week' | 'weekBefore' | 'cpa';

const shown = (name: Amount) => (row: AccountMonth) => shortDigits(row[name], row.currency) ?? '–';

export const MONTH_COLUMNS: readonly Column<AccountMonth>[] = [
  id('customer_id', 'The account.', 'customerId'),
  text('name', 'The name of the account.', 'name', {
    title: 'Account',
    shown: ({ name, customerId }) => name ?? customerId,
  }),
  text('currency', 'The currency of all amounts, ISO 4217.', 'currency', { title: '' }),
  day('month', 'The first day of the month.', 'month'),
  day('complete_until', 'The newest complete day.', 'completeUntil'),
  count(
    'lacked_days',
    'Number of earlier days of the month that are not complete. No amount includes them.',
    'lackedDays',
  ),
  money('spent_micros', 'The cost of the complete days of the month.', 'spent', {
    title: 'Spent',
    shown: shown('spent'),
  }),
  money('month_end_micros', 'The expected cost of the whole month.', 'monthEnd', {
    title: 'Month end',
    shown: shown('monthEnd'),
  }),
  money('cap_micros', "The cost of the month if every day used up today's budgets.", 'cap'),
  text('target_rule', 'The rule of the target that is furthest off.', ({ target }) => target?.rule),
  day('target_month', 'The first day of the month in which the rule was evaluated.', ({ target }) => target?.month),
  money('target_micros', 'The target.', ({ target }) => target?.target, {
    title: 'Target',
    shown: ({ target, month, currency }) =>
      target?.isWhole && target.month === month ? targetDigits(target, currency) : undefined,
  }),
  money('target_projected_micros', 'The expected cost of what the target covers.', ({ target }) => target?.projected),
  list('target_covers', 'The campaigns of the target, or groups that share a budget.', ({ target }) => target?.covers, {
    title: 'Target of',
    long: true,
    // A part of the account has a line of its own, because the row has the spend of the whole.
    shown: ({ target, month, currency }) =>
      target?.month === month && target && !target.isWhole
        ? `Target of ${targetName(target)}: ${endWords(target, currency)}`
        : '',
  }),
  text('target_off', 'over or under. Empty if the target is met.', ({ target }) => target?.off),
  count('more_targets', 'Number of other targets of the account.', 'moreTargets'),
  money('week_micros', 'The cost of the last seven complete days.', 'week', { title: '7 days', shown: shown('week') }),
  money('week_before_micros', 'The cost of the seven days before.', 'weekBefore', {
    title: 'Change',
    shown: ({ week, weekBefore }) => shareOfChange(week, weekBefore),
  }),
  number('conversions', 'Conversions on the complete days of the month.', 'conversions', {
    title: 'Conv.',
    shown: ({ conversions }) => conversions?.toLocaleString('en-US', { maximumFractionDigits: 0 }),
  }),
  day(
    'conversions_until',
    'The newest day that is complete for conversions. Empty if all complete days are.',
    (row) => row.arriving?.completeUntil,
  ),
  number('conversions_arriving', 'Conversions so far of the days after it.', (row) => row.arriving?.soFar),
  number(
    'conversions_to_come',
    'How many more are usual for them, from days that were read again.',
    (row) => row.arriving?.more,
  ),
  money('cpa_micros', 'Cost per conversion, until `conversions_until`.', 'cpa', { title: 'CPA', shown: shown('cpa') }),
  list('member_of', 'Names of the targets of several accounts that count its costs, too.', 'memberOf'),
  text('driver', "The campaign that contributed most to the week's change.", 'driver'),
];
