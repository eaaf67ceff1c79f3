import { formatMoneyRounded } from '../domain/micros.ts';
import { rational, roundHalfAway } from '../domain/rational.ts';
import type {
  SimulatedAlert,
  SimulatedBudget,
  SimulatedChange,
  SimulatedFuture,
  SimulatedRule,
  SimulatedShock,
  SimulatedSums,
  SimulationResult,
} from '../results/simulation-result.ts';
import { count as counted, LINES_MAX } from '../text/text-layout.ts';
import { BUDGET, CAMPAIGN, CAMPAIGN_NAME, FROM, REASON, RULE, TO } from './budget-columns.ts';
import { SUBJECT_WORDS } from './decision-columns.ts';
import { type Column, count, day, filled, json, money, number, state, text } from './kit/column.ts';
import { type Listing, memberPart, part, sentences } from './kit/listing.ts';
import { differenceText, monthsOf } from './report/compare-futures.ts';
import { NOTES } from './rule-parts.ts';

interface OfCurrency {
  readonly currency: string;
}
interface BothSides {
  readonly with: SimulatedSums;
  readonly without: SimulatedSums;
}

const CHANGES = count('changes', 'How often it was changed.', 'changes', { title: 'Changes' });
const DAY = day('day', 'The simulated day.', 'day', { title: 'Day' });
const SUBJECT = { ...SUBJECT_WORDS, title: 'Subject' };

const SIDES: readonly Column<BothSides>[] = [
  money('spend_with_micros', 'Spend with the rules.', (row) => row.with.spendMicros, {
    title: 'Spend with',
    rounded: true,
    only: ['people'],
  }),
  money('spend_without_micros', 'Spend without them.', (row) => row.without.spendMicros, {
    title: 'Spend without',
    rounded: true,
    only: ['people'],
  }),
  count('clicks_with', 'Clicks with the rules.', (row) => row.with.clicks, { title: 'Clicks with', only: ['people'] }),
  count('clicks_without', 'Clicks without them.', (row) => row.without.clicks, {
    title: 'Clicks without',
    only: ['people'],
  }),
  json('with', 'With the rules.', (row) => sumsJson(row.with)),
  json('without', 'Without them.', (row) => sumsJson(row.without)),
];

export const MONTH_COLUMNS: readonly Column<ReturnType<typeof monthsOf>[number] & OfCurrency>[] = [
  text('month', 'The month.', 'month', { title: 'Month' }),
  count('days', 'Its simulated days.', 'days', { title: 'Days' }),
  ...SIDES,
];

export const BUDGET_COLUMNS: readonly Column<SimulatedBudget & OfCurrency>[] = [
  BUDGET,
  text('label', "Its campaign's name, or how many share it.", 'label', { title: 'Budget' }),
  filled(FROM, ({ fromMicros }) => fromMicros, { title: 'Began at' }),
  filled(TO, ({ toMicros }) => toMicros, { title: 'Ends at' }),
  CHANGES,
  ...SIDES,
];

export const SIMULATED_RULE_COLUMNS: readonly Column<SimulatedRule>[] = [
  RULE,
  count('fired', 'Subjects that it fired for, all days together.', 'fired', { title: 'Fired' }),
  CHANGES,
  count('refused', 'How many changes were held back.', 'refused', { title: 'Held back' }),
  json('refused_by', 'By what, the most first.', ({ refusedBy }) => Object.fromEntries(refusedBy)),
  count('alerts', 'How many alerts it sent.', 'alerts', { title: 'Alerts' }),
  count('days_not_evaluated', 'On how many days it was not evaluated.', 'notEvaluated'),
  text('not_evaluated_why', 'Why, on the first of them.', 'notEvaluatedWhy'),
  text('left_out', 'Why it had no part in it.', 'leftOut'),
  text('remarks', 'What else is to be known of it.', remarksOf, { title: 'Remarks', long: true, only: ['people'] }),
];

export const SIMULATED_CHANGE_COLUMNS: readonly Column<SimulatedChange & OfCurrency>[] = [
  DAY,
  BUDGET,
  CAMPAIGN,
  SUBJECT,
  RULE,
  filled(FROM, ({ fromMicros }) => fromMicros),
  filled(TO, ({ toMicros }) => toMicros),
  text('limited_by', 'The limit that held it.', 'limitedBy'),
  REASON,
];

const ALERT_KINDS: Readonly<Record<string, string>> = {
  change: 'a budget was changed',
  first: 'it began',
  repeat: 'it still is so',
  escalated: 'it became worse',
  resolved: 'it is over',
};

export const SIMULATED_ALERT_COLUMNS: readonly Column<SimulatedAlert>[] = [
  DAY,
  RULE,
  state('kind', 'change, first, repeat, escalated or resolved.', 'kind', {
    title: 'Because',
    shown: ({ kind }) => ALERT_KINDS[kind] ?? kind,
  }),
  SUBJECT,
  text('text', 'What people would be told.', 'text', { title: 'Words', long: true }),
];

const SHOCK_KINDS: Readonly<Record<string, string>> = {
  surge: 'twice as many searches',
  collapse: 'hardly any searches',
  dear_clicks: 'clicks cost half as much again',
};

export const SHOCK_COLUMNS: readonly Column<SimulatedShock>[] = [
  CAMPAIGN,
  { ...CAMPAIGN_NAME, title: 'Campaign' },
  state('kind', 'surge, collapse or dear_clicks.', 'kind', {
    title: 'What',
    shown: ({ kind }) => SHOCK_KINDS[kind] ?? kind,
  }),
  day('from', 'The first day.', 'from', { title: 'From' }),
  day('to', 'The last day.', 'to', { title: 'To' }),
];

interface Comparison {
  readonly what: string;
  readonly with: string;
  readonly without: string;
  readonly difference?: string;
}

const COMPARISON_COLUMNS: readonly Column<Comparison>[] = [
  text('what', 'What is compared.', 'what', { title: '' }),
  number('with', 'With the rules.', undefined, { title: 'With', shown: (row) => row.with }),
  number('without', 'Without them.', undefined, { title: 'Without', shown: ({ without }) => without }),
  number('difference', 'By how much it is more.', undefined, {
    title: 'Difference',
    shown: ({ difference }) => difference,
  }),
];

const CHANGES_SHOWN = 10;

export const SIMULATE: Listing<SimulationResult> = {
  name: 'simulate',
  about: 'What would come of the rules: the same demand with them and without. Nothing of it happened.',
  before: ({ account, market, days, dayCount }) => [
    `pacekeeper simulate · ${market} · ${account.name} (${account.customerId}) · ${days.from} to ${days.to}, ${counted(dayCount, 'day')}`,
    'Nothing of this happened.',
  ],
  json: ({ dayCount, seed, market, days, warmupCount, currency, account, byDay, notes, ...result }) => ({
    days: dayCount,
    seed,
    market,
    from: days.from,
    to: days.to,
    warmup_days: warmupCount,
    currency,
    account: { customer_id: account.customerId, name: account.name },
    with: futureJson(result.with),
    without: futureJson(result.without),
    by_day: byDay.map(({ date, changes, alerts, ...sides }) => ({
      date,
      with: { ...sumsJson(sides.with), budget_micros: sides.with.budgetMicros, changes, alerts },
      without: { ...sumsJson(sides.without), budget_micros: sides.without.budgetMicros },
    })),
    notes,
  }),
  parts: [
    part({ only: ['people'], title: 'With the rules and without', columns: COMPARISON_COLUMNS, rows: comparison }),
    part({
      only: ['people'],
      title: 'By month',
      columns: MONTH_COLUMNS,
      rows: (result) => monthsOf(result).map(inCurrency(result)),
    }),
    part({
      json: 'budgets',
      only: ['json'],
      title: 'Budgets',
      columns: BUDGET_COLUMNS,
      rows: (result) => result.budgets.map(inCurrency(result)),
    }),
    memberPart('rules', { title: 'Rules', columns: SIMULATED_RULE_COLUMNS }),
    part({
      only: ['people'],
      title: 'Budgets that were changed',
      atMost: LINES_MAX,
      columns: BUDGET_COLUMNS,
      rows: (result) => mostChanged(result).filter(({ changes }) => changes > 0),
    }),
    part({
      json: 'changes',
      title: 'Changes',
      atMost: CHANGES_SHOWN,
      columns: SIMULATED_CHANGE_COLUMNS,
      rows: (result) => result.changes.map(inCurrency(result)),
    }),
    memberPart('alerts', { only: ['json'], title: 'Alerts', columns: SIMULATED_ALERT_COLUMNS }),
    memberPart('shocks', { only: ['json'], title: 'Shocks', columns: SHOCK_COLUMNS }),
    sentences('No rules', ({ rules }) =>
      rules.length === 0 ? ['There are no rules, so both sides are the same.'] : [],
    ),
    NOTES,
  ],
};

export function inCurrency({ currency }: OfCurrency) {
  return <Row extends object>(row: Row) => ({ ...row, currency });
}

export function mostChanged(result: SimulationResult): (SimulatedBudget & OfCurrency)[] {
  return result.budgets.toSorted((one, other) => other.changes - one.changes).map(inCurrency(result));
}

function sumsJson({ spendMicros, clicks, impressions }: SimulatedSums) {
  return { spend_micros: spendMicros, clicks, impressions };
}

function futureJson({ changes, alerts, budgetMicrosEnd, ...sums }: SimulatedFuture) {
  return { ...sumsJson(sums), changes, alerts, budget_micros_end: budgetMicrosEnd };
}

function comparison({ with: ruled, without, currency }: SimulationResult): Comparison[] {
  const row = (what: string, sumOf: (side: SimulatedFuture) => number) => ({
    what,
    with: sumOf(ruled).toLocaleString('en-US'),
    without: sumOf(without).toLocaleString('en-US'),
  });
  const amounts = (what: string, sumOf: (side: SimulatedFuture) => bigint) => ({
    what,
    with: formatMoneyRounded(sumOf(ruled), currency),
    without: formatMoneyRounded(sumOf(without), currency),
    difference: differenceText(sumOf(ruled), sumOf(without)),
  });
  const perClick = ({ spendMicros, clicks }: SimulatedSums) =>
    clicks === 0 ? '–' : formatMoneyRounded(roundHalfAway(rational(spendMicros, BigInt(clicks))), currency);
  return [
    amounts('Spend', ({ spendMicros }) => spendMicros),
    {
      ...row('Clicks', ({ clicks }) => clicks),
      difference: differenceText(BigInt(ruled.clicks), BigInt(without.clicks)),
    },
    { what: 'Cost per click', with: perClick(ruled), without: perClick(without) },
    amounts('Daily budgets at the end', ({ budgetMicrosEnd }) => budgetMicrosEnd),
    row('Changes of budgets', ({ changes }) => changes),
    row('Alerts', ({ alerts }) => alerts),
  ];
}

function remarksOf({ leftOut, notEvaluated, notEvaluatedWhy, refusedBy }: SimulatedRule): string {
  const held = refusedBy.map(([code, times]) => `${code} (${times.toLocaleString('en-US')})`);
  return [
    ...(leftOut === undefined ? [] : [`Left out: ${leftOut}.`]),
    ...(notEvaluated === 0 ? [] : [`Not evaluated on ${counted(notEvaluated, 'day')}: ${notEvaluatedWhy}.`]),
    ...(held.length === 0 ? [] : [`Held back by ${held.join(', ')}.`]),
  ].join(' ');
}
