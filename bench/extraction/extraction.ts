import { tmpdir } from 'node:os';
import { describeRuns, type PartReport, renderPipelines, whole } from '../figures.ts';
import { withDatabase } from '../folders.ts';
import { interleave, medianOf, ratioOf } from '../measurement.ts';
import { WINDOW } from '../query.ts';
import { type GeneratedResponse, generateResponse, withLoad, withResponse } from './response.ts';

export interface ExtractionSizes {
  readonly runs: number;
  readonly rows: number;
  /** Rows of the response that is read once, for the memory. */
  readonly memoryRows: number;
}

const TIMES_BASELINE_MIN = 1.7;
const AGAIN_BY_FIRST_MAX = 0.8;
export const PEAK_MIB_MAX = 200;
const PEAK_CHANGE_MAX = 0.15;

/**
 * Measures extraction against the baseline. The response of `rows` stays in the temporary folder for the next time;
 * everything else is made in `folder` or removed. Targets 1, 3 and 5.
 */
export async function benchExtraction(folder: string, sizes: ExtractionSizes): Promise<PartReport> {
  const { runs, rows, memoryRows } = sizes;
  const response = await generateResponse(tmpdir(), rows, WINDOW);
  const rounds = await withLoad(response, (load) =>
    interleave(
      'extraction',
      runs,
      () => withDatabase(folder, (database) => load('extraction/baseline', database)),
      () =>
        withDatabase(folder, async (database) => ({
          first: await load('extraction/extract', database),
          again: await load('extraction/extract', database),
        })),
    ),
  );
  const extractOnce = (large: GeneratedResponse) =>
    withLoad(large, (load) => withDatabase(folder, (database) => load('extraction/extract', database)));
  const memory = await withResponse(folder, memoryRows, WINDOW, extractOnce);
  const baseline = medianOf(rounds, (round) => round.baseline);
  const ours = medianOf(rounds, (round) => round.ours.first);
  const again = medianOf(rounds, (round) => round.ours.again);
  const timesBaseline = ratioOf(rounds, (round) => round.baseline.seconds / round.ours.first.seconds);
  const againByFirst = ratioOf(rounds, (round) => round.ours.again.seconds / round.ours.first.seconds);
  const memoryRatio = memory.peakMiB / ours.peakMiB;
  const first = { name: 'pacekeeper, first load', rows, measurement: ours };
  const table = renderPipelines([
    { name: 'B: a simple loader', rows, measurement: baseline, ratio: '1' },
    { ...first, ratio: `${timesBaseline.median.toFixed(2)} × B`, rounds: timesBaseline },
    {
      name: 'pacekeeper, the same slice again',
      rows,
      measurement: again,
      ratio: `${againByFirst.median.toFixed(2)} × the first load's time`,
      rounds: againByFirst,
    },
    { ...first, rows: memoryRows, measurement: memory, ratio: `${memoryRatio.toFixed(2)} × the memory` },
  ]);
  const steady = Math.abs(memoryRatio - 1) <= PEAK_CHANGE_MAX;
  return {
    figures: `${table}

${describeRuns(runs)}${runs === 1 ? '' : ` The load of ${whole(memoryRows)} rows ran once.`} A row has ${(response.bytes / rows).toFixed(0)} bytes of JSON.`,
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
