import type { SimulatedSums, SimulationResult } from '../language/results/simulation-result.ts';
import type { Column } from '../storage/columns/column.ts';
import { chart, picture } from '../views/html/charts.ts';
import { document } from '../views/html/document.ts';
import { type Html, html } from '../views/html/html.ts';
import { type Cell, table } from '../views/html/table.ts';
import { amountText, costText, counted, countText, drawnAmount, shortDay } from '../views/html/wording.ts';
import { htmlTable } from '../views/kit/html.ts';
import { sheetOf } from '../views/kit/sheet.ts';
import { differenceText, monthsOf } from '../views/report/compare-futures.ts';
import {
  BUDGET_COLUMNS,
  inCurrency,
  MONTH_COLUMNS,
  mostChanged,
  SHOCK_COLUMNS,
  SIMULATED_ALERT_COLUMNS,
  SIMULATED_CHANGE_COLUMNS,
  SIMULATED_RULE_COLUMNS,
} from '../views/simulate.ts';
import { type Chart, sidesChart, spendChart } from '../views/simulation-charts.ts';

export function simulationDocument(result: SimulationResult): string {
  return document({
    title: `pacekeeper simulate, ${result.market}`,
    description: 'The same simulated market, with and without the rules.',
    body: renderBody(result),
  });
}

export function renderSimulationSvg(result: SimulationResult): string {
  const { account, dayCount, market, byDay } = result;
  const acts = byDay.some(({ changes, alerts }) => changes + alerts > 0);
  // Without budget changes, a chart of costs would show only flat lines.
  const alertsOnly = result.with.changes === 0 && result.alerted.length > 0;
  return picture(`${account.name}, ${counted(dayCount, 'simulated day')} of ${market}`, [
    ...(alertsOnly
      ? [{ ...alertedChart(result), height: 260 }]
      : [
          { ...spendChart(result), height: 220 },
          { ...budgetChart(result), height: 130 },
        ]),
    ...(acts ? [{ ...actsChart(result), height: 110 }] : []),
  ]);
}

function renderBody(result: SimulationResult): Html {
  const { account, days, dayCount, market, warmupCount } = result;
  const spend = spendChart(result);
  const clicks = clicksChart(result);
  const budgets = budgetChart(result);
  return html`<h1>Simulation: with and without the rules</h1>
<div class="notice"><p>None of this happened. The same simulated market runs twice: with the rules and without.</p></div>
<dl class="facts">
<dt>Account</dt><dd><bdi>${account.name}</bdi> (${account.customerId})</dd>
<dt>Market</dt><dd><bdi>${market}</bdi></dd>
<dt>Days</dt><dd>${days.from} to ${days.to}, ${counted(dayCount, 'day')}, after ${counted(warmupCount, 'warm-up day')}</dd>
</dl>
${figures(result)}<h2 id="spend">Spend and budgets</h2>
<div>${behind(result, spend)}${behind(result, budgets)}${behind(result, clicks)}</div>
<h3>Months</h3>
${listed('By month', MONTH_COLUMNS, monthsOf(result).map(inCurrency(result)), 'month')}<h3>Budgets</h3>
${listed('By budget', BUDGET_COLUMNS, mostChanged(result), 'budget')}<h2 id="rules">Rules</h2>
${listed('By rule', SIMULATED_RULE_COLUMNS, result.rules, 'rule', 'no rules, so both sides are equal.')}${behind(result, actsChart(result))}<h2 id="changes">Changes</h2>
${folded('Budget changes', SIMULATED_CHANGE_COLUMNS, result.changes.map(inCurrency(result)), 'change', 'none.')}<h2 id="alerts">Alerts</h2>
${result.alerted.length > 0 && behind(result, alertedChart(result))}${folded('Alerts that would have been sent', SIMULATED_ALERT_COLUMNS, result.alerts, 'alert', 'none.')}<h2 id="shocks">Shocks</h2>
${folded('Shocks to campaigns, on both sides', SHOCK_COLUMNS, result.shocks, 'shock', 'none.')}<h2 id="method">Method</h2>
<ul>${result.notes.map((note) => html`<li>${note}</li>`)}</ul>
`;
}

function figures({ with: ruled, without, currency }: SimulationResult): Html {
  const figure = (title: string, now: Cell, before: Cell, share: string) =>
    html`<li><strong>${now}</strong><span>${title}</span><span>without: ${before}${share !== '' && `, ${share}`}</span></li>`;
  return html`<ul class="figures">
${figure('Spend', costText(ruled.spendMicros, currency), costText(without.spendMicros, currency), differenceText(ruled.spendMicros, without.spendMicros))}
${figure('Clicks', countText(ruled.clicks), countText(without.clicks), differenceText(BigInt(ruled.clicks), BigInt(without.clicks)))}
${figure('Daily budgets at the end', amountText(ruled.budgetMicrosEnd, currency), amountText(without.budgetMicrosEnd, currency), differenceText(ruled.budgetMicrosEnd, without.budgetMicrosEnd))}
${figure('Budget changes', countText(ruled.changes), '0', '')}
${figure('Alerts', countText(ruled.alerts), '0', '')}
</ul>
`;
}

const daysOf = ({ byDay }: SimulationResult): string[] => byDay.map(({ date }) => shortDay(date));

function budgetChart(result: SimulationResult): Chart {
  const { byDay, currency, with: ruled, without } = result;
  const about = {
    title: 'Sum of daily budgets',
    summary: `${amountText(ruled.budgetMicrosEnd, currency)} on the last day with the rules, ${amountText(without.budgetMicrosEnd, currency)} without.`,
    unit: currency,
  };
  return sidesChart(result, about, (side) => byDay.map((day) => drawnAmount(day[side].budgetMicros)), true);
}

function clicksChart(result: SimulationResult): Chart {
  const { byDay, with: ruled, without } = result;
  const about = {
    title: 'Cumulative clicks',
    summary: `${countText(ruled.clicks)} clicks with the rules, ${countText(without.clicks)} without.`,
    unit: '',
  };
  return sidesChart(result, about, (side) => runningClicks(byDay.map((day) => day[side])));
}

function runningClicks(days: readonly SimulatedSums[]): number[] {
  let sum = 0;
  return days.map(({ clicks }) => {
    sum += clicks;
    return sum;
  });
}

function alertedChart(result: SimulationResult): Chart {
  const { alerted, currency } = result;
  const told = alerted.map(
    ({ label, days }) => `${label} on ${counted(days.filter(({ alerts }) => alerts > 0).length, 'day')}`,
  );
  return {
    title: 'Spend per day, with a dot for each alert',
    summary: `Alerts: ${told.join(', ')}.`,
    kind: 'line',
    unit: currency,
    x: daysOf(result),
    series: alerted.map(({ label, days }) => ({
      name: label,
      values: days.map(({ spendMicros }) => drawnAmount(spendMicros)),
      marked: days.flatMap(({ alerts }, place) => (alerts > 0 ? [place] : [])),
    })),
  };
}

function actsChart(result: SimulationResult): Chart {
  const { byDay, with: ruled } = result;
  const changes = { name: 'changes', values: byDay.map((day) => day.changes) };
  const alerts = { name: 'alerts', values: byDay.map((day) => day.alerts) };
  return {
    title: 'Changes and alerts per day',
    summary: `${counted(ruled.changes, 'budget change')} and ${counted(ruled.alerts, 'alert')}.${ruled.changes === 0 ? '' : ' Each change also sends an alert.'}`,
    kind: 'bar',
    unit: '',
    x: daysOf(result),
    series: ruled.changes === 0 && ruled.alerts > 0 ? [alerts] : [changes, alerts],
  };
}

function behind({ byDay }: SimulationResult, drawing: Chart): Html {
  const { title, series } = drawing;
  const columns = [{ title: 'Day' }, ...series.map(({ name }) => ({ title: name, numeric: true }))];
  const rows = byDay.map(({ date }, place) => [date, ...series.map(({ values }) => numberText(values[place]))]);
  return chart({ ...drawing, wide: true, table: table({ caption: title, columns, rows }) });
}

const numberText = (value: number | undefined): string | undefined =>
  value?.toLocaleString('en-US', { maximumFractionDigits: 2, minimumFractionDigits: Number.isInteger(value) ? 0 : 2 });

const ROWS_MAX = 1000;

const OPEN_MAX = 20;

function listed<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  what: string,
  none = 'none.',
): Html {
  const more = html`<p class="note">The first ${countText(ROWS_MAX)} of ${counted(rows.length, what)}. Use --format json for all.</p>\n`;
  return html`${htmlTable(sheetOf(columns, rows.slice(0, ROWS_MAX), 'people'), { caption, none })}${rows.length > ROWS_MAX && more}`;
}

function folded<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  what: string,
  none: string,
): Html {
  const content = listed(caption, columns, rows, what, none);
  if (rows.length <= OPEN_MAX) return content;
  return html`<details><summary>${counted(rows.length, what)}</summary>\n${content}</details>\n`;
}
