import type { ExtractionResults } from './bench-extraction.ts';
import { whole } from './markdown.ts';
import { describeRuns, type PartReport, renderPipelines } from './part-report.ts';

const TIMES_BASELINE_MIN = 1.7;
const AGAIN_BY_FIRST_MAX = 0.8;
export const PEAK_MIB_MAX = 200;
const PEAK_CHANGE_MAX = 0.15;

/** Targets 1, 3 and 5. */
export function reportExtraction(results: ExtractionResults): PartReport {
  const { rows, runs, bytes, baseline, ours, again, timesBaseline, againByFirst, memoryRows, memory } = results;
  const memoryRatio = memory.peakMiB / ours.peakMiB;
  const first = { name: 'pacekeeper, first load', rows, measurement: ours };
  const table = renderPipelines([
    { name: 'B: split, JSON.parse, one prepared insert per row', rows, measurement: baseline, ratio: '1' },
    { ...first, ratio: `${timesBaseline.median.toFixed(2)} × B`, rounds: timesBaseline },
    {
      ...{ name: 'pacekeeper, the same slice again', rows, measurement: again },
      ...{ ratio: `${againByFirst.median.toFixed(2)} × the first load's time`, rounds: againByFirst },
    },
    { ...first, rows: memoryRows, measurement: memory, ratio: `${memoryRatio.toFixed(2)} × the memory` },
  ]);
  const steady = Math.abs(memoryRatio - 1) <= PEAK_CHANGE_MAX;
  return {
    figures: `${table}

${describeRuns(runs)} The line of ${whole(memoryRows)} rows was run once. The response has ${(bytes / rows).toFixed(0)} bytes of JSON a row.`,
    targets: [
      {
        number: 1,
        found: `${timesBaseline.median.toFixed(2)} × B`,
        reached: timesBaseline.median >= TIMES_BASELINE_MIN,
      },
      {
        number: 3,
        found: `${whole(ours.peakMiB)} and ${whole(memory.peakMiB)} MiB`,
        reached: Math.max(ours.peakMiB, memory.peakMiB) <= PEAK_MIB_MAX && steady,
      },
      {
        number: 5,
        found: `${againByFirst.median.toFixed(2)} ×`,
        reached: againByFirst.median <= AGAIN_BY_FIRST_MAX,
      },
    ],
  };
}
