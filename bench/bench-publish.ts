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
  /** Of the day that was read again before the next publication. */
  readonly dayRows: number;
  readonly publishedBytes: number;
  readonly stateBytes: number;
  /** Where no file was. */
  readonly first: Measurement;
  /** Over the file of the first, after a day was read again. */
  readonly next: Measurement;
  /** `VACUUM INTO` of the published file. */
  readonly published: Measurement;
  /** `VACUUM INTO` of the state file. */
  readonly state: Measurement;
  /** Times of publishing by that of writing the published file's own rows and indexes anew. */
  readonly firstByPublished: Ratio;
  readonly nextByPublished: Ratio;
  readonly firstByState: Ratio;
}

/** Measures publishing against `VACUUM INTO` of the file that comes of it and of the file that it reads. */
export async function benchPublish(folder: string, filled: FilledTable, runs: number): Promise<PublishResults> {
  const { database } = filled;
  const copy = (source: string) =>
    withFolder(folder, (own) => copyTo('vacuum', source, join(own, 'copy.sqlite'), filled));
  return withFolder(folder, async (own) => {
    // Made once and not counted: what is written anew must be there first.
    const warehouse = join(own, 'warehouse.sqlite');
    await copyTo('publish', database, warehouse, filled);
    let dayRows = 0;
    const rounds = await interleave(
      'publish',
      runs,
      async () => ({ published: await copy(warehouse), state: await copy(database) }),
      () =>
        withFolder(folder, async (fresh) => {
          const into = join(fresh, 'warehouse.sqlite');
          const first = await copyTo('publish', database, into, filled);
          dayRows = (await runChild<{ readonly rows: number }>('read-day-again', { database })).rows;
          return { first, next: await copyTo('publish', database, into, filled) };
        }),
    );
    return {
      ...{ runs, dayRows, rows: Number(filled.totals.rows) },
      publishedBytes: statSync(warehouse).size,
      stateBytes: statSync(database).size,
      first: medianOf(rounds, ({ ours }) => ours.first),
      next: medianOf(rounds, ({ ours }) => ours.next),
      published: medianOf(rounds, ({ baseline }) => baseline.published),
      state: medianOf(rounds, ({ baseline }) => baseline.state),
      firstByPublished: ratioOf(rounds, ({ baseline, ours }) => ours.first.seconds / baseline.published.seconds),
      nextByPublished: ratioOf(rounds, ({ baseline, ours }) => ours.next.seconds / baseline.published.seconds),
      firstByState: ratioOf(rounds, ({ baseline, ours }) => ours.first.seconds / baseline.state.seconds),
    };
  });
}

function copyTo(child: string, database: string, into: string, { totals }: FilledTable): Promise<Measurement> {
  const job: CopyJob = { database, into, expected: totals };
  return runChild<Measurement>(child, job);
}
