import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
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
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { up as createFirstTables } from '../../../migrations/0001-first-tables.ts';
import { up as createSlicesAndDays } from '../../../migrations/0002-slices-and-days.ts';
import { up as createIntentsAndEvents } from '../../../migrations/0003-intents-and-events.ts';
import { up as createAlertsAndMessages } from '../../../migrations/0004-alerts-and-messages.ts';
import { up as addRecordAndReadings } from '../../../migrations/0005-record-and-readings.ts';
import { up as addFacts } from '../../../migrations/0006-facts.ts';
import { up as addDecisions } from '../../../migrations/0007-decisions.ts';
import { up as plainNotes } from '../../../migrations/0008-plain-notes.ts';
import { InputError } from '../../domain/errors.ts';
import type { StateSchema } from '../state-schema.ts';
import { stateFileBehind } from './file-behind.ts';
import { openCopy, openToLook } from './open-to-look.ts';
import { type Connected, prepared } from './prepared.ts';
import { type SchemaFault, schemaFault } from './schema-fault.ts';
import { StatePlugin } from './state-plugin.ts';
import { alteredRecord, damagedDatabase, newerDatabase, unusableDatabase } from './unusable-database.ts';

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-first-tables': { up: createFirstTables },
  '0002-slices-and-days': { up: createSlicesAndDays },
  '0003-intents-and-events': { up: createIntentsAndEvents },
  '0004-alerts-and-messages': { up: createAlertsAndMessages },
  '0005-record-and-readings': { up: addRecordAndReadings },
  '0006-facts': { up: addFacts },
  '0007-decisions': { up: addDecisions },
  '0008-plain-notes': { up: plainNotes },
};

/** In order; the newest names the version of a file. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/** The open `state.sqlite`. */
export interface StateFile extends Connected {
  readonly path: string;
  readonly db: Kysely<StateSchema>;
  close(): Promise<void>;
}

/** A `Kysely` or a transaction of it. */
export type StateDb = Kysely<StateSchema> | Transaction<StateSchema>;

/** kysely leaves SQLite migrations outside a transaction, so a failing one would leave half of itself behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class StateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    // kysely itself would prepare every statement anew.
    super({ database: { close: () => database.close(), prepare: (sql) => prepared(database, sql) } });
    this.#database = database;
  }

  /**
   * A transaction waits for the right to write before it reads: a person may freeze the budgets while a run works, and a
   * transaction that read before the other one wrote could not write any more. One that only reads waits for nobody.
   */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /**
   * SQLite rolls a transaction back by itself when the disk is full; kysely's own attempt would then fail, and its
   * complaint would hide the reason.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

function stateDb(connection: Database.Database): Kysely<StateSchema> {
  const dialect: Dialect = {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new StateDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<StateSchema>({ dialect, plugins: [new StatePlugin()] });
}

/** How long a statement waits for another process that writes. */
const WAIT_MS = 5000;

/**
 * Opens or creates the file, readable by its owner only, and brings its tables up to date. Throws `InputError` when it
 * is not a database, lacks what the migrations make, or comes from a newer version.
 *
 * @param shown The path that errors name: of a copy in the making, the file that it is of.
 */
export async function openState(path: string, waitMs = WAIT_MS, shown = path): Promise<StateFile> {
  const connection = openConnection(path, waitMs, shown);
  const db = stateDb(connection);
  try {
    if (!isUpToDate(connection)) await migrate({ db, connection, path: shown });
    refuseFault(connection, shown);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { path: shown, db, connection, close: () => db.destroy() };
}

/**
 * Opens the file to look at it alone, beside whoever writes: nothing is made, nothing is brought up to date, nobody is kept
 * waiting. Throws `InputError` when it is not there, is no database, or is of another version.
 */
export function openStateToLook(path: string, waitMs = WAIT_MS): Promise<StateFile> {
  return asItIs(path, () => openToLook(path, waitMs));
}

/** As {@link openStateToLook}, in the memory of this process: what is written is gone with it. */
export function openStateCopy(path: string): Promise<StateFile> {
  return asItIs(path, () => openCopy(path, false));
}

async function asItIs(path: string, open: () => Database.Database): Promise<StateFile> {
  let connection: Database.Database;
  try {
    stateFileBehind(path);
    connection = open();
    connection.defaultSafeIntegers(true);
  } catch (cause) {
    throw cause instanceof InputError ? cause : unusableDatabase(path, cause);
  }
  const db = stateDb(connection);
  const close = () => db.destroy();
  try {
    if (!isUpToDate(connection)) throw otherVersion(path);
    refuseFault(connection, path);
    return { path, db, connection, close };
  } catch (cause) {
    await close();
    throw cause instanceof InputError ? cause : unusableDatabase(path, cause);
  }
}

function otherVersion(path: string): InputError {
  return new InputError(`${path} was written by another version of pacekeeper.`, {
    nextStep: 'Run pacekeeper report, which brings it up to date, or update pacekeeper.',
  });
}

/**
 * Runs `work` without waiting for the disk at each of its commits: for what can be read again. A power failure may take
 * the last of them back, each as a whole; a process that is killed loses nothing, and the next commit outside waits for all.
 */
export async function withoutFlushing<Result>({ connection }: StateFile, work: () => Promise<Result>): Promise<Result> {
  connection.pragma('synchronous = NORMAL');
  try {
    return await work();
  } finally {
    connection.pragma('synchronous = FULL');
  }
}

/** All that is asked from now on is answered by the file as it is at this moment, until it is closed. */
export function holdMoment({ connection }: Connected): void {
  connection.exec('BEGIN');
}

/** Frees what was kept in memory of the file's pages. */
export function releaseMemory({ connection }: Connected): void {
  connection.pragma('shrink_memory');
}

export function isReadOnly({ connection }: Connected): boolean {
  return connection.readonly;
}

function openConnection(path: string, waitMs: number, shown: string): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    stateFileBehind(path);
    // Made before SQLite makes it, for its owner only: it holds recipients, and its journal takes over its mode.
    closeSync(openSync(path, 'a', 0o600));
    const connection = new Database(path, { timeout: waitMs });
    connection.defaultSafeIntegers(true);
    // Of a new file only: twice SQLite's usual page loads rows measurably faster.
    connection.pragma('page_size = 8192');
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    return connection;
  } catch (cause) {
    throw cause instanceof InputError ? cause : unusableDatabase(shown, cause);
  }
}

/** Asked before the migrator is, which would wait until nobody else writes. */
function isUpToDate(connection: Database.Database): boolean {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'kysely_migration'";
  if (prepared(connection, table).get() === undefined) return false;
  const done = prepared(connection, 'SELECT name FROM kysely_migration ORDER BY name', 'values').all();
  return done.join() === Object.keys(MIGRATIONS).join();
}

/** Asked before anything is sent: what a run finds missing when it has changed a budget, it finds too late. */
function refuseFault(connection: Database.Database, path: string): void {
  const fault = schemaFault({ connection }, 'all but guards');
  if (fault !== undefined) throw faultyDatabase(path, fault);
}

/** Nothing may be sent on a record that anybody could alter unseen; who only looks at it is let in, to see what was. */
export function refuseUnguarded(state: StateFile): void {
  const fault = schemaFault(state, 'guards');
  if (fault !== undefined) throw faultyDatabase(state.path, fault);
}

function faultyDatabase(path: string, { words, ofRecord }: SchemaFault): Error {
  return ofRecord ? alteredRecord(path, words) : damagedDatabase(path, words);
}

/**
 * Foreign keys are off meanwhile, because tables that others refer to are made anew; SQLite turns them on and off outside of a
 * transaction only.
 */
async function migrate(file: Omit<StateFile, 'close'>): Promise<void> {
  file.connection.pragma('foreign_keys = OFF');
  try {
    await migrateToLatest(file);
  } finally {
    file.connection.pragma('foreign_keys = ON');
  }
}

/** How many rows lack what they refer to, by the sentence that tells it. */
function lostReferences(connection: Database.Database): ReadonlyMap<string, bigint> {
  const sql = `SELECT 'a row of table ' || "table" || ' refers to a row of table ' || parent || ' that is missing', count(*)
    FROM temp.pragma_foreign_key_check GROUP BY 1`;
  return new Map(prepared(connection, sql, 'columns').all() as [string, bigint][]);
}

/** Before the last one ends all references are looked at, so that a file stays as it was rather than lose any that it had. */
function migrationsFor({ connection, path }: Omit<StateFile, 'close'>): Record<string, Migration> {
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

async function migrateToLatest(file: Omit<StateFile, 'close'>): Promise<void> {
  const { db, path } = file;
  const migrations = migrationsFor(file);
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db: db.withoutPlugins(), provider });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw newerDatabase(path, error);
  }
  // What a statement of ours does not find, or finds there already, somebody else took or made.
  if ((error as { code?: unknown }).code === 'SQLITE_ERROR')
    throw damagedDatabase(path, (error as Error).message, error);
  throw error;
}
