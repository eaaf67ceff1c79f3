import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { askOnce, type KeptAnswers, keptAnswers } from '../../records/kept-answers.ts';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { kyselyOn } from '../../records/sqlite/open-state.ts';
import type { Landmarks } from '../../records/sqlite/state-past.ts';
import type { StateSchema } from '../../records/state-schema.ts';
import { type PublishedData, publishedData } from '../publish/published-data.ts';
import { instantOutside } from '../publish/published-table.ts';
import { identifier } from '../query-table.ts';
import { heldColumns } from './query-tables.ts';

/** Returns undefined if the file is missing or not from pacekeeper. */
export async function openPublished(path: string): Promise<PublishedData | undefined> {
  const version = versionOf(path);
  if (version === undefined) return undefined;
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  try {
    const columnsOf = async (table: string) => new Set(heldColumns({ connection: file }, table));
    const db = kyselyOn<StateSchema>(file);
    const data = await publishedData({ db, schema: 'main', columnsOf, close: () => void file.close() });
    // If the file was replaced meanwhile, either of the two is open, and its answers belong to no known version.
    return versionOf(path) === version ? answeringOnce(data, keptOf(version)) : data;
  } catch {
    file.close();
    return undefined;
  }
}

/** About 20 MB. */
const ROWS_MAX = 100_000;

/** A published file is only replaced, never changed, so its answers stay true. Those of one version are kept. */
let known: { readonly version: string; readonly kept: KeptAnswers } | undefined;

function keptOf(version: string): KeptAnswers {
  if (known?.version !== version) known = { version, kept: keptAnswers(ROWS_MAX) };
  return known.kept;
}

type Ask = (...args: readonly unknown[]) => Promise<unknown>;

function answeringOnce(data: PublishedData, kept: KeptAnswers): PublishedData {
  const methods = Object.entries(data).map(([name, value]) => {
    if (typeof value !== 'function' || name === 'close') return [name, value];
    const ask = value as Ask;
    const once: Ask = (...args) => askOnce(kept, JSON.stringify([name, ...args]), () => ask(...args));
    return [name, once];
  });
  return Object.fromEntries(methods) as PublishedData;
}

/** Undefined without a file. */
function versionOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && [path, found.dev, found.ino, found.size, found.mtimeNs].join(' ');
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
    rows: (table: string, columns: readonly string[], where = '') => {
      const select = file.prepare(`SELECT ${columns.join(', ')} FROM main.${identifier(table)} ${where}`);
      return select.raw().iterate() as Iterable<PublishedValue[]>;
    },
    close: () => {
      file.close();
    },
  };
}
