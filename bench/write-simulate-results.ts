import type { SimulateResults } from './bench-simulate.ts';
import { renderTable, whole } from './markdown.ts';
import type { Measurement } from './measurement.ts';
import { describeRuns, type PartReport } from './part-report.ts';

/** No target of the page: what the rules of a simulation cost beside its market. */
export function reportSimulate({ runs, days, campaigns, market, rules, rulesByMarket }: SimulateResults): PartReport {
  const line = (name: string, { seconds, peakMiB }: Measurement, ratio: string, single: string) => [
    ...[name, seconds.toFixed(2), whole(peakMiB), ratio, single],
  ];
  const { median, lowest, highest } = rulesByMarket;
  const table = renderTable(
    ['', 'seconds', 'peak MiB', 'ratio', 'single runs'],
    [
      line('A: the market alone', market, '1', ''),
      line(
        'with the shipped rules',
        rules,
        `${median.toFixed(2)} × A`,
        `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
      ),
    ],
  );
  const size = `${whole(days)} days of ${whole(campaigns)} campaigns, after 90 days that fill the windows.`;
  return { figures: `${table}\n\n${describeRuns(runs)} ${size}`, targets: [] };
}
