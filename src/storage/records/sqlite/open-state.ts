import Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { InputError } from '../../../domain/errors.ts';
import { alteredRecord } from '../altered-record.ts';
import { kindOf } from '../in-transaction.ts';
import { MIGRATION_NAMES, MIGRATIONS } from '../migrations.ts';
import type { RecordStore, SchemaFault } from '../record-store.ts';
import { StatePlugin } from '../state-plugin.ts';
import type { StateSchema } from '../state-schema.ts';
import { stateFileBehind } from './file-behind.ts';
import { openForOwner, openUsable } from './open-database.ts';
import { openCopy, openToLook } from './open-to-look.ts';
import { type Connected, type OpenFile, prepared } from './prepared.ts';
import { schemaFault } from './schema-fault.ts';
import { codeOf, damagedDatabase, newerDatabase } from './unusable-database.ts';

/** `state.sqlite`. Only this folder and `warehouse/sqlite` use its connection. */
export interface StateFile extends RecordStore, Connected {}

/** Without this class, kysely would not roll back a failed migration. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class StateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    // Caches statements, because kysely would prepare every statement again.
    super({ database: { close: () => database.close(), prepare: (sql) => prepared(database, sql) } });
    this.#database = database;
  }

  /** Takes the write lock at once. Otherwise a write could fail because another process wrote after our first read. */
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings = {}): Promise<void> {
    const begin = kindOf(settings) === 'reading' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** If the disk is full, SQLite rolls back by itself. A second rollback would fail. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

export function kyselyOn<Schema>(connection: Database.Database): Kysely<Schema> {
  const dialect: Dialect = {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new StateDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Schema>({ dialect, plugins: [new StatePlugin()] });
}

const WAIT_MS = 5000;

/**
 * Creates or migrates the file. Throws `InputError` for an unusable or newer file. Errors name the path `shown`. Unlike
 * here, processes of several machines share the tables of the other engine. So these are upgraded only under the run lock.
 */
export async function openState(path: string, waitMs = WAIT_MS, shown = path): Promise<StateFile> {
  const connection = openConnection(path, waitMs, shown);
  const db = kyselyOn<StateSchema>(connection);
  try {
    if (!isUpToDate(connection)) await migrate({ db, connection, path: shown });
    refuseFault(connection, shown);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return stateFile(shown, db, connection);
}

/** Does not migrate. Throws `InputError` if the file is missing, unusable or of another version. */
export function openStateToLook(path: string, waitMs = WAIT_MS): Promise<StateFile> {
  return asItIs(path, () => openToLook(path, waitMs));
}

/** Does not migrate. Until the file is closed, no other process can open it. Throws if one has it open now. */
export function openStateAlone(path: string): Promise<StateFile> {
  return asItIs(path, () => {
    const connection = new Database(path, { fileMustExist: true, timeout: 1000 });
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN IMMEDIATE; COMMIT');
    return connection;
  });
}

/** Opens a copy in memory. All writes are lost on closing. */
export function openStateCopy(path: string): Promise<StateFile> {
  return asItIs(path, () => openCopy(path, false));
}

async function asItIs(path: string, open: () => Database.Database): Promise<StateFile> {
  const connection = openUsable(
    path,
    () => {
      stateFileBehind(path);
      return open();
    },
    (file) => {
      file.defaultSafeIntegers(true);
      if (!isUpToDate(file)) throw otherVersion(path);
      refuseFault(file, path);
    },
  );
  const db = kyselyOn<StateSchema>(connection);
  return stateFile(path, db, connection);
}

function otherVersion(path: string): InputError {
  return new InputError(`${path} was written by another version of pacekeeper.`, {
    nextStep: 'Run pacekeeper report to bring it up to date, or update pacekeeper.',
  });
}

function stateFile(path: string, db: Kysely<StateSchema>, connection: Database.Database): StateFile {
  const state: OpenFile = { path, db, connection };
  return {
    ...state,
    isReadOnly: connection.readonly,
    server: undefined,
    async eachRow({ sql, parameters }, take) {
      for (const row of connection
        .prepare(sql)
        .raw()
        .iterate(...parameters)) {
        const taking = take(row as unknown[]);
        if (taking !== undefined) await taking;
      }
    },
    guardFault: async () => schemaFault(state, 'guards'),
    async withoutFlushing(work) {
      connection.pragma('synchronous = NORMAL');
      try {
        return await work();
      } finally {
        connection.pragma('synchronous = FULL');
      }
    },
    releaseMemory: () => void connection.pragma('shrink_memory'),
    // Without checks of foreign keys, deleting is much faster.
    deleting: (work) =>
      db.connection().execute(async (own) => {
        connection.pragma('foreign_keys = OFF');
        try {
          await own.transaction().execute(work);
        } finally {
          connection.pragma('foreign_keys = ON');
        }
      }),
    async close() {
      await db.destroy();
      // kysely closes only a connection that it has used.
      connection.close();
    },
  };
}

export function holdMoment({ connection }: Connected): void {
  connection.exec('BEGIN');
}

/** Temporary tables of the moment are gone, too. */
export function endMoment({ connection }: Connected): void {
  if (connection.inTransaction) connection.exec('ROLLBACK');
}

function openConnection(path: string, waitMs: number, shown: string): Database.Database {
  const open = () => {
    stateFileBehind(path);
    return openForOwner(path, waitMs);
  };
  return openUsable(shown, open, (connection) => {
    connection.defaultSafeIntegers(true);
    // SQLite applies the page size only to a new file. Twice the default size makes loading faster.
    connection.pragma('page_size = 8192');
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
  });
}

/** Avoids kysely's migrator, because the migrator would wait for all writers. */
function isUpToDate(connection: Database.Database): boolean {
  return migrationsIn(connection)?.join() === MIGRATION_NAMES.join();
}

/** Names in ascending order. Undefined if the file was never migrated. */
export function migrationsIn(connection: Database.Database): readonly string[] | undefined {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'";
  if (connection.prepare(table).get() === undefined) return undefined;
  return connection.prepare<[], string>('SELECT name FROM kysely_migration ORDER BY name').pluck().all();
}

/** Throws for a damaged schema, except triggers, because an error after a budget change would be too late. */
function refuseFault(connection: Database.Database, path: string): void {
  const fault = schemaFault({ connection }, 'all but guards');
  if (fault !== undefined) throw faultyDatabase(path, fault);
}

export function faultyDatabase(path: string, { words, ofRecord }: SchemaFault): Error {
  return ofRecord ? alteredRecord(path, words) : damagedDatabase(path, words);
}

function lostReferences(connection: Database.Database): ReadonlyMap<string, bigint> {
  const sql = `SELECT 'a row of table ' || "table" || ' refers to a row of table ' || parent || ' that is missing', count(*)
    FROM temp.pragma_foreign_key_check GROUP BY 1`;
  return new Map(prepared(connection, sql, 'columns').all() as [string, bigint][]);
}

/** The last migration throws if the migrations broke a reference. The file then stays unchanged. */
function migrationsFor({ connection, path }: OpenFile): Record<string, Migration> {
  const before = lostReferences(connection);
  const last = MIGRATION_NAMES.at(-1) ?? '';
  const up: Migration['up'] = async (db) => {
    await MIGRATIONS[last]?.up(db);
    for (const [sentence, count] of lostReferences(connection)) {
      if (count > (before.get(sentence) ?? 0n)) throw damagedDatabase(path, sentence);
    }
  };
  return { ...MIGRATIONS, [last]: { up } };
}

async function migrate(file: OpenFile): Promise<void> {
  const { db, connection, path } = file;
  // Migrations rebuild tables, so foreign key checks are off. SQLite ignores this setting inside a transaction.
  connection.pragma('foreign_keys = OFF');
  const migrations = migrationsFor(file);
  const migrator = new Migrator({ db: db.withoutPlugins(), provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  connection.pragma('foreign_keys = ON');
  if (error === undefined) return;
  // biome-ignore lint/plugin: kysely names missing migrations only in its message.
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw newerDatabase(path, error);
  }
  // A table or index is missing or unexpected, so somebody else has changed the schema.
  if (codeOf(error) === 'SQLITE_ERROR') throw damagedDatabase(path, (error as Error).message, error);
  throw error;
}
