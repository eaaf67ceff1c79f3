import type { TerminalChart } from '../../views/text/terminal-chart.ts';
import { type Output, textLayout } from './output.ts';

const CHARTS_MAX = 3;
const WIDTH_MIN = 60;

export async function printCharts<Item>(
  output: Output,
  items: readonly Item[],
  chartOf: (item: Item) => TerminalChart,
): Promise<void> {
  const { stdout } = output;
  if (stdout.isTTY !== true || stdout.columns === undefined || stdout.columns < WIDTH_MIN) return;
  const { terminalChart } = await import('../../views/text/terminal-chart.ts');
  const layout = textLayout(output);
  const charts = items.slice(0, CHARTS_MAX).map((item) => terminalChart(chartOf(item), layout));
  for (const drawn of charts) if (drawn !== '') stdout.write(`\n${drawn}\n`);
}
