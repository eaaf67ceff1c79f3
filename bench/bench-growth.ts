import { closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { addDays } from '../src/domain/civil-date.ts';
import { WINDOW } from './bench-query.ts';
import type { FilledTable } from './fill-table.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import { addTotals } from './totals.ts';
import { withDatabase } from './with-folder.ts';
import { generateResponse, withLoad } from './with-response.ts';

export interface GrowthSizes {
  readonly runs: number;
  readonly rows: number;
  readonly dayRows: number;
}

/** The same load into a new table and into one that holds much. */
export interface Growing {
  readonly empty: Measurement;
  readonly full: Measurement;
  readonly fullByEmpty: Ratio;
}

export interface GrowthResults extends GrowthSizes {
  readonly tableRows: number;
  readonly window: Growing;
  readonly day: Growing;
}

/** Measures new days into an empty table against the same into a copy of the filled one. */
export async function benchGrowth(folder: string, filled: FilledTable, sizes: GrowthSizes): Promise<GrowthResults> {
  const { runs, rows, dayRows } = sizes;
  const nextDay = { today: addDays(WINDOW.today, 1), days: 1 };
  const window = await generateResponse(tmpdir(), rows, WINDOW);
  const day = await generateResponse(tmpdir(), dayRows, nextDay);
  const rounds = await withLoad(window, (loadWindow) =>
    withLoad(day, (loadDay) =>
      interleave(
        'growth',
        runs,
        async () => ({
          window: await withDatabase(folder, (database) => loadWindow('extract', database)),
          day: await withDatabase(folder, (database) => loadDay('extract', database)),
        }),
        () =>
          withDatabase(folder, async (database) => {
            copyDurably(filled.database, database);
            return {
              window: await loadWindow('extract', database, { before: filled.totals }),
              day: await loadDay('extract', database, { before: addTotals(filled.totals, window.totals) }),
            };
          }),
      ),
    ),
  );
  const growing = (part: 'window' | 'day'): Growing => ({
    empty: medianOf(rounds, ({ baseline }) => baseline[part]),
    full: medianOf(rounds, ({ ours }) => ours[part]),
    fullByEmpty: ratioOf(rounds, ({ baseline, ours }) => ours[part].seconds / baseline[part].seconds),
  });
  return { ...sizes, tableRows: Number(filled.totals.rows), window: growing('window'), day: growing('day') };
}

/** To the disk before anything is measured: writing the copy back would be paid for by what comes next. */
function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}
