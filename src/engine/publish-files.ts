import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { loadDescriptions } from '../config/load-catalogue.ts';
import { conversionWindowsIn } from '../config/of-account.ts';
import type { Settings } from '../config/settings.ts';
import { InputError } from '../domain/errors.ts';
import { withoutFullStop } from '../domain/wording.ts';
import { replaceFile } from '../storage/files/replace-file.ts';
import type { PublishedModel } from '../storage/warehouse/models/model-failure.ts';
import { sourceTable } from '../storage/warehouse/models/source-table.ts';
import { type ExportedTable, type ExportFormat, exportTables } from '../storage/warehouse/publish/export-tables.ts';
import type { Describe, PublishedTable } from '../storage/warehouse/publish/published-table.ts';
import { type StoredQuery, storedQueries } from '../storage/warehouse/query-table.ts';
import { openTables, type PublishedTables, publishedPast } from '../storage/warehouse/sqlite/published-file.ts';
import type { Publication, Published, Warehouse } from '../storage/warehouse/store.ts';
import { OWN_MARK } from '../storage/workbook/workbook.ts';
import type { StateApp } from './app.ts';
import { warehousePath } from './folder/folder-paths.ts';
import { readersNow } from './lineage.ts';
import { checkModelFiles, filesIn, modelFilesIn, nameOf, QUERY_ENDINGS } from './load-inputs.ts';
import { withPublished } from './with-published.ts';

export interface PublishedNow extends Published {
  /** Names the tables that were published last time, and are not any more. */
  readonly note: string | undefined;
  /** Why the copy in PostgreSQL has older tables. */
  readonly notCopied: string | undefined;
}

export async function publishFiles(app: StateApp): Promise<PublishedNow> {
  const { warehouse } = app.state;
  const publication = await publicationOf(app);
  const before = await tablesIn(warehouse, publication.path);
  const published = await warehouse.publish(publication);
  const now = new Set(published.tables.map(({ name }) => name));
  const gone = before.filter((name) => !now.has(name));
  const note = gone.length === 0 ? undefined : goneNote(gone, app.settings.paths);
  return { ...published, note, notCopied: await copyAfterwards(app, publication, published) };
}

/** Returns a failure as text, because the publication itself stays valid. */
async function copyAfterwards(
  { settings, state }: StateApp,
  publication: Publication,
  { file, tables }: Published,
): Promise<string | undefined> {
  const { url } = settings.publish.postgres;
  if (url === undefined) return undefined;
  const path = file ?? join(settings.paths.data, '.copy.sqlite');
  try {
    const { copyTables } = await import('../storage/warehouse/postgres/copy-tables.ts');
    await copyTables(url, path, file ? tables : await state.warehouse.writeFile({ ...publication, path }));
    return undefined;
  } catch (error) {
    const reason = withoutFullStop(error instanceof Error ? error.message : String(error));
    return `The copy of the tables in PostgreSQL is not renewed: ${reason}. Readers see the last complete copy. Correct this or publish.postgres.url, then run pacekeeper publish.`;
  } finally {
    if (file === undefined) rmSync(path, { force: true });
  }
}

async function tablesIn(warehouse: Warehouse, path: string): Promise<readonly string[]> {
  const published = await warehouse.openPublished(path);
  try {
    const { rows = [] } = (await published?.dictionary()) ?? {};
    return rows.flatMap(({ table, column }) => (column === '' ? table : []));
  } finally {
    published?.close();
  }
}

function goneNote(gone: readonly string[], { models }: Settings['paths']): string {
  const found = `No longer published: ${gone.join(', ')}. No query defines this, and no model in ${models}.`;
  return `${found} If a model is missing, name its folder with --models.`;
}

async function publicationOf({ settings, clock, state }: StateApp): Promise<Publication> {
  const { fields } = loadDescriptions(settings.ads.catalogue);
  const describe = (field: string) => fields[field];
  const models = await publishedModels(settings, await storedQueries(state.db), describe);
  const path = warehousePath(settings.paths.data);
  const nowMs = clock.now();
  const readers = await readersNow(settings, nowMs, models);
  return { path, nowMs, describe, models, readers, conversions: conversionWindowsIn(settings) };
}

/** Published columns that the next version removes, and what to use instead. Empty if nothing is published. */
export async function deprecatedColumns(app: Pick<StateApp, 'state' | 'settings'>): Promise<string[]> {
  const found = await withPublished(app, async (file) => file?.deprecated());
  return (found ?? []).map(({ table, column, instead }) => `${table}.${column} (${instead})`);
}

/** Checks the models again, because the stored tables can have other columns than the query files. */
async function publishedModels(
  { paths, models: limits }: Settings,
  stored: readonly StoredQuery[],
  describe: Describe,
): Promise<readonly PublishedModel[]> {
  const files = modelFilesIn(paths.models);
  if (files.length === 0) return [];
  const queries = filesIn(paths.queries, QUERY_ENDINGS, 'queries').map(nameOf);
  const names = files.map(nameOf);
  // A model may have the name of a table whose query file was deleted.
  const readable = stored.filter(({ name }) => queries.includes(name) || !names.includes(name));
  const isThere = new Set(readable.map(({ name }) => name));
  // A model is skipped until all its tables exist.
  const unread = queries.filter((name) => !isThere.has(name));
  const { byName, findings } = await checkModelFiles(
    files,
    async () => readable.map((query) => sourceTable(query, { describe })),
    new Set(unread),
  );
  const wrong = findings.filter(({ diagnostics }) => diagnostics.length > 0);
  if (wrong.length === 0) {
    const shown = new Map(findings.map(({ name, file }) => [name, file]));
    return Array.from(byName.values(), (model) => ({ ...model, file: shown.get(model.name) ?? '', limits }));
  }
  throw new InputError(
    `${wrong.map(({ file }) => file).join(', ')} cannot be computed from the tables that were read.`,
    {
      nextStep: 'Correct them, then run pacekeeper publish. It shows the places.',
      findings: wrong,
    },
  );
}

/** Returns a failure as text, because the work before the publication stays valid. */
export async function publishAfterwards(app: StateApp): Promise<{ readonly failure?: string; readonly note?: string }> {
  try {
    const { note, notCopied: failure } = await publishFiles(app);
    return { ...(failure !== undefined && { failure }), ...(note !== undefined && { note }) };
  } catch (error) {
    const reason = withoutFullStop(error instanceof Error ? error.message : String(error));
    const { what, left } = app.state.warehouse.unpublished(warehousePath(app.settings.paths.data));
    const nextStep = error instanceof InputError ? ` ${error.nextStep ?? ''}` : '';
    return { failure: `${what} could not be published and ${left}: ${reason}.${nextStep}`.trimEnd() };
  }
}

export interface Written extends PublishedNow {
  readonly written: readonly ExportedTable[];
  /** The path of the file with all tables, if one was asked for. */
  readonly copy?: string;
}

type WriteTables = (path: string, tables: readonly PublishedTable[]) => Promise<ExportedTable[]>;

/** After a stop, skips the remaining tables; of Parquet, all. Throws `InputError` for an unusable folder. */
export async function publishTo(
  app: StateApp,
  format: ExportFormat | 'parquet',
  folder: string,
  stop: AbortSignal,
): Promise<Written> {
  refuseInputs(folder);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw noFolder(folder, cause);
  }
  if (format !== 'parquet') {
    return fromFile(app, folder, (path, tables) => exportTables(path, tables, format, folder, stop));
  }
  const { exportParquet } = await import('../storage/warehouse/publish/export-parquet.ts');
  return fromFile(app, folder, (path, tables) =>
    untilStop(stop, [], (pause) => withTables(path, (warehouse) => exportParquet(warehouse, tables, folder, pause))),
  );
}

/** Publishes, then calls `write` with a file of SQLite. `folder` is for this file, if the engine has none. */
async function fromFile(app: StateApp, folder: string, write: WriteTables): Promise<Written> {
  const result = await publishFiles(app);
  if (result.file !== undefined) return { ...result, written: await write(result.file, result.tables) };
  const path = join(folder, '.tables.sqlite');
  try {
    const tables = await app.state.warehouse.writeFile({ ...(await publicationOf(app)), path });
    return { ...result, written: await write(path, tables) };
  } finally {
    rmSync(path, { force: true });
  }
}

async function withTables<Value>(path: string, work: (warehouse: PublishedTables) => Promise<Value>): Promise<Value> {
  const warehouse = openTables(path);
  try {
    return await work(warehouse);
  } finally {
    warehouse.close();
  }
}

/** The process can receive a stop request only during a pause. */
async function untilStop<Value>(
  stop: AbortSignal,
  stopped: Value,
  work: (pause: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  const pause = async () => {
    await turn();
    stop.throwIfAborted();
  };
  try {
    return await work(pause);
  } catch (error) {
    if (stop.aborted) return stopped;
    throw error;
  }
}

/** Writes a spreadsheet. Throws `InputError` if `path` is another file. */
export async function publishToWorkbook(app: StateApp, path: string, stop: AbortSignal): Promise<Written> {
  refuseOtherWorkbook(path);
  const { exportWorkbook } = await import('../storage/warehouse/publish/export-workbook.ts');
  let end: { readonly cutTexts: number } | undefined;
  const result = await fromFile(app, dirname(path), async (file, tables) => {
    end = await untilStop(stop, undefined, (pause) =>
      withTables(file, (warehouse) => replaceFile(path, (next) => exportWorkbook(warehouse, tables, next, pause))),
    );
    return [];
  });
  if (end === undefined) return result;
  const cut =
    end.cutTexts === 0 ? [] : [`${end.cutTexts} texts were cut, because a cell has at most 32,767 characters.`];
  const note = [...(result.note === undefined ? [] : [result.note]), ...cut].join(' ');
  return { ...result, note: note === '' ? undefined : note, copy: path };
}

const MARKED_BYTES = 1024;

/** People change workbooks. Only one that nobody saved since may be replaced. */
function refuseOtherWorkbook(path: string): void {
  const nextStep = 'Name another file. Example: pacekeeper publish --to xlsx exports/warehouse.xlsx';
  if (!/\.xlsx$/i.test(path))
    throw new InputError(`Found the name ${path}, expected one that ends with .xlsx.`, { nextStep });
  if (!existsSync(path)) return;
  const start = Buffer.alloc(MARKED_BYTES);
  if (statSync(path).isFile()) {
    const file = openSync(path, 'r');
    readSync(file, start);
    closeSync(file);
  }
  if (start.includes(OWN_MARK)) return;
  throw new InputError(`${path} was not replaced: pacekeeper did not write it, or somebody saved it since.`, {
    nextStep,
  });
}

/** Throws `InputError` if `path` is another file. */
export async function publishToFile(app: StateApp, path: string): Promise<Written> {
  if (existsSync(path) && publishedPast(path) === undefined) {
    throw new InputError(`${path} was not replaced: it is not a file that pacekeeper published.`, {
      nextStep: 'Name another file. Example: pacekeeper publish --to sqlite exports/warehouse.sqlite',
    });
  }
  const result = await publishFiles(app);
  await app.state.warehouse.writeFile({ ...(await publicationOf(app)), path });
  return { ...result, written: [], copy: path };
}

/** Refuses a folder with queries or rules, because exported files could be mistaken for inputs. */
function refuseInputs(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return;
  const found = readdirSync(folder).find((name) => /\.(?:sql|gaql|ya?ml)$/i.test(name));
  if (found === undefined) return;
  throw new InputError(
    `Invalid folder for tables: ${folder} contains ${found}, so it holds queries, rules or settings.`,
    {
      nextStep: 'Name another folder. Example: pacekeeper publish --to csv exports',
    },
  );
}

function noFolder(folder: string, cause: unknown): InputError {
  const nextStep = 'Name a folder that exists or can be created.';
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new InputError(`Invalid folder for tables: ${folder} is a file.`, {
      nextStep: 'Name another folder, or move the file away.',
      cause,
    });
  }
  const words = code === 'ENOTDIR' ? 'a part of that path is a file' : message;
  return new InputError(`The folder ${folder} cannot be created: ${words}.`, { nextStep, cause });
}
