import { formatMoney, formatMoneyChange, formatMoneyRounded } from '../domain/micros.ts';
import { differenceText, monthsOf } from './compare-futures.ts';
import { bullets, section } from './sections.ts';
import type {
  SimulatedChange,
  SimulatedFuture,
  SimulatedRule,
  SimulatedSums,
  SimulationResult,
} from './simulation-result.ts';
import { count, LINES_MAX, oneLine, type TextLayout } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** What would come of the rules, for a person at a terminal. */
export function renderSimulation(result: SimulationResult, layout: TextLayout): string {
  const { account, days, dayCount, market } = result;
  const head = `pacekeeper simulate · ${market} · ${account.name} (${account.customerId})`;
  const blocks = [
    `${wrapText(oneLine(head), layout.width, '', '  ')}\n${days.from} to ${days.to}, ${count(dayCount, 'day')}. Nothing of this happened.`,
    section('With the rules and without', comparison(result, layout), layout),
    section('By month', months(result, layout), layout),
    section('Rules', rulesTable(result.rules, layout), layout),
    section('Budgets that were changed', budgetsTable(result, layout), layout),
    section('Changes', changeLines(result, layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The simulation as one JSON object; equal seeds give equal bytes. */
export function renderSimulationJson(result: SimulationResult): string {
  const { account, days, seed, market, currency, dayCount, warmupCount } = result;
  const future = ({ changes, alerts, budgetMicrosEnd, ...sums }: SimulatedFuture) => ({
    ...sumsJson(sums),
    ...{ changes, alerts, budget_micros_end: budgetMicrosEnd },
  });
  return toJson({
    days: dayCount,
    ...{ seed, market, from: days.from, to: days.to, warmup_days: warmupCount, currency },
    account: { customer_id: account.customerId, name: account.name },
    with: future(result.with),
    without: future(result.without),
    by_day: result.byDay.map(({ date, changes, alerts, ...day }) => ({
      date,
      with: { ...sumsJson(day.with), budget_micros: day.with.budgetMicros, changes, alerts },
      without: { ...sumsJson(day.without), budget_micros: day.without.budgetMicros },
    })),
    budgets: result.budgets.map(({ budgetId, label, fromMicros, toMicros, changes, ...sums }) => ({
      ...{ budget_id: budgetId, label, from_micros: fromMicros, to_micros: toMicros, changes },
      ...{ with: sumsJson(sums.with), without: sumsJson(sums.without) },
    })),
    rules: result.rules.map(({ rule, fired, changes, refused, refusedBy, alerts, notEvaluated, ...rest }) => ({
      ...{ rule, fired, changes, refused, refused_by: Object.fromEntries(refusedBy), alerts },
      ...{ days_not_evaluated: notEvaluated, not_evaluated_why: rest.notEvaluatedWhy, left_out: rest.leftOut },
    })),
    changes: result.changes.map(({ day, budgetId, campaignId, subject, rule, fromMicros, toMicros, ...why }) => ({
      ...{ day, budget_id: budgetId, campaign_id: campaignId, subject, rule },
      ...{ from_micros: fromMicros, to_micros: toMicros, limited_by: why.limitedBy, reason: why.reason },
    })),
    alerts: result.alerts.map(({ day, rule, kind, subject, text }) => ({ day, rule, kind, subject, text })),
    shocks: result.shocks.map(({ campaignId, campaignName, kind, from, to }) => ({
      ...{ campaign_id: campaignId, campaign_name: campaignName, kind, from, to },
    })),
    notes: result.notes,
  });
}

const sumsJson = ({ spendMicros, clicks, impressions }: SimulatedSums) => ({
  ...{ spend_micros: spendMicros, clicks, impressions },
});

const right = (title: string): TableColumn => ({ title, align: 'right' });
const left = (title: string): TableColumn => ({ title, align: 'left', flexible: true });

function comparison({ with: ruled, without, currency }: SimulationResult, { width }: TextLayout): string {
  const money = (amount: bigint) => formatMoneyRounded(amount, currency);
  const whole = (number: number) => number.toLocaleString('en-US');
  const perClick = ({ spendMicros, clicks }: SimulatedSums) =>
    clicks === 0 ? '–' : money((spendMicros * 2n + BigInt(clicks)) / (2n * BigInt(clicks)));
  const rows = [
    [
      'Spend',
      money(ruled.spendMicros),
      money(without.spendMicros),
      differenceText(ruled.spendMicros, without.spendMicros),
    ],
    [
      'Clicks',
      whole(ruled.clicks),
      whole(without.clicks),
      differenceText(BigInt(ruled.clicks), BigInt(without.clicks)),
    ],
    ['Cost per click', perClick(ruled), perClick(without), ''],
    [
      'Daily budgets at the end',
      money(ruled.budgetMicrosEnd),
      money(without.budgetMicrosEnd),
      differenceText(ruled.budgetMicrosEnd, without.budgetMicrosEnd),
    ],
    ['Changes of budgets', whole(ruled.changes), whole(without.changes), ''],
    ['Alerts', whole(ruled.alerts), whole(without.alerts), ''],
  ];
  return textTable([left(''), right('With'), right('Without'), right('Difference')], rows, width);
}

function months(result: SimulationResult, { width }: TextLayout): string {
  const money = (amount: bigint) => formatMoneyRounded(amount, result.currency);
  const rows = monthsOf(result).map(({ month, days, with: ruled, without }) => [
    ...[month, days.toLocaleString('en-US'), money(ruled.spendMicros), money(without.spendMicros)],
    ...[ruled.clicks.toLocaleString('en-US'), without.clicks.toLocaleString('en-US')],
  ]);
  const columns = [right('Days'), right('Spend with'), right('without'), right('Clicks with'), right('without')];
  return textTable([left('Month'), ...columns], rows, width);
}

function rulesTable(rules: readonly SimulatedRule[], { width }: TextLayout): string {
  if (rules.length === 0) return 'There are no rules, so both sides are the same.';
  const taking = rules.filter(({ leftOut }) => leftOut === undefined);
  const rows = taking.map(({ rule, fired, changes, refused, alerts }) => [
    ...[rule, fired.toLocaleString('en-US'), changes.toLocaleString('en-US')],
    ...[refused.toLocaleString('en-US'), alerts.toLocaleString('en-US')],
  ]);
  const columns = [left('Rule'), right('Fired'), right('Changes'), right('Held back'), right('Alerts')];
  const refusals = taking.flatMap(({ rule, refusedBy }) =>
    refusedBy.length === 0
      ? []
      : [
          `${rule} was held back: ${refusedBy.map(([code, times]) => `${code} ${times.toLocaleString('en-US')}`).join(', ')}`,
        ],
  );
  const waiting = taking.flatMap(({ rule, notEvaluated, notEvaluatedWhy }) =>
    notEvaluated === 0 ? [] : [`${rule} was not evaluated on ${count(notEvaluated, 'day')}: ${notEvaluatedWhy}`],
  );
  const absent = rules.flatMap(({ rule, leftOut }) =>
    leftOut === undefined ? [] : [`${rule} is left out: ${leftOut}`],
  );
  const lines = [...refusals, ...waiting, ...absent].map((line) => wrapText(oneLine(line), width, '', '  '));
  return [...(rows.length === 0 ? [] : [textTable(columns, rows, width)]), ...lines].join('\n');
}

function budgetsTable({ budgets, currency }: SimulationResult, { width }: TextLayout): string {
  const changed = budgets.filter(({ changes }) => changes > 0);
  if (changed.length === 0) return '';
  const shown = changed.toSorted((one, other) => other.changes - one.changes).slice(0, LINES_MAX);
  const rows = shown.map((budget) => [
    ...[oneLine(budget.label), budget.changes.toLocaleString('en-US')],
    ...[formatMoney(budget.fromMicros, currency), formatMoney(budget.toMicros, currency)],
    `${budget.without.clicks.toLocaleString('en-US')} → ${budget.with.clicks.toLocaleString('en-US')}`,
  ]);
  const columns = [
    left('Budget'),
    right('Changes'),
    right('Began at'),
    right('Ends at'),
    right('Clicks without → with'),
  ];
  const more = changed.length - shown.length;
  return [textTable(columns, rows, width), ...(more > 0 ? [`and ${count(more, 'more budget')}`] : [])].join('\n');
}

const CHANGES_SHOWN = 10;

function changeLines({ changes, currency }: SimulationResult, layout: TextLayout): string {
  const lines = changes.slice(0, CHANGES_SHOWN).map((change) => changeLine(change, currency, layout.width));
  const more = changes.length - lines.length;
  const rest = `and ${count(more, 'more change')}, all of them with --format json or --html FILE`;
  return [...lines, ...(more > 0 ? [wrapText(rest, layout.width, '  ', '    ')] : [])].join('\n');
}

function changeLine(
  { day, subject, rule, fromMicros, toMicros }: SimulatedChange,
  currency: string,
  width: number,
): string {
  const text = oneLine(`${subject}: ${formatMoneyChange(fromMicros, toMicros, currency)}, ${rule}`);
  return wrapText(`${day}  ${text}`, width, '  ', '    ');
}
