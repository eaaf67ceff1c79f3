import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InputError } from '../../../domain/errors.ts';
import { beginAnew, flush, replaceText } from '../../files/replace-file.ts';
import { DATE_COLUMN } from '../query-table.ts';
import type { PublishedTables } from '../sqlite/published-file.ts';
import type { ExportedTable } from './export-tables.ts';
import { type ParquetColumn, parquetColumns, writeParquet } from './parquet-file.ts';
import { instantOutside, type PublishedTable } from './published-table.ts';

const FORMAT = 'pacekeeper-parquet';
/** Only these files are ours. `.next` is a file that is being written. */
const OWN_NAME = /^(?:\d{4}-\d{2}|other|all)-[0-9a-f]{16}\.parquet(?:\.next)?$/;

interface ManifestFile {
  readonly path: string;
  readonly rows: number;
  readonly sha256: string;
}

interface ManifestTable {
  readonly name: string;
  readonly files: readonly ManifestFile[];
}

/**
 * A folder of Parquet files. Readers take the names of complete files from `manifest.json`.
 *
 * A file's name has a hash of its columns and rows. So no file is overwritten with other rows, and a file with the right
 * name is kept. All new files are written beside, then renamed. After that, the manifest is replaced. Files that it does
 * not name are removed last. So a killed publication leaves the old or the new manifest, each with all its files. The
 * next publication removes the rest.
 */
export async function exportParquet(
  warehouse: PublishedTables,
  tables: readonly PublishedTable[],
  folder: string,
  pause: () => Promise<void>,
): Promise<ExportedTable[]> {
  const manifest = join(folder, 'manifest.json');
  const earlier = readManifest(manifest);
  const known = new Map(earlier.flatMap(({ files }) => files.map((file) => [file.path, file])));
  const places = new Set([...earlier, ...tables].map(({ name }) => name));
  removeUnnamed(folder, places, earlier);
  const publication = publicationIn(warehouse);
  const staged: string[] = [];
  const writeTable = async ({ name, description, columns }: PublishedTable) => {
    await pause();
    const order = { table: name, columns: parquetColumns(columns) };
    const values = order.columns.map(({ value }) => value);
    mkdirSync(join(folder, name), { recursive: true });
    const files: ManifestFile[] = [];
    for (const [part, where] of partsOf(warehouse, name, columns)) {
      const rows = () => warehouse.rows(name, values, where);
      const path = `${name}/${part}-${await contentHash(order.columns, rows(), pause)}.parquet`;
      const place = join(folder, path);
      const before = known.get(path);
      if (before !== undefined && existsSync(place) && (await checksumOf(place)) === before.sha256) {
        files.push(before);
        continue;
      }
      const next = `${place}.next`;
      beginAnew(next);
      const metadata = { ...publication, table: name };
      const count = await writeParquet(next, { ...order, metadata }, rows(), pause);
      flush(next, 0o644);
      staged.push(path);
      files.push({ path, rows: count, sha256: await checksumOf(next) });
    }
    const types = order.columns.map((column) => ({ name: column.name, type: column.declared }));
    return { name, description, rows: files.reduce((sum, { rows }) => sum + rows, 0), columns: types, files };
  };
  try {
    const written: Awaited<ReturnType<typeof writeTable>>[] = [];
    for (const table of tables) written.push(await writeTable(table));
    for (const path of staged) renameSync(join(folder, `${path}.next`), join(folder, path));
    replaceText(manifest, () => `${JSON.stringify({ format: FORMAT, ...publication, tables: written }, null, 2)}\n`);
    const isNew = new Set(staged);
    return written.map(({ name, rows, files }) => {
      const changed = files.filter(({ path }) => isNew.has(path));
      return { file: join(folder, name), rows, files: { all: files.length, written: changed.length } };
    });
  } finally {
    removeUnnamed(folder, places, readManifest(manifest));
  }
}

function readManifest(path: string): readonly ManifestTable[] {
  if (!existsSync(path)) return [];
  const { format, tables } = parsed(readFileSync(path, 'utf8'));
  if (format === FORMAT && Array.isArray(tables)) return tables;
  throw new InputError(`${path} was not replaced: pacekeeper did not write it.`, {
    nextStep: 'Name another folder. Example: pacekeeper publish --to parquet exports',
  });
}

function parsed(text: string): { readonly format?: string; readonly tables?: readonly ManifestTable[] } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** `run` is the newest run of which the files have rows. */
function publicationIn(warehouse: PublishedTables): Readonly<Record<string, string>> {
  const [[asOf, publication] = []] = warehouse.rows('as_of', [instantOutside('as_of'), 'publication']);
  const [[run] = []] = warehouse.rows('run', ["coalesce(max(id), '')"]);
  return { as_of: String(asOf), publication: String(publication), run: String(run) };
}

const IS_DAY = `${DATE_COLUMN} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'`;

/** A part for each month, `other` for rows without a day, and `all` for a table without days. Each with SQL of its rows. */
function partsOf(
  warehouse: PublishedTables,
  name: string,
  columns: PublishedTable['columns'],
): readonly (readonly [name: string, where: string])[] {
  const isDated = columns.some((column) => column.name === DATE_COLUMN && column.declared === 'DATE');
  const month = `DISTINCT CASE WHEN ${IS_DAY} THEN substr(${DATE_COLUMN}, 1, 7) END`;
  const months = isDated ? Array.from(warehouse.rows(name, [month]), ([value]) => value) : [];
  if (months.length === 0) return [['all', '']];
  return months.map((one) =>
    one === null
      ? ['other', `WHERE (${IS_DAY}) IS NOT TRUE`]
      : [String(one), `WHERE ${DATE_COLUMN} BETWEEN '${one}-00' AND '${one}-99' AND ${IS_DAY}`],
  );
}

const PAUSE_ROWS = 10_000;

/** A changed type changes it, too. */
async function contentHash(
  columns: readonly ParquetColumn[],
  rows: ReturnType<PublishedTables['rows']>,
  pause: () => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(columns.map(({ name, declared }) => [name, declared])));
  let count = 0;
  for (const row of rows) {
    // JSON has no bigint and no infinity.
    const values = row.map((value) => (typeof value === 'string' || value === null ? value : String(value)));
    hash.update(JSON.stringify(values));
    count += 1;
    if (count % PAUSE_ROWS === 0) await pause();
  }
  return hash.digest('hex').slice(0, 16);
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Removes our files that the manifest does not name. Files of others stay, and so do folders that have any. */
function removeUnnamed(folder: string, tables: Iterable<string>, manifest: readonly ManifestTable[]): void {
  const named = new Set(manifest.flatMap(({ files }) => files.map(({ path }) => path)));
  for (const table of tables) {
    const place = join(folder, table);
    if (!existsSync(place)) continue;
    for (const name of readdirSync(place)) {
      if (OWN_NAME.test(name) && !named.has(`${table}/${name}`)) rmSync(join(place, name));
    }
    if (readdirSync(place).length === 0) rmdirSync(place);
  }
}
