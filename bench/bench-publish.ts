import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FilledTable } from './fill-table.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { CopyJob, Measurement } from './measurement.ts';
import { runChild } from './run-child.ts';
import { withFolder } from './with-folder.ts';

export interface PublishResults {
  readonly runs: number;
  readonly rows: number;
  readonly publishedBytes: number;
  readonly stateBytes: number;
  readonly publish: Measurement;
  /** `VACUUM INTO` of the published file. */
  readonly published: Measurement;
  /** `VACUUM INTO` of the state file. */
  readonly state: Measurement;
  /** Time of publishing by that of writing the published file's own rows and indexes anew. */
  readonly byPublished: Ratio;
  readonly byState: Ratio;
}

/** Measures publishing against `VACUUM INTO` of the file that comes of it and of the file that it reads. */
export async function benchPublish(folder: string, filled: FilledTable, runs: number): Promise<PublishResults> {
  const copy = (child: string, database: string) =>
    withFolder(folder, (own) => copyTo(child, database, join(own, 'copy.sqlite'), filled));
  return withFolder(folder, async (own) => {
    // Made once and not counted: what is written anew must be there first.
    const warehouse = join(own, 'warehouse.sqlite');
    await copyTo('publish', filled.database, warehouse, filled);
    const rounds = await interleave(
      'publish',
      runs,
      async () => ({ published: await copy('vacuum', warehouse), state: await copy('vacuum', filled.database) }),
      () => copy('publish', filled.database),
    );
    return {
      runs,
      rows: Number(filled.totals.rows),
      publishedBytes: statSync(warehouse).size,
      stateBytes: statSync(filled.database).size,
      publish: medianOf(rounds, ({ ours }) => ours),
      published: medianOf(rounds, ({ baseline }) => baseline.published),
      state: medianOf(rounds, ({ baseline }) => baseline.state),
      byPublished: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.published.seconds),
      byState: ratioOf(rounds, ({ baseline, ours }) => ours.seconds / baseline.state.seconds),
    };
  });
}

function copyTo(child: string, database: string, into: string, { totals }: FilledTable): Promise<Measurement> {
  const job: CopyJob = { database, into, expected: totals };
  return runChild<Measurement>(child, job);
}
