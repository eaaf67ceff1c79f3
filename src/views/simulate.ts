import { formatMoneyRounded } from '../domain/micros.ts';
import type {
  SimulatedAlert,
  SimulatedBudget,
  SimulatedChange,
  SimulatedFuture,
  SimulatedRule,
  SimulatedShock,
  SimulatedSums,
  SimulatedTarget,
  SimulationResult,
} from '../language/results/simulation-result.ts';
import { BUDGET, CAMPAIGN, CAMPAIGN_NAME, FROM, REASON, RULE, TO } from '../storage/columns/budget-columns.ts';
import { type Column, count, day, filled, json, money, number, state, text } from '../storage/columns/column.ts';
import { SUBJECT_WORDS } from './decision-columns.ts';
import { type Listing, memberPart, part, sentences } from './kit/listing.ts';
import { differenceText, monthsOf } from './report/compare-futures.ts';
import { perClick, perConversion, returnOnSpend } from './report/pace.ts';
import type { DaySums } from './report/report-facts.ts';
import { NOTES } from './rule-parts.ts';
import { count as counted, LINES_MAX } from './text/text-layout.ts';

interface OfCurrency {
  readonly currency: string;
}
interface BothSides {
  readonly with: SimulatedSums;
  readonly without: SimulatedSums;
}

const CHANGES = count('changes', 'Number of changes.', 'changes', { title: 'Changes' });
const DAY = day('day', 'The simulated day.', 'day', { title: 'Day' });
const SUBJECT = { ...SUBJECT_WORDS, title: 'Subject' };

const SIDES: readonly Column<BothSides>[] = [
  money('spend_with_micros', 'Spend with the rules.', (row) => row.with.spendMicros, {
    title: 'Spend with',
    rounded: true,
    only: ['people'],
  }),
  money('spend_without_micros', 'Spend without the rules.', (row) => row.without.spendMicros, {
    title: 'Spend without',
    rounded: true,
    only: ['people'],
  }),
  count('clicks_with', 'Clicks with the rules.', (row) => row.with.clicks, { title: 'Clicks with', only: ['people'] }),
  count('clicks_without', 'Clicks without the rules.', (row) => row.without.clicks, {
    title: 'Clicks without',
    only: ['people'],
  }),
  json('with', 'Results with the rules.', (row) => sumsJson(row.with)),
  json('without', 'Results without the rules.', (row) => sumsJson(row.without)),
];

const SIMULATED_MONTH_COLUMNS: readonly Column<ReturnType<typeof monthsOf>[number] & OfCurrency>[] = [
  text('month', 'The month.', 'month', { title: 'Month' }),
  count('days', 'Number of simulated days.', 'days', { title: 'Days' }),
  ...SIDES,
];

const BUDGET_COLUMNS: readonly Column<SimulatedBudget & OfCurrency>[] = [
  BUDGET,
  text('label', 'The name of its campaign, or the number of campaigns.', 'label', { title: 'Budget' }),
  filled(FROM, ({ fromMicros }) => fromMicros, { title: 'At the start' }),
  filled(TO, ({ toMicros }) => toMicros, { title: 'At the end' }),
  CHANGES,
  ...SIDES,
];

const SIMULATED_RULE_COLUMNS: readonly Column<SimulatedRule>[] = [
  RULE,
  count('fired', 'Number of subjects for which it fired, over all days.', 'fired', { title: 'Fired' }),
  CHANGES,
  count('refused', 'Number of changes that limits or guards prevented.', 'refused', { title: 'Prevented' }),
  json('refused_by', 'The codes of prevented changes, most frequent first.', ({ refusedBy }) =>
    Object.fromEntries(refusedBy),
  ),
  count('alerts', 'Number of alerts.', 'alerts', { title: 'Alerts' }),
  count('days_not_evaluated', 'Number of days without evaluation.', 'notEvaluated'),
  text('not_evaluated_why', 'The reason on the first of these days.', 'notEvaluatedWhy'),
  text('left_out', 'Why the rule was left out.', 'leftOut'),
  text('remarks', 'Remarks about the rule.', remarksOf, { title: 'Remarks', long: true, only: ['people'] }),
];

const SIMULATED_TARGET_COLUMNS: readonly Column<SimulatedTarget>[] = [
  text('target', 'The name of the target.', 'target', { title: 'Target' }),
  day('from', 'Its first day: of the month or the flight.', 'from', { title: 'From' }),
  day('to', 'Its last day.', 'to', { title: 'To' }),
  text('currency', 'The currency of the target.', 'currency'),
  money('target_micros', 'The amount of the target.', 'targetMicros', { title: 'Amount' }),
  money('spend_with_micros', 'Spend of its budgets on the simulated days, with the rules.', 'withMicros', {
    title: 'Spend with',
    rounded: true,
  }),
  money('spend_without_micros', 'The same without the rules.', 'withoutMicros', {
    title: 'Spend without',
    rounded: true,
  }),
];

const SIMULATED_CHANGE_COLUMNS: readonly Column<SimulatedChange & OfCurrency>[] = [
  DAY,
  BUDGET,
  CAMPAIGN,
  SUBJECT,
  RULE,
  filled(FROM, ({ fromMicros }) => fromMicros),
  filled(TO, ({ toMicros }) => toMicros),
  text('limited_by', 'The limit that reduced the change.', 'limitedBy'),
  REASON,
];

const ALERT_KINDS: Readonly<Record<string, string>> = {
  change: 'budget changed',
  first: 'new',
  repeat: 'still true',
  escalated: 'more severe',
  resolved: 'resolved',
};

const SIMULATED_ALERT_COLUMNS: readonly Column<SimulatedAlert>[] = [
  DAY,
  RULE,
  state('kind', 'change, first, repeat, escalated or resolved.', 'kind', {
    title: 'Because',
    shown: ({ kind }) => ALERT_KINDS[kind] ?? kind,
  }),
  SUBJECT,
  text('text', 'The text of the alert.', 'text', { title: 'Text', long: true }),
];

const SHOCK_KINDS: Readonly<Record<string, string>> = {
  surge: 'twice as many searches',
  collapse: 'almost no searches',
  dear_clicks: 'clicks cost 50% more',
};

const SHOCK_COLUMNS: readonly Column<SimulatedShock>[] = [
  CAMPAIGN,
  { ...CAMPAIGN_NAME, title: 'Campaign' },
  state('kind', 'The kind of shock: surge, collapse or dear_clicks.', 'kind', {
    title: 'Shock',
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
  text('what', 'The measure.', 'what', { title: '' }),
  number('with', 'The value with the rules.', undefined, { title: 'With', shown: (row) => row.with }),
  number('without', 'The value without the rules.', undefined, { title: 'Without', shown: ({ without }) => without }),
  number('difference', 'The difference.', undefined, { title: 'Difference', shown: (row) => row.difference }),
];

const CHANGES_SHOWN = 10;

export const SIMULATE: Listing<SimulationResult> = {
  name: 'simulate',
  about: 'A simulation of the rules: the same demand with and without them. Nothing was changed.',
  before: ({ account, market, days, dayCount }) => [
    `pacekeeper simulate · ${market} · ${account.name} (${account.customerId}) · ${days.from} to ${days.to}, ${counted(dayCount, 'day')}`,
    'This is a simulation. Nothing was changed.',
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
    part({ only: ['people'], title: 'With and without the rules', columns: COMPARISON_COLUMNS, rows: comparison }),
    part({
      only: ['people'],
      title: 'By month',
      columns: SIMULATED_MONTH_COLUMNS,
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
    memberPart('targets', { title: 'Targets', columns: SIMULATED_TARGET_COLUMNS }),
    part({
      only: ['people'],
      title: 'Changed budgets',
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
    memberPart('alerts', { only: ['json', 'page'], title: 'Alerts', columns: SIMULATED_ALERT_COLUMNS }),
    memberPart('shocks', { only: ['json', 'page'], title: 'Shocks', columns: SHOCK_COLUMNS }),
    sentences('No rules', ({ rules }) => (rules.length === 0 ? ['No rules found, so both results are the same.'] : [])),
    NOTES,
  ],
};

function inCurrency({ currency }: OfCurrency) {
  return <Row extends object>(row: Row) => ({ ...row, currency });
}

function mostChanged(result: SimulationResult): (SimulatedBudget & OfCurrency)[] {
  return result.budgets.toSorted((one, other) => other.changes - one.changes).map(inCurrency(result));
}

function sumsJson({ spendMicros, clicks, impressions, conversionHundredths, valueHundredths }: SimulatedSums) {
  return {
    spend_micros: spendMicros,
    clicks,
    impressions,
    conversions: conversionHundredths / 100,
    conversions_value: valueHundredths / 100,
  };
}

function futureJson({ changes, alerts, budgetMicrosEnd, ...sums }: SimulatedFuture) {
  return { ...sumsJson(sums), changes, alerts, budget_micros_end: budgetMicrosEnd };
}

function comparison({ with: ruled, without, currency }: SimulationResult): Comparison[] {
  const shown = (value: bigint | number | undefined) =>
    typeof value === 'bigint' ? formatMoneyRounded(value, currency) : (value?.toLocaleString('en-US') ?? '–');
  const row = (what: string, of: (side: SimulatedFuture) => bigint | number | undefined) => ({
    what,
    with: shown(of(ruled)),
    without: shown(of(without)),
  });
  const hundredths = (value: bigint | number) => (typeof value === 'bigint' ? value : BigInt(Math.round(value * 100)));
  const compared = (what: string, of: (side: SimulatedFuture) => bigint | number) => ({
    ...row(what, of),
    difference: differenceText(hundredths(of(ruled)), hundredths(of(without))),
  });
  const returnOf = (side: SimulatedFuture) => returnOnSpend(sumsOf(side))?.toFixed(2) ?? '–';
  return [
    compared('Spend', ({ spendMicros }) => spendMicros),
    compared('Clicks', ({ clicks }) => clicks),
    row('Cost per click', (side) => perClick(sumsOf(side))),
    compared('Conversions', ({ conversionHundredths }) => conversionHundredths / 100),
    row('CPA', (side) => perConversion(sumsOf(side))),
    { what: 'ROAS', with: returnOf(ruled), without: returnOf(without) },
    compared('Daily budgets at the end', ({ budgetMicrosEnd }) => budgetMicrosEnd),
    row('Budget changes', ({ changes }) => changes),
    row('Alerts', ({ alerts }) => alerts),
  ];
}

function sumsOf({ spendMicros, clicks, conversionHundredths, valueHundredths }: SimulatedSums): DaySums {
  return {
    costMicros: spendMicros,
    clicks: BigInt(clicks),
    conversions: conversionHundredths / 100,
    conversionsValue: valueHundredths / 100,
  };
}

function remarksOf({ leftOut, notEvaluated, notEvaluatedWhy, refusedBy }: SimulatedRule): string {
  const held = refusedBy.map(([code, times]) => `${code} (${times.toLocaleString('en-US')})`);
  return [
    ...(leftOut === undefined ? [] : [`Left out: ${leftOut}.`]),
    ...(notEvaluated === 0 ? [] : [`Not evaluated on ${counted(notEvaluated, 'day')}: ${notEvaluatedWhy}.`]),
    ...(held.length === 0 ? [] : [`Prevented by ${held.join(', ')}.`]),
  ].join(' ');
}
