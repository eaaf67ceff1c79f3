import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { kyselyOn } from '../../records/sqlite/open-state.ts';
import type { Landmarks } from '../../records/sqlite/state-past.ts';
import type { StateSchema } from '../../records/state-schema.ts';
import { type DaySums, type PublishedData, publishedData } from '../publish/published-data.ts';
import { instantOutside } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';
import { heldColumns } from './query-tables.ts';

/** Returns undefined if the file is missing or not from pacekeeper. */
export async function openPublished(path: string): Promise<PublishedData | undefined> {
  if (!existsSync(path)) return undefined;
  // Before opening: if the file is replaced in between, the next reader sees that the version is another.
  const sums = keptSums(path);
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  try {
    const columnsOf = async (table: string) => new Set(heldColumns({ connection: file }, table));
    const db = kyselyOn<StateSchema>(file);
    return await publishedData({ db, schema: 'main', columnsOf, close: () => void file.close() }, sums);
  } catch {
    file.close();
    return undefined;
  }
}

/** The sums of the file that was opened last. They take longest, and a published file is only replaced, never changed. */
let kept: { readonly version: string; readonly sums: DaySums } | undefined;

function keptSums(path: string): DaySums {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  const version = [path, dev, ino, size, mtimeNs].join(' ');
  if (kept?.version !== version) kept = { version, sums: new Map() };
  return kept.sums;
}

export interface PublishedPast extends Landmarks {
  readonly runs: number;
  readonly newestChange: { readonly id: bigint; readonly accountDay: string } | undefined;
}

export function publishedPast(path: string): PublishedPast | undefined {
  try {
    return withDatabase(new Database(path, { readonly: true, fileMustExist: true, timeout: 1000 }), (file) => {
      file.defaultSafeIntegers(true);
      const newest = <Row>(table: string, columns: string) =>
        file.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined
          ? undefined
          : file.prepare<[], Row>(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 1`).get();
      return {
        runs: Number(file.prepare('SELECT count(*) FROM run').pluck().get()),
        newestRun: newest('run', `id, ${instantOutside('started_at')} AS startedAt`),
        newestEvent: newest('budget_event', 'id, hash'),
        newestChange: newest('budget_change', 'id, account_day AS accountDay'),
      };
    });
  } catch {
    return undefined;
  }
}

/** Integers are bigints, because a JavaScript number cannot represent every int64. */
export type PublishedValue = bigint | number | string | null;

export type PublishedTables = ReturnType<typeof openTables>;

export function openTables(path: string) {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  return {
    rows: (table: string, columns: readonly string[]) => {
      const select = file.prepare(`SELECT ${columns.join(', ')} FROM main.${identifier(table)}`);
      return select.raw().iterate() as Iterable<PublishedValue[]>;
    },
    close: () => {
      file.close();
    },
  };
}
