import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type {
  ExploredRows,
  ExploredValue,
  ExploreHead,
  ExploreOrder,
  ExploreRefusal,
  FileFormat,
  OpenSelect,
} from './storage/warehouse/explored.ts';
import { createWorkbook } from './storage/workbook/workbook.ts';
import { csvRows, jsonRow } from './views/kit/rows.ts';
import { plainCell } from './views/kit/workbook.ts';

const WATCH_MS = 20;
const PAGE_ROWS_MAX = 1000;
const PAGE_BYTES_MAX = 2 * 1024 * 1024;
const PAGE_TEXT_MAX = 1000;
const CHUNK_BYTES = 64 * 1024;
const ROWS_PER_PART = 1000;
const FILE: ExploreHead = { kind: 'file' };
const HEAD = `${JSON.stringify(FILE)}\n`;

/** Runs one SELECT of Explore, or computes models. The process that started it kills it, because nothing else stops SQLite. */
if (!isMainThread) watch(workerData as { readonly memoryBytesMax: number; readonly parent: number });
else if (process.connected) await computeModels(Number(process.argv[2]));
else await explore(JSON.parse(readFileSync(0, 'utf8')) as ExploreOrder);

async function computeModels(memoryBytesMax: number): Promise<void> {
  await limitMemory(memoryBytesMax);
  const { modelComputer } = await import('./storage/warehouse/sqlite/compute-models.ts');
  const compute = modelComputer();
  process.on('message', (order) => process.send?.(compute(order as Parameters<typeof compute>[0])));
  process.send?.('ready');
}

async function explore({ place, sql, format, limits, timeMs }: ExploreOrder): Promise<void> {
  await limitMemory(limits.memoryBytesMax);
  const found = 'url' in place ? await inDatabase(place.url, sql, timeMs) : await inFile(place.path, sql);
  if (found.kind === 'refused') await write(refusalLine(found));
  else if (format === 'csv' || format === 'xlsx')
    await writeFile(found, limits, (format === 'csv' ? csvPart : workbookPart)(found.columns));
  else if (format !== 'page') await writeWhole(found, limits, format);
  else await write(JSON.stringify(await firstRows(found, limits)));
  if (found.kind === 'open') await found.close?.();
}

async function limitMemory(memoryBytesMax: number): Promise<void> {
  // If memory runs out, the system should end this process before any other.
  ignoreErrors(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
  const watching = new Worker(new URL(import.meta.url), { workerData: { memoryBytesMax, parent: process.ppid } });
  // Without the watch, no query begins.
  await once(watching, 'online');
  watching.unref();
}

async function inFile(path: string, sql: string) {
  const { exploreFile } = await import('./storage/warehouse/sqlite/explore-file.ts');
  return exploreFile(path, sql);
}

async function inDatabase(url: string, sql: string, timeMs: number) {
  const { exploreDatabase } = await import('./storage/warehouse/postgres/explore-database.ts');
  return exploreDatabase(url, sql, timeMs);
}

/** SQLite blocks the main thread. A parent that was killed cannot end this process. */
function watch({ memoryBytesMax, parent }: { readonly memoryBytesMax: number; readonly parent: number }): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryBytesMax || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, WATCH_MS);
}

async function firstRows(
  { columns, rows, refusedBy }: OpenSelect,
  limits: ExploreOrder['limits'],
): Promise<ExploredRows | ExploreRefusal> {
  const first: ExploredValue[][] = [];
  let count = 0;
  let bytes = 0;
  let shown = 0;
  try {
    for await (const row of rows) {
      bytes += sizeOf(row);
      if (count >= limits.rowsMax || bytes > limits.bytesMax)
        return { kind: 'rows', columns, rows: first, count, isWhole: false };
      count += 1;
      if (first.length >= PAGE_ROWS_MAX || shown > PAGE_BYTES_MAX) continue;
      const values = row.map(exploredValue);
      shown += JSON.stringify(values).length;
      first.push(values);
    }
    return { kind: 'rows', columns, rows: first, count, isWhole: true };
  } catch (error) {
    return refusedBy(error);
  }
}

/** Makes the next bytes of a file from the next rows. At the end, without rows, it makes the last ones. */
type FilePart = (rows: readonly (readonly unknown[])[] | undefined) => string | Uint8Array;

function csvPart(columns: readonly string[]): FilePart {
  let head: readonly (readonly unknown[])[] = [columns];
  return (rows = []) => {
    const lines = csvRows([...head, ...rows]);
    head = [];
    return lines;
  };
}

function workbookPart(columns: readonly string[]): FilePart {
  let chunks: Uint8Array[] = [];
  const workbook = createWorkbook((chunk) => void chunks.push(chunk));
  workbook.sheet('explore', columns);
  return (rows) => {
    for (const row of rows ?? []) workbook.row(row.map((value) => plainCell(value)));
    if (rows === undefined) workbook.end();
    const part = Buffer.concat(chunks);
    chunks = [];
    return part;
  };
}

/** An error after the first rows ends the process without an exit code of success, so the download fails. */
async function writeFile(
  { rows, refusedBy }: OpenSelect,
  { rowsMax, bytesMax }: ExploreOrder['limits'],
  partOf: FilePart,
): Promise<void> {
  const values = rowsOf(rows);
  let next: IteratorResult<readonly unknown[]>;
  try {
    next = await values.next();
  } catch (error) {
    await write(refusalLine(refusedBy(error)));
    return;
  }
  await write(HEAD);
  let lines: (readonly unknown[])[] = [];
  let bytes = 0;
  let written = 0;
  for (let count = 0; next.done !== true && count < rowsMax; count += 1, next = await values.next()) {
    bytes += sizeOf(next.value);
    if (bytes > bytesMax) break;
    lines.push(next.value.map(fileValue));
    if (bytes - written < CHUNK_BYTES) continue;
    await write(partOf(lines));
    lines = [];
    written = bytes;
  }
  await write(partOf(lines));
  await write(partOf(undefined));
}

/** Programs take a part for the whole, so they get all rows or none. */
async function writeWhole(
  { columns, rows, refusedBy }: OpenSelect,
  { rowsMax, bytesMax }: ExploreOrder['limits'],
  format: FileFormat,
): Promise<void> {
  const isJson = format === 'whole_json';
  const parts: string[] = [];
  let some: (readonly unknown[])[] = [];
  const flush = () => {
    if (some.length > 0) parts.push(isJson ? some.map((row) => jsonRow(columns, row)).join(',\n') : csvRows(some));
    some = [];
  };
  let count = 0;
  let bytes = 0;
  try {
    for await (const row of rows) {
      count += 1;
      bytes += sizeOf(row);
      if (count > rowsMax || bytes > bytesMax) {
        const most = `${rowsMax.toLocaleString('en-US')} rows or ${bytesMax / 1024 / 1024} MiB`;
        const problem = `The answer has more than ${most}. Ask for fewer days, accounts or columns.`;
        await write(refusalLine({ kind: 'refused', problems: [problem] }));
        return;
      }
      some.push(row.map(fileValue));
      if (some.length >= ROWS_PER_PART) flush();
    }
  } catch (error) {
    await write(refusalLine(refusedBy(error)));
    return;
  }
  flush();
  await write(HEAD);
  await write(isJson ? `[${parts.join(',\n')}]\n` : `${csvRows([columns])}${parts.join('')}`);
}

function refusalLine(refusal: ExploreRefusal): string {
  return `${JSON.stringify(refusal)}\n`;
}

function fileValue(value: unknown): unknown {
  return value instanceof Uint8Array ? `(${value.length} bytes)` : value;
}

async function* rowsOf(rows: OpenSelect['rows']): AsyncGenerator<readonly unknown[], void> {
  yield* rows;
}

function sizeOf(row: readonly unknown[]): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  );
}

function exploredValue(value: unknown): ExploredValue {
  if (typeof value === 'bigint') return { integer: String(value) };
  if (value instanceof Uint8Array) return { bytes: value.length };
  if (typeof value === 'string') return value.length > PAGE_TEXT_MAX ? `${value.slice(0, PAGE_TEXT_MAX)}…` : value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return null;
}

/** Waits for the reader, so that a slow one costs no memory. */
async function write(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // Other systems have no such file.
  }
}
