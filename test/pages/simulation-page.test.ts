import { expect, it } from 'vitest';
import { dayChart, dayPicture } from '../../src/views/html/chart/day-chart.ts';
import { shortCharts, simulationCharts } from '../../src/views/trial-charts.ts';
import { inputsOf, simulateIn } from '../simulate/simulate-in.ts';

const ALERT = `description: Tells.
from: stats
for: campaign
over: yesterday
when: cost > 1.1 * cost over previous 1 days
alert: { text: "{cost}" }
`;

it('draws the spend of alerted campaigns, with a ring on each day with alerts', async () => {
  const result = await simulateIn(inputsOf({ 'watch.yaml': ALERT }), { days: 8, campaigns: 2 });
  const told = result.alerts.filter(({ kind }) => kind !== 'resolved');
  expect(told.length).toBeGreaterThan(2);
  expect(result.alerted.map(({ days }) => days.filter(({ alerts }) => alerts > 0).length)).toEqual(
    result.alerted.map(({ label }) => told.filter(({ subject }) => subject.startsWith(`${label} (`)).length),
  );
  const svg = dayPicture('Market', shortCharts(result));
  expect(svg).toContain('Market. Spend per day, with a ring for each day with alerts: Alerts: ');
  expect(svg).not.toContain('Sum of daily budgets');
  for (const { label } of result.alerted) expect(svg).toContain(`>${label}</text>`);
  expect(simulationCharts(result).at(-1)?.title).toBe('Spend per day, with a ring for each day with alerts');
});

it('draws the account when there are no alerts, with whole numbers on the count axis', async () => {
  const quiet = await simulateIn(inputsOf({}), { days: 8, campaigns: 2 });
  expect(dayPicture('Market', shortCharts(quiet))).toContain('Sum of daily budgets');
  const acts = simulationCharts(quiet).filter(({ series }) => series.some(({ bars }) => bars));
  expect(acts).toHaveLength(1);
  const ticks = acts.map((one) => /class="y".*?<\/div>/.exec(dayChart(one).markup)?.[0]);
  expect(ticks).toEqual([expect.not.stringContaining('.')]);
});
