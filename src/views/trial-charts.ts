import { addDays, daysOf } from '../domain/civil-date.ts';
import type { AccountBacktest, BacktestResult } from '../language/results/report-result.ts';
import type { SimulationResult } from '../language/results/simulation-result.ts';
import type { DayChart } from './html/chart/day-chart.ts';
import type { Series } from './html/chart/plot.ts';
import { amountText, costText, counted, countText, drawnMoney } from './html/wording.ts';
import type { TerminalChart } from './text/terminal-chart.ts';
import { namesOf, withId } from './text/text-layout.ts';

type Side = 'with' | 'without';

/** Two lines. An unknown value is a gap, never 0. */
function sidesChart(
  about: Omit<DayChart, 'series'>,
  valuesOf: (side: Side) => Pick<Series, 'values' | 'texts'>,
  { stepped = false, rules = 'the rules' } = {},
): DayChart {
  return {
    ...about,
    series: [
      { name: `with ${rules}`, ...valuesOf('with'), stepped },
      { name: 'without', ...valuesOf('without'), stepped, dashed: true },
    ],
  };
}

/** Days without an evaluation are gaps. */
export function pastBudgetsChart(
  { days: { from, to }, accounts }: Pick<BacktestResult, 'days' | 'accounts'>,
  trial: AccountBacktest,
): DayChart {
  const { customerId, currency, sums, budgets, byDay } = trial;
  const [first = from] = byDay.keys();
  const x = daysOf({ from: addDays(first, -1), to });
  const amounts = x.map((day) => {
    if (day < first) return { with: budgets.begin, without: budgets.begin };
    return sums.notEvaluated.some((gap) => gap.from <= day && day <= gap.to) ? undefined : byDay.get(day);
  });
  const title = `Sum of daily budgets, ${withId(customerId, namesOf(accounts))}`;
  const about = { title, summary: '', unit: currency ?? 'currency unknown', x };
  return sidesChart(
    about,
    (side) =>
      drawnMoney(
        amounts.map((amount) => amount?.[side]),
        currency,
      ),
    {
      stepped: true,
      rules: 'the rule',
    },
  );
}

const WEEK = 7;
const DAYS_MAX = 35;

/** Weekly means hide differences between weekdays. */
export function shortSpendChart(result: SimulationResult): TerminalChart {
  const { byDay } = result;
  const daily = spendChart(result);
  if (byDay.length <= DAYS_MAX) return daily;
  const starts = byDay.flatMap((_, index) => ((byDay.length - index) % WEEK === 0 ? [index] : []));
  const meanFrom = (start: number, side: Side) =>
    byDay.slice(start, start + WEEK).reduce((sum, day) => sum + day[side].spendMicros, 0n) / BigInt(WEEK);
  const x = starts.flatMap((start) => byDay[start]?.date ?? []);
  const about = { ...daily, title: 'Spend per day, mean of 7 days', x };
  return sidesChart(about, (side) =>
    drawnMoney(
      starts.map((start) => meanFrom(start, side)),
      result.currency,
    ),
  );
}

/** For a picture beside a text: without budget changes, charts of costs would show only flat lines. */
export function shortCharts(result: SimulationResult): (DayChart & { readonly height: number })[] {
  const acts = result.byDay.some(({ changes, alerts }) => changes + alerts > 0);
  const alertsOnly = result.with.changes === 0 && result.alerted.length > 0;
  return [
    ...(alertsOnly
      ? [{ ...alertedChart(result), height: 260 }]
      : [
          { ...spendChart(result), height: 220 },
          { ...budgetChart(result), height: 130 },
        ]),
    ...(acts ? [{ ...actsChart(result), height: 110 }] : []),
  ];
}

export function simulationCharts(result: SimulationResult): DayChart[] {
  return [
    spendChart(result),
    budgetChart(result),
    clicksChart(result),
    actsChart(result),
    ...(result.alerted.length > 0 ? [alertedChart(result)] : []),
  ];
}

const datesOf = ({ byDay }: SimulationResult) => byDay.map(({ date }) => date);

function spendChart(result: SimulationResult): DayChart {
  const { byDay, currency, with: ruled, without } = result;
  const about = {
    title: 'Spend per day',
    summary: `${costText(ruled.spendMicros, currency)} with the rules, ${costText(without.spendMicros, currency)} without.`,
    unit: currency,
    x: datesOf(result),
  };
  return sidesChart(about, (side) =>
    drawnMoney(
      byDay.map((day) => day[side].spendMicros),
      currency,
    ),
  );
}

function budgetChart(result: SimulationResult): DayChart {
  const { byDay, currency, with: ruled, without } = result;
  const about = {
    title: 'Sum of daily budgets',
    summary: `${amountText(ruled.budgetMicrosEnd, currency)} on the last day with the rules, ${amountText(without.budgetMicrosEnd, currency)} without.`,
    unit: currency,
    x: datesOf(result),
  };
  return sidesChart(
    about,
    (side) =>
      drawnMoney(
        byDay.map((day) => day[side].budgetMicros),
        currency,
      ),
    { stepped: true },
  );
}

function clicksChart(result: SimulationResult): DayChart {
  const { byDay, with: ruled, without } = result;
  const about = {
    title: 'Cumulative clicks',
    summary: `${countText(ruled.clicks)} clicks with the rules, ${countText(without.clicks)} without.`,
    unit: '',
    x: datesOf(result),
  };
  return sidesChart(about, (side) => {
    let sum = 0;
    const values = byDay.map((day) => {
      sum += day[side].clicks;
      return sum;
    });
    return { values };
  });
}

function actsChart(result: SimulationResult): DayChart {
  const { byDay, with: ruled } = result;
  const changes = { name: 'changes', values: byDay.map((day) => day.changes), bars: true };
  const alerts = { name: 'alerts', values: byDay.map((day) => day.alerts), bars: true };
  return {
    title: 'Changes and alerts per day',
    summary: `${counted(ruled.changes, 'budget change')} and ${counted(ruled.alerts, 'alert')}.${ruled.changes === 0 ? '' : ' Each change also sends an alert.'}`,
    unit: '',
    x: datesOf(result),
    series: ruled.changes === 0 && ruled.alerts > 0 ? [alerts] : [changes, alerts],
  };
}

function alertedChart(result: SimulationResult): DayChart {
  const { alerted, currency } = result;
  const told = alerted.map(
    ({ label, days }) => `${label} on ${counted(days.filter(({ alerts }) => alerts > 0).length, 'day')}`,
  );
  return {
    title: 'Spend per day, with a ring for each day with alerts',
    summary: `Alerts: ${told.join(', ')}.`,
    unit: currency,
    x: datesOf(result),
    series: alerted.map(({ label, days }) => ({
      name: label,
      ...drawnMoney(
        days.map(({ spendMicros }) => spendMicros),
        currency,
      ),
      marks: days.flatMap(({ alerts }, index) =>
        alerts > 0 ? { index, words: `${counted(alerts, 'alert')}: ${label}` } : [],
      ),
    })),
  };
}
