import Database from 'better-sqlite3';
import { type CivilDate, instantText, isTimeZone } from '../../../domain/civil-date.ts';
import { settledFromMs } from '../../../domain/complete-days.ts';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { type AccountZone, yesterdays } from '../publish/calendar-table.ts';
import { type DimensionTable, GATHERED, SELECTING } from '../publish/dimensions.ts';
import type { Reader } from '../publish/lineage.ts';
import { type NewestRows, newestColumns, newestOrder, newestTable } from '../publish/newest-rows.ts';
import {
  DICTIONARY,
  dictionaryRows,
  type PlanFacts,
  type PublicationPlan,
  planPublication,
  tablesOf,
} from '../publish/publication-plan.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { SQLITE_NAMES } from './sqlite-names.ts';

export interface Written {
  /** The file contains all changes up to this id in `unpublished_day`. */
  readonly lastNoted: bigint;
}

export function writePublished(next: string, statePath: string, facts: PlanFacts): Written {
  return withDatabase(new Database(next), (file) => {
    // SQLite applies the page size only to a new file.
    file.pragma('page_size = 8192');
    return fill(file, statePath, facts, planPublication(facts, 'all'), writeWhole);
  });
}

export function fill(
  file: Database.Database,
  statePath: string,
  { nowMs, readers }: PlanFacts,
  plan: PublicationPlan,
  write: (file: Database.Database, plan: PublicationPlan) => void,
): Written {
  // No journal is needed, because an incomplete file is never used.
  file.pragma('journal_mode = OFF');
  file.pragma('synchronous = OFF');
  // Foreign keys are declared for readers. Checking them would take time.
  file.pragma('foreign_keys = OFF');
  file.function('complete_from', { deterministic: true }, completeFrom());
  file.prepare('ATTACH ? AS state').run(statePath);
  // Sorted rows need only a small cache. SQLite's list of tables needs 2 KiB per table.
  const listKib = 2 * tablesOf(plan).length;
  file.pragma(`main.cache_size = -${4000 + listKib}`);
  file.pragma(`temp.cache_size = -${2000 + listKib}`);
  file.pragma('state.cache_size = -2000');
  // One transaction, so that all tables come from the same snapshot.
  file.exec('BEGIN');
  const noted = file.prepare('SELECT coalesce(max(id), 0) FROM state.unpublished_day').pluck().safeIntegers();
  const lastNoted = noted.get() as bigint;
  rememberYesterdays(file, nowMs);
  write(file, plan);
  file.exec('DELETE FROM main.data_dictionary');
  describeTables(file, tablesOf(plan), readers);
  file.exec('COMMIT');
  file.exec('DETACH state');
  // With statistics from ANALYZE, SQLite finds a day without reading all rows. A sample is enough.
  file.pragma('analysis_limit = 1000');
  file.exec('ANALYZE main');
  file.pragma('journal_mode = DELETE');
  return { lastNoted };
}

function writeWhole(file: Database.Database, plan: PublicationPlan): void {
  for (const { table } of plan.queries) createTable(file, table);
  for (const newest of plan.newest) {
    createNewestRows(file, newest);
    file.exec(newestStatement(newest));
  }
  for (const dimension of plan.dimensions) {
    gatherSources(file, dimension);
    createTable(file, dimension.table);
  }
  noteDated(file, plan.dated);
  for (const table of plan.small) createTable(file, table);
  for (const table of plan.growing) createTable(file, table);
  for (const { tables } of plan.periods) for (const table of tables) createTable(file, table);
  for (const view of plan.views) file.exec(viewStatement(view));
  file.exec(tableStatement(DICTIONARY));
}

/** The time from which a read returns final conversions. Each time is computed once, because accounts share days. */
function completeFrom() {
  const known = new Map<string, string>();
  return (date: CivilDate, zone: string | null, settleDays: number, closesAt: string): string => {
    const key = `${date} ${settleDays} ${zone}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const timeZone = zone !== null && isTimeZone(zone) ? zone : undefined;
    const from = instantText(settledFromMs(date, { timeZone, closesAt, settleDays }));
    known.set(key, from);
    return from;
  };
}

/** Indexes are created after the rows, which is faster. */
function createTable(file: Database.Database, table: PublishedTable): void {
  file.exec(tableStatement(table));
  fillTable(file, table);
  for (const statement of indexStatements(table)) file.exec(statement);
}

export function fillTable(file: Database.Database, { name, columns, from, order }: PublishedTable): void {
  const values = columns.map(({ expression }) => expression);
  const sorted = order === '' ? '' : ` ORDER BY ${order}`;
  file.exec(`INSERT INTO main.${identifier(name)} SELECT ${values.join(', ')} ${from}${sorted}`);
}

/** Uses temporary tables, because SQLite joins at most 500 SELECTs. */
export function gatherSources(file: Database.Database, { gathered }: DimensionTable): void {
  if (gathered === undefined) return;
  file.exec(`DROP TABLE IF EXISTS temp.${GATHERED}; CREATE TEMP TABLE ${GATHERED} (${gathered.columns.join(', ')});
    DROP TABLE IF EXISTS temp.${SELECTING}; CREATE TEMP TABLE ${SELECTING} (attribute, source)`);
  for (const rows of gathered.rows) file.exec(`INSERT INTO temp.${GATHERED} ${rows}`);
  const select = file.prepare(`INSERT INTO temp.${SELECTING} VALUES (?, ?)`);
  for (const [attribute, source] of gathered.selecting) select.run(attribute, source);
}

function viewStatement({ name, columns, from }: PublishedTable): string {
  const values = columns.map((column) => `${column.expression} AS ${identifier(column.name)}`);
  return `CREATE VIEW main.${identifier(name)} AS SELECT ${values.join(', ')} ${from}`;
}

function tableStatement({ name, columns, key, references = {}, isOfSeveral }: PublishedTable): string {
  const declarations = columns.map((column) => {
    const required = (column.name === CUSTOMER_COLUMN && !isOfSeveral) || key.includes(column.name) ? ' NOT NULL' : '';
    return `${identifier(column.name)} ${column.declared}${required}`;
  });
  const primary = key.length === 0 ? [] : [`PRIMARY KEY (${key.map(identifier).join(', ')})`];
  const foreign = Object.entries(references).map(([own, other]) => `FOREIGN KEY (${own}) REFERENCES ${other}`);
  // Without a rowid, SQLite stores the table sorted by key, so the key needs no index.
  const kind = key.length === 0 ? '' : ' WITHOUT ROWID';
  return `CREATE TABLE main.${identifier(name)} (${[...declarations, ...primary, ...foreign].join(', ')})${kind}`;
}

function indexStatements({ name, indexes }: PublishedTable): string[] {
  return indexes.map(
    (index) =>
      `CREATE INDEX main.${identifier(index.name)} ON ${identifier(name)} (${index.columns.map(identifier).join(', ')})`,
  );
}

export function createNewestRows(file: Database.Database, newest: NewestRows): void {
  const columns = newestColumns(newest, SQLITE_NAMES).map(([name]) => identifier(name));
  const key = columns.slice(0, newest.ids.length + 1).join(', ');
  file.exec(`CREATE TEMP TABLE ${newestTable(newest)} (${columns.join(', ')}, PRIMARY KEY (${key})) WITHOUT ROWID`);
}

/** OR IGNORE skips later rows with the same ids, which are older. */
export function newestStatement(newest: NewestRows, among = ''): string {
  const values = newestColumns(newest, SQLITE_NAMES).map(([, value]) => value);
  return `INSERT OR IGNORE INTO temp.${newestTable(newest)} SELECT ${values.join(', ')}
    FROM main.${identifier(newest.query.name)} AS newest ${among} ORDER BY ${newestOrder(newest.query, '_rowid_')}`;
}

function rememberYesterdays(file: Database.Database, nowMs: number): void {
  file.exec('CREATE TEMP TABLE account_yesterday (customer_id INTEGER PRIMARY KEY, yesterday TEXT NOT NULL)');
  const accounts = file.prepare('SELECT customer_id, time_zone FROM state.account').safeIntegers().raw().all();
  const insert = file.prepare('INSERT INTO temp.account_yesterday VALUES (?, ?)');
  for (const row of yesterdays(accounts as AccountZone[], nowMs)) insert.run(row);
}

/** Uses one statement per table, because SQLite joins at most 500 SELECTs. */
export function noteDated(file: Database.Database, dated: readonly string[]): void {
  file.exec('CREATE TEMP TABLE dated (first TEXT, last TEXT)');
  for (const name of dated) {
    const table = `main.${identifier(name)}`;
    const end = (extreme: string) =>
      `(SELECT ${extreme}(${DATE_COLUMN}) FROM ${table} WHERE ${CUSTOMER_COLUMN} = account.id)`;
    file.exec(`INSERT INTO temp.dated SELECT min(${end('min')}), max(${end('max')}) FROM (
      WITH RECURSIVE account (id) AS (
        SELECT min(${CUSTOMER_COLUMN}) FROM ${table}
        UNION ALL
        SELECT (SELECT min(${CUSTOMER_COLUMN}) FROM ${table} WHERE ${CUSTOMER_COLUMN} > account.id)
        FROM account WHERE account.id IS NOT NULL)
      SELECT id FROM account) AS account`);
  }
}

export function describeTables(
  file: Database.Database,
  tables: readonly PublishedTable[],
  readers: readonly Reader[],
): void {
  const places = DICTIONARY.columns.map(() => '?').join(', ');
  const insert = file.prepare(`INSERT INTO main.data_dictionary VALUES (${places})`);
  for (const row of dictionaryRows(tables, readers)) insert.run(...row);
}
