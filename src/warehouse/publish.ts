import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { instantText } from '../domain/civil-date.ts';
import type { StateFile } from '../store/open-state.ts';
import { calendarTable } from './calendar-table.ts';
import { createDataDictionary } from './data-dictionary.ts';
import { datasetteMetadata } from './datasette-metadata.ts';
import { ACCOUNT_DAY, DAY_READING, rememberYesterdays } from './day-tables.ts';
import { dimensionTables } from './dimensions.ts';
import { takeNewestRows } from './newest-rows.ts';
import { ownTables } from './own-tables.ts';
import { periodTables } from './period-tables.ts';
import type { Describe } from './published-columns.ts';
import { publishedQuery } from './published-query.ts';
import { createTable, type PublishedTable } from './published-table.ts';
import { replaceFile } from './replace-file.ts';
import { isDated, storedQueries } from './stored-query.ts';

export interface Publication {
  /** Where `warehouse.sqlite` goes; `metadata.json` goes beside it. */
  readonly path: string;
  readonly nowMs: number;
  readonly describe: Describe;
}

/**
 * Writes `warehouse.sqlite` anew and puts it into the old one's place, and then `metadata.json` beside it. Plain tables,
 * no WAL: the file opens in a folder one cannot write to, and whatever happens to the state file meanwhile. Answers with
 * the tables it holds.
 */
export async function publishWarehouse(
  state: StateFile,
  { path, nowMs, describe }: Publication,
): Promise<readonly PublishedTable[]> {
  const queries = await storedQueries(state.db);
  const tables = await replaceFile(path, async (next) => {
    const file = new Database(next);
    try {
      return fill(file, state.path, queries, nowMs, describe);
    } finally {
      file.close();
    }
  });
  const metadata = datasetteMetadata(tables, instantText(nowMs));
  await replaceFile(join(dirname(path), 'metadata.json'), async (next) => writeFileSync(next, metadata));
  return tables;
}

function fill(
  file: Database.Database,
  statePath: string,
  queries: Awaited<ReturnType<typeof storedQueries>>,
  nowMs: number,
  describe: Describe,
): readonly PublishedTable[] {
  // Of a new file only. The file is worth nothing before the rename, so a journal would protect nothing.
  file.pragma('page_size = 8192');
  file.pragma('journal_mode = OFF');
  file.pragma('synchronous = OFF');
  file.prepare('ATTACH ? AS state').run(statePath);
  // One transaction: all tables are of the same moment.
  file.exec('BEGIN');
  const made: PublishedTable[] = [];
  const create = (tables: readonly PublishedTable[]) => {
    for (const table of tables) createTable(file, table);
    made.push(...tables);
  };
  create(queries.map((query) => publishedQuery(query, describe)));
  const newest = queries.flatMap((query) => takeNewestRows(file, query) ?? []);
  create(dimensionTables(newest, describe));
  create(queries.flatMap(periodTables));
  rememberYesterdays(file, nowMs);
  create([ACCOUNT_DAY, DAY_READING, ...ownTables(nowMs)]);
  const dated = queries.filter(isDated).map(({ name }) => name);
  create([calendarTable([...dated, ACCOUNT_DAY.name])]);
  const all = createDataDictionary(file, made);
  file.exec('COMMIT');
  file.exec('DETACH state');
  // What the planner needs to go by day through tables that are kept by account; a sample of each table is enough.
  file.pragma('analysis_limit = 1000');
  file.exec('ANALYZE main');
  file.pragma('journal_mode = DELETE');
  return all;
}
