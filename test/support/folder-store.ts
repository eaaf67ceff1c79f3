import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inject, onTestFinished } from 'vitest';
import type { LockReading } from '../../src/engine/folder/engine.ts';
import { openPostgres } from '../../src/storage/records/postgres/open-records.ts';
import { acquireRunLock } from '../../src/storage/records/postgres/run-lock.ts';
import { acquireRunLock as acquireFileLock } from '../../src/storage/records/sqlite/run-lock.ts';
import { type Look, lookAt } from './look.ts';
import { dropDatabase, freshDatabase } from './postgres-server.ts';
import { putUnusedState } from './state.ts';

/** For tests about the files themselves. */
export const onFiles = inject('postgres') === undefined;

/** The records, or what is published. */
export type StorePart = 'state' | 'warehouse';

/** The store of a data folder on the engine of the project, from outside. */
export interface FolderStore {
  /** The path of the state file, or the address of the database. */
  readonly place: string;
  /** Names the store to a program. */
  readonly env: Readonly<Record<string, string>>;
  /** Making the tables takes longer than most tests. */
  putTables(): Promise<void>;
  /** Integers are numbers. */
  rows(sql: string, part?: StorePart): Record<string, unknown>[];
  /** Holds the run lock like another process, until the answer is called. */
  hold(command: string): Promise<() => unknown>;
  /** Does to the records what no command does. */
  execute(...sql: readonly string[]): void;
}

/** On PostgreSQL it is a new database, empty or a copy of the one at this address. It ends with the test. */
export async function folderStore(dataDir: string, copied?: string): Promise<FolderStore> {
  if (onFiles) {
    const pathOf = (part: StorePart) => join(dataDir, `${part}.sqlite`);
    return {
      ...storeWith((part, readonly) => new Database(pathOf(part), { readonly })),
      place: pathOf('state'),
      env: {},
      hold: async (command) => releaseOf(acquireFileLock(dataDir, command, SINCE)),
      putTables: async () => void (await putUnusedState(dataDir)),
    };
  }
  const url = await freshDatabase(copied);
  onTestFinished(() => dropDatabase(url));
  let made: Promise<void> | undefined;
  const putTables = () => {
    made ??= openPostgres({ url, waitMs: 1000 }).then((state) => state.close());
    return made;
  };
  return {
    ...storeWith((part) => lookAt(url, part === 'state' ? undefined : part)),
    place: url,
    env: { PACEKEEPER_STORE_URL: url },
    async hold(command) {
      await putTables();
      return releaseOf(await acquireRunLock(url, command, SINCE));
    },
    putTables,
  };
}

const SINCE = '2026-11-20T12:00:00Z';

function releaseOf(lock: LockReading): () => unknown {
  if (lock.kind !== 'acquired') throw new Error('Expected the lock.');
  return () => lock.release();
}

function storeWith(open: (part: StorePart, readonly: boolean) => Look): Pick<FolderStore, 'rows' | 'execute'> {
  const look = <Value>(part: StorePart, readonly: boolean, work: (store: Look) => Value): Value => {
    const store = open(part, readonly);
    try {
      return work(store);
    } finally {
      store.close();
    }
  };
  return {
    rows: (sql, part = 'state') =>
      look(part, true, (store) => store.prepare<unknown[], Record<string, unknown>>(sql).all().map(withNumbers)),
    execute: (...sql) =>
      look('state', false, (store) => {
        for (const statement of sql) store.exec(statement);
      }),
  };
}

function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]);
  return Object.fromEntries(values);
}
