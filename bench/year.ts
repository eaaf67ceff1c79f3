import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readMarketFile } from '../src/sandbox/market/replay-market.ts';
import { describeRuns, type PartReport, renderTable, whole } from './figures.ts';
import { withFolder } from './folders.ts';
import { writeYear } from './made-year.ts';
import { type Measurement, medianOf } from './measurement.ts';
import { runProgram, withStarted } from './processes.ts';
import { QUERY_FILE } from './query.ts';

/** With so many, the year has about as many rows as that of a real shop. */
const CAMPAIGNS = 62;

/**
 * Measures one `pacekeeper extract` of the history in the file, by default a simulated year, with its start and the
 * publication. The sandbox is another process.
 */
export async function benchYear(folder: string, given: string | undefined, runs: number): Promise<PartReport> {
  const file = given ?? join(folder, 'year.csv.gz');
  if (given === undefined) writeYear(file, CAMPAIGNS);
  const { keyword, dates } = await readMarketFile(file);
  const rows = keyword.length;
  const days = [...dates].sort();
  const range = `BETWEEN '${days[0]}' AND '${days.at(-1)}'`;
  const found: Measurement[] = [];
  for (let run = 0; run < runs; run += 1) {
    const reading = withFolder(folder, (sandbox) =>
      withStarted(sandbox, ['sandbox', '--port', '0', '--market', file], {}, (said) =>
        readHistory(folder, said, range, rows),
      ),
    );
    found.push(await reading);
  }
  const { seconds, peakMiB } = medianOf(found, (one) => one);
  const line = [whole(rows), whole(rows / seconds), seconds.toFixed(1), whole(peakMiB)];
  return {
    figures: `${renderTable(['rows', 'rows/s', 'seconds', 'peak MiB'], [line])}\n\n${describeRuns(runs)}`,
    targets: [],
  };
}

async function readHistory(folder: string, said: string, range: string, rows: number): Promise<Measurement> {
  return withFolder(folder, async (own) => {
    for (const name of ['queries', 'rules']) mkdirSync(join(own, name));
    const source = readFileSync(QUERY_FILE, 'utf8').replace('DURING LAST_30_DAYS', range);
    writeFileSync(join(own, 'queries', 'keyword_stats.sql'), source);
    const settings = said.matchAll(/^(PACEKEEPER_TARGET|ADS_\w+)=(.*)$/gm);
    const live = Object.fromEntries(Array.from(settings, ([, name, value]) => [name, value]));
    const measurement = await runProgram(own, ['extract'], live);
    const published = new Database(join(own, 'data', 'warehouse.sqlite'), { readonly: true });
    const stored = published.prepare('SELECT count(*) FROM keyword_stats').pluck().get();
    published.close();
    if (stored !== rows) throw new Error(`Reading a year: found ${stored} rows, expected ${rows}.`);
    return measurement;
  });
}
