import type { Growing, GrowthResults } from './bench-growth.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, type Pipeline, renderPipelines } from './part-report.ts';

const FULL_BY_EMPTY_MAX = 1.6;
const DAY_SECONDS_MAX = 0.5;

/** Target 4. */
export function reportGrowth({ runs, rows, dayRows, tableRows, window, day }: GrowthResults): PartReport {
  const lines = (name: string, added: number, held: number, growing: Growing): Pipeline[] => [
    { name: `${name} into an empty table`, rows: added, measurement: growing.empty, ratio: '1' },
    {
      ...{ name: `${name} into ${whole(held)} rows`, rows: added, measurement: growing.full },
      ...{ ratio: `${growing.fullByEmpty.median.toFixed(2)} ×`, rounds: growing.fullByEmpty },
    },
  ];
  const table = renderPipelines([
    ...lines('30 new days', rows, tableRows, window),
    ...lines('one new day', dayRows, tableRows + rows, day),
  ]);
  const ratio = window.fullByEmpty.median;
  return {
    figures: `${table}\n\n${describeRuns(runs)}`,
    targets: [
      {
        number: 4,
        found: `${ratio.toFixed(2)} × and ${day.full.seconds.toFixed(2)} s`,
        reached: ratio <= FULL_BY_EMPTY_MAX && day.full.seconds <= DAY_SECONDS_MAX,
      },
    ],
  };
}
