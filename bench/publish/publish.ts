import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describeRuns, type PartReport, renderPipelines, whole } from '../figures.ts';
import { withFolder } from '../folders.ts';
import type { FilledTable } from '../growth.ts';
import { interleave, type Measurement, medianOf, type Ratio, ratioOf } from '../measurement.ts';
import { runChild } from '../processes.ts';
import type { Totals } from '../totals.ts';

/** What a child that writes one database from another is told. */
export interface CopyJob {
  readonly database: string;
  /** A path that nothing stands at, or the file that was published last. */
  readonly into: string;
  readonly expected: Totals;
}

const BY_VACUUM_MAX = 2;

/** Measures publishing against `VACUUM INTO` of the file that comes of it and of the file that it reads: target 7. */
export async function benchPublish(folder: string, filled: FilledTable, runs: number): Promise<PartReport> {
  const { database } = filled;
  const copy = (source: string) =>
    withFolder(folder, (own) => copyTo('publish/vacuum', source, join(own, 'copy.sqlite'), filled));
  return withFolder(folder, async (own) => {
    // Made once and not counted: what is written anew must be there first.
    const warehouse = join(own, 'warehouse.sqlite');
    await copyTo('publish/publish', database, warehouse, filled);
    let dayRows = 0;
    const rounds = await interleave(
      'publish',
      runs,
      async () => ({ published: await copy(warehouse), state: await copy(database) }),
      () =>
        withFolder(folder, async (fresh) => {
          const into = join(fresh, 'warehouse.sqlite');
          const first = await copyTo('publish/publish', database, into, filled);
          dayRows = (await runChild<{ readonly rows: number }>('publish/read-day-again', { database })).rows;
          const next = await copyTo('publish/publish', database, into, filled);
          return { first, next, parquet: await copyTo('publish/export', database, fresh, filled) };
        }),
    );
    const rows = Number(filled.totals.rows);
    const published = medianOf(rounds, ({ baseline }) => baseline.published);
    const state = medianOf(rounds, ({ baseline }) => baseline.state);
    const firstByPublished = ratioOf(rounds, ({ baseline, ours }) => ours.first.seconds / baseline.published.seconds);
    const nextByPublished = ratioOf(rounds, ({ baseline, ours }) => ours.next.seconds / baseline.published.seconds);
    const parquetByPublished = ratioOf(
      rounds,
      ({ baseline, ours }) => ours.parquet.seconds / baseline.published.seconds,
    );
    const firstByState = ratioOf(rounds, ({ baseline, ours }) => ours.first.seconds / baseline.state.seconds);
    const first = {
      name: 'pacekeeper, the first publication',
      rows,
      measurement: medianOf(rounds, ({ ours }) => ours.first),
    };
    const next = {
      name: 'pacekeeper, after a day was read again',
      rows,
      measurement: medianOf(rounds, ({ ours }) => ours.next),
    };
    const parquet = {
      name: 'pacekeeper, all tables as Parquet files',
      rows,
      measurement: medianOf(rounds, ({ ours }) => ours.parquet),
    };
    const times = (ratio: Ratio) => ratio.median.toFixed(2);
    const table = renderPipelines([
      { name: 'P: a copy of the published file', rows, measurement: published, ratio: '1' },
      { ...next, ratio: `${times(nextByPublished)} × P`, rounds: nextByPublished },
      { ...first, ratio: `${times(firstByPublished)} × P`, rounds: firstByPublished },
      { ...parquet, ratio: `${times(parquetByPublished)} × P`, rounds: parquetByPublished },
      { name: 'S: a copy of the state file', rows, measurement: state, ratio: '1' },
      { ...first, ratio: `${times(firstByState)} × S`, rounds: firstByState },
    ]);
    const found = `${times(nextByPublished)} ×; the first publication ${times(firstByPublished)} ×`;
    return {
      figures: `${table}

${describeRuns(runs)} The published file has ${megabytesOf(warehouse)} MB, the state file ${megabytesOf(database)} MB.
All ${whole(dayRows)} rows of the day were replaced.`,
      targets: [{ number: 7, found, reached: nextByPublished.median <= BY_VACUUM_MAX }],
    };
  });
}

function copyTo(child: string, database: string, into: string, { totals }: FilledTable): Promise<Measurement> {
  const job: CopyJob = { database, into, expected: totals };
  return runChild<Measurement>(child, job);
}

function megabytesOf(file: string): string {
  return whole(statSync(file).size / 1_000_000);
}
