import { closeSync, constants, copyFileSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDays } from '../src/domain/civil-date.ts';
import { generateResponse, withLoad, withResponse } from './extraction/response.ts';
import { type BenchPicture, describeRuns, type PartReport, type Pipeline, renderPipelines, whole } from './figures.ts';
import { withDatabase } from './folders.ts';
import { interleave, type Measurement, medianOf, ratioOf } from './measurement.ts';
import { WINDOW } from './query.ts';
import { addTotals, NO_ROWS, type Totals } from './totals.ts';

/** A closed state database whose query table holds the days before {@link WINDOW}. */
export interface FilledTable {
  readonly database: string;
  readonly totals: Totals;
  /** One for each window of days. */
  readonly loads: readonly GrownLoad[];
}

interface GrownLoad extends Measurement {
  readonly rows: number;
  /** In the table, afterwards. */
  readonly held: number;
}

/**
 * Fills a table as a history of years does: by the product's own extraction, one window of days after another, oldest
 * first, `rows` rows each until there are `tableRows`. So the table is what the product makes of it, whatever its shape.
 */
export async function fillTable(folder: string, rows: number, tableRows: number): Promise<FilledTable> {
  const own = join(folder, 'filled');
  mkdirSync(own);
  const database = join(own, 'state.sqlite');
  let totals = NO_ROWS;
  const loads: GrownLoad[] = [];
  const count = Math.ceil(tableRows / rows);
  for (let left = count; left > 0; left -= 1) {
    const window = { ...WINDOW, today: addDays(WINDOW.today, -left * WINDOW.days) };
    const wanted = Math.min(rows, tableRows - Number(totals.rows));
    await withResponse(own, wanted, window, async (response) => {
      const load = await withLoad(response, (load) => load('extraction/extract', database, { before: totals }));
      totals = addTotals(totals, response.totals);
      loads.push({ ...load, rows: Number(response.totals.rows), held: Number(totals.rows) });
    });
    process.stderr.write(`filled ${totals.rows} rows of ${tableRows}\n`);
  }
  return { database, totals, loads };
}

export interface GrowthSizes {
  readonly runs: number;
  readonly rows: number;
  readonly dayRows: number;
}

const FULL_BY_EMPTY_MAX = 1.6;
const DAY_SECONDS_MAX = 0.5;

/** Measures new days into an empty table against the same into a copy of the filled one: target 4. */
export async function benchGrowth(folder: string, filled: FilledTable, sizes: GrowthSizes): Promise<PartReport> {
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
          window: await withDatabase(folder, (database) => loadWindow('extraction/extract', database)),
          day: await withDatabase(folder, (database) => loadDay('extraction/extract', database)),
        }),
        () =>
          withDatabase(folder, async (database) => {
            copyDurably(filled.database, database);
            return {
              window: await loadWindow('extraction/extract', database, { before: filled.totals }),
              day: await loadDay('extraction/extract', database, { before: addTotals(filled.totals, window.totals) }),
            };
          }),
      ),
    ),
  );
  const fullByEmpty = (part: 'window' | 'day') =>
    ratioOf(rounds, ({ baseline, ours }) => ours[part].seconds / baseline[part].seconds);
  const lines = (part: 'window' | 'day', name: string, added: number, held: number): Pipeline[] => {
    const empty = medianOf(rounds, ({ baseline }) => baseline[part]);
    const ratio = fullByEmpty(part);
    return [
      { name: `${name} into an empty table`, rows: added, measurement: empty, ratio: '1' },
      {
        name: `${name} into ${whole(held)} rows`,
        rows: added,
        measurement: medianOf(rounds, ({ ours }) => ours[part]),
        ratio: `${ratio.median.toFixed(2)} ×`,
        rounds: ratio,
      },
    ];
  };
  const tableRows = Number(filled.totals.rows);
  const table = renderPipelines([
    ...lines('window', '30 new days', rows, tableRows),
    ...lines('day', 'one new day', dayRows, tableRows + rows),
  ]);
  const ratio = fullByEmpty('window').median;
  const daySeconds = medianOf(rounds, ({ ours }) => ours.day).seconds;
  return {
    figures: `${table}\n\n${describeRuns(runs)}`,
    pictures: [growthPicture(filled.loads)],
    targets: [
      {
        number: 4,
        found: `${ratio.toFixed(2)} × and ${daySeconds.toFixed(2)} s`,
        reached: ratio <= FULL_BY_EMPTY_MAX && daySeconds <= DAY_SECONDS_MAX,
      },
    ],
  };
}

const GROWN = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function growthPicture(loads: readonly GrownLoad[]): BenchPicture {
  const curve = (title: string, unit: string, measured: (load: GrownLoad) => number) => {
    const values = loads.map((load) => Number(measured(load).toFixed(1)));
    return {
      title,
      unit,
      kind: 'line' as const,
      height: 130,
      x: loads.map(({ held }) => GROWN.format(held)),
      summary: `From ${values[0]} ${unit} to ${values.at(-1)} ${unit}.`,
      series: [{ name: 'by rows in the table', values }],
    };
  };
  return {
    file: 'growth.svg',
    title: 'Loading 30 days after 30 days into one table',
    parts: [
      curve('time per million rows, by rows in the table', 's', ({ seconds, rows }) => (seconds * 1e6) / rows),
      curve('peak memory of the load', 'MiB', ({ peakMiB }) => peakMiB),
    ],
  };
}

/** To the disk before anything is measured: writing the copy back would be paid for by what comes next. */
function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}
