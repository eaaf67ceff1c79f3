import { tmpdir } from 'node:os';
import { WINDOW } from './bench-query.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import { installedClient } from './peers-folder.ts';
import { withDatabase } from './with-folder.ts';
import { generateResponse, type LoadOptions, withLoad } from './with-response.ts';

export interface PeersResults {
  readonly runs: number;
  readonly rows: number;
  readonly version: string;
  readonly ours: Measurement;
  /** The client's stream as it is by default. */
  readonly parsed: Measurement;
  /** The same without its renaming of keys and its numbers for int64 and enums. */
  readonly raw: Measurement;
  readonly timesParsed: Ratio;
  readonly timesRaw: Ratio;
}

/** Measures the community client's stream against extraction. */
export async function benchPeers(
  folder: string,
  { runs, rows }: { readonly runs: number; readonly rows: number },
): Promise<PeersResults> {
  const version = installedClient() ?? 'of an unknown version';
  const response = await generateResponse(tmpdir(), rows, WINDOW);
  const rounds = await withLoad(response, (load) => {
    const loadWith = (child: string, options: LoadOptions = {}) =>
      withDatabase(folder, (database) => load(child, database, options));
    return interleave(
      'peers',
      runs,
      async () => ({
        parsed: await loadWith('peer', { parsing: true }),
        raw: await loadWith('peer', { parsing: false }),
      }),
      () => loadWith('extract'),
    );
  });
  return {
    ...{ runs, rows, version },
    ours: medianOf(rounds, ({ ours }) => ours),
    parsed: medianOf(rounds, ({ baseline }) => baseline.parsed),
    raw: medianOf(rounds, ({ baseline }) => baseline.raw),
    timesParsed: ratioOf(rounds, ({ baseline, ours }) => baseline.parsed.seconds / ours.seconds),
    timesRaw: ratioOf(rounds, ({ baseline, ours }) => baseline.raw.seconds / ours.seconds),
  };
}
