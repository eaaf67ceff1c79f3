import { type DateRange, daysBetween } from '../domain/civil-date.ts';
import { formatMoney } from '../domain/micros.ts';
import { listed } from '../domain/wording.ts';
import type { AccountBacktest } from '../language/results/report-result.ts';
import { CURRENCY, CUSTOMER, RULE } from '../storage/columns/budget-columns.ts';
import { type Column, count, filled, json, list, money } from '../storage/columns/column.ts';
import { FIRED, UNKNOWN } from './decision-columns.ts';
import { count as counted } from './text/text-layout.ts';
import { spendWords } from './trial-words.ts';

const DAYS_SHOWN = 3;

export interface ShownTrial extends AccountBacktest {
  readonly rule: string;
  readonly accountName?: string | undefined;
}

export const TRIAL_COLUMNS: readonly Column<ShownTrial>[] = [
  { ...RULE, title: undefined },
  CUSTOMER,
  CURRENCY,
  count('days', 'Number of requested days.', ({ sums }) => sums.evaluated + dayCount(sums.notEvaluated)),
  count('evaluated', 'Number of evaluated days.', ({ sums }) => sums.evaluated, { title: 'Days' }),
  json('not_evaluated', 'The days without an evaluation, and the reasons.', ({ sums }) =>
    sums.notEvaluated.map(({ from, to, reason }) => ({ from, to, reason })),
  ),
  count('as_known', 'Days evaluated with the numbers known at the time.', ({ sums }) => sums.data.known),
  count(
    'restated',
    'Days evaluated with corrected numbers, scaled to the totals known at the time.',
    ({ sums }) => sums.data.restated,
  ),
  count('not_on_record', "Days evaluated with today's numbers.", ({ sums }) => sums.data.not_on_record),
  count(
    'subjects',
    'Subjects evaluated, each counted once per day: 12 campaigns on 30 days are 360.',
    ({ sums }) => sums.looked,
    { title: 'Checked' },
  ),
  filled(FIRED, ({ sums }) => sums.fired),
  filled(UNKNOWN, ({ sums }) => sums.unknown),
  count('changes', 'Changes that the rule would have made.', ({ sums }) => sums.changes, {
    title: 'Changes',
    shown: (trial) => changing(trial, String(trial.sums.changes)),
  }),
  count('alerts', 'For alert-only rules: how often the condition became true.', 'alerts', {
    title: 'Became true',
  }),
  json('refused', 'Number of refused changes by code.', ({ sums }) => Object.fromEntries(sums.refused)),
  money('budgets_begin_micros', 'Sum of all budgets before the first day.', ({ budgets }) => budgets.begin, {
    title: 'Budgets before',
    stays: true,
    shown: (trial) => changing(trial, formatMoney(trial.budgets.begin, trial.currency)),
  }),
  money('budgets_end_micros', 'Sum of all budgets after the last day.', ({ budgets }) => budgets.end, {
    title: 'Budgets after',
    stays: true,
    shown: (trial) => changing(trial, formatMoney(trial.budgets.end, trial.currency)),
  }),
  money(
    'spent_micros',
    'The recorded cost of the complete days. Empty if the table has no cost per campaign.',
    ({ spend }) => spend?.spent,
    { rounded: true },
  ),
  money(
    'saved_micros',
    'The part of this cost above lowered budgets, per budget and day at most the reduction.',
    ({ spend }) => spend?.saved,
    { rounded: true },
  ),
  money(
    'added_micros',
    'The raise of budgets, on days whose cost used up the budget without the rule.',
    ({ spend }) => spend?.added,
    { rounded: true },
  ),
  list('remarks', 'Remarks on the days and their data.', remarksOf, {
    title: 'Remarks',
    long: 'lines',
    only: ['people'],
  }),
];

function changing({ alerts }: ShownTrial, words: string): string | undefined {
  return alerts === undefined ? words : undefined;
}

function remarksOf({ sums, spend, currency }: ShownTrial): string[] {
  const { known, restated, not_on_record: later } = sums.data;
  const data = [
    ...(known === 0 ? [] : [`${counted(known, 'day')} with the numbers known at the time`]),
    ...(restated === 0 ? [] : [`${counted(restated, 'day')} with corrected numbers scaled to earlier totals`]),
    ...(later === 0
      ? []
      : [`${counted(later, 'day')} with today's numbers, because some earlier numbers are not on record`]),
  ];
  const refused = [...sums.refused].map(([code, times]) => `${code} ${times.toLocaleString('en-US')}`);
  const days = sums.notEvaluated.slice(0, DAYS_SHOWN);
  const rest = dayCount(sums.notEvaluated.slice(DAYS_SHOWN));
  return [
    ...(data.length === 0 ? [] : [`Evaluated ${listed(data)}.`]),
    ...days.map(({ from, to, reason }) => `Not evaluated ${from === to ? from : `${from} to ${to}`}: ${reason}`),
    ...(rest > 0 ? [`Not evaluated on ${counted(rest, 'more day')}.`] : []),
    ...(refused.length === 0 ? [] : [`Refused: ${refused.join(', ')}.`]),
    ...(spend === undefined || sums.changes === 0 ? [] : [spendWords(spend, currency)]),
  ];
}

function dayCount(ranges: readonly DateRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + daysBetween(from, to) + 1, 0);
}
