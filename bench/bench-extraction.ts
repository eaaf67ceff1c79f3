import { tmpdir } from 'node:os';
import { WINDOW } from './bench-query.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { GeneratedResponse, Measurement } from './measurement.ts';
import { withDatabase } from './with-folder.ts';
import { generateResponse, withLoad, withResponse } from './with-response.ts';

export interface ExtractionSizes {
  readonly runs: number;
  readonly rows: number;
  /** Rows of the response that is read once, for the memory. */
  readonly memoryRows: number;
}

export interface ExtractionResults extends ExtractionSizes {
  readonly bytes: number;
  readonly baseline: Measurement;
  readonly ours: Measurement;
  /** The same slice again, into the database that `ours` left. */
  readonly again: Measurement;
  readonly timesBaseline: Ratio;
  readonly againByFirst: Ratio;
  readonly memory: Measurement;
}

/**
 * Measures extraction against the baseline. The response of `rows` stays in the temporary folder for the next time;
 * everything else is made in `folder` or removed.
 */
export async function benchExtraction(folder: string, sizes: ExtractionSizes): Promise<ExtractionResults> {
  const { runs, rows, memoryRows } = sizes;
  const response = await generateResponse(tmpdir(), rows, WINDOW);
  const rounds = await withLoad(response, (load) =>
    interleave(
      'extraction',
      runs,
      () => withDatabase(folder, (database) => load('baseline', database)),
      () =>
        withDatabase(folder, async (database) => ({
          first: await load('extract', database),
          again: await load('extract', database),
        })),
    ),
  );
  const extractOnce = (large: GeneratedResponse) =>
    withLoad(large, (load) => withDatabase(folder, (database) => load('extract', database)));
  return {
    ...sizes,
    bytes: response.bytes,
    baseline: medianOf(rounds, ({ baseline }) => baseline),
    ours: medianOf(rounds, ({ ours }) => ours.first),
    again: medianOf(rounds, ({ ours }) => ours.again),
    timesBaseline: ratioOf(rounds, ({ baseline, ours }) => baseline.seconds / ours.first.seconds),
    againByFirst: ratioOf(rounds, ({ ours }) => ours.again.seconds / ours.first.seconds),
    memory: await withResponse(folder, memoryRows, WINDOW, extractOnce),
  };
}
