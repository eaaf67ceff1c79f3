import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, inject, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/storage/records/postgres/open-records.ts';
import { tempDir } from './temp-dir.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a database with empty tables, in the project `postgres` only. */
    readonly postgres: string | undefined;
  }
}

export const POSTGRES_BIN = process.env.PACEKEEPER_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';

/** False where no server is installed: the tests of PostgreSQL are then skipped. */
export const HAS_POSTGRES = existsSync(join(POSTGRES_BIN, 'postgres'));

if (!HAS_POSTGRES) {
  process.stderr.write(`No PostgreSQL in ${POSTGRES_BIN}: its tests are skipped. Install postgresql-15 to run them.\n`);
}

/** Tests that share a server, which ends with them. */
export function describePostgres(name: string, tests: () => void): void {
  describe.runIf(HAS_POSTGRES)(name, () => {
    afterAll(async () => {
      (await shared)?.end();
      shared = undefined;
    });
    tests();
  });
}

const PASSWORD = 'correct-horse%2Fbattery';

interface Server {
  readonly port: number;
  readonly data: string;
  stop(): void;
  start(): void;
  /** Stops it if it runs, and removes its folder. */
  end(): void;
}

let shared: Promise<Server> | undefined;

/** The server refuses to run as root, so root starts it as nobody. */
function asOwner(command: string, args: readonly string[]): void {
  const isRoot = process.getuid?.() === 0;
  const [program = '', ...rest] = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', join(POSTGRES_BIN, command), ...args]
    : [join(POSTGRES_BIN, command), ...args];
  execFileSync(program, rest, { stdio: 'ignore', cwd: '/' });
}

export const NOBODY = 65534;

/** A server of the test's own, which ends with it: a new one, or a standby of another one. */
export async function ownPostgres(copied?: Server): Promise<Server> {
  const server = await startPostgres(undefined, copied);
  onTestFinished(() => server.end());
  return server;
}

/** In a temporary folder: a new one, or a standby. The caller ends it. `settings` are options of the server. */
export async function startPostgres(settings = '-c fsync=off', primary?: Server): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-postgres-'));
  chmodSync(folder, 0o755);
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, 'data');
  if (primary)
    asOwner('pg_basebackup', ['-D', data, '-d', urlOf(primary, 'postgres'), '-R', '-c', 'fast', '--no-sync']);
  else asOwner('initdb', ['-D', data, '-U', 'keeper', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200 ${settings}`;
  const start = () =>
    asOwner('pg_ctl', ['-D', data, '-o', options, '-l', join(folder, 'log'), '-w', '-t', '60', 'start']);
  const stop = () => {
    asOwner('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
  };
  start();
  endAfterDeath(folder);
  const end = () => {
    try {
      stop();
    } catch {
      // It was stopped by its test.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, data, stop, start, end };
}

/** A killed process ends nothing by itself: a run of mutants left sixty servers. */
function endAfterDeath(folder: string): void {
  const untilDeath = (pid: string) => `while kill -0 ${pid}; do sleep 1; done`;
  const server = 'pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT $pid';
  const script = `(${untilDeath('$0')}; ${server} && ${untilDeath('$pid')}; rm -rf "$1") &`;
  execFileSync('sh', ['-c', script, String(process.pid), folder], { stdio: 'ignore', cwd: '/' });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export const urlOf = ({ port }: Server, database: string): string =>
  `postgres://keeper:${PASSWORD}@127.0.0.1:${port}/${database}`;

function sharedServer(): Promise<Server> {
  shared ??= startPostgres();
  return shared;
}

/** The address of a new database on the server that tests share: empty, or a copy of the one at this address. */
export async function freshDatabase(copied?: string): Promise<string> {
  return makeDatabase(inject('postgres') ?? urlOf(await sharedServer(), 'postgres'), copied);
}

/** The same, on the server of any address. */
export async function makeDatabase(server: string, copied?: string, at?: string): Promise<string> {
  const url = at ?? databaseBeside(server, `db_${randomInt(2 ** 47)}`);
  const template = copied === undefined ? '' : ` TEMPLATE ${nameIn(copied)}`;
  await onDatabase(databaseBeside(server, 'postgres'), `CREATE DATABASE ${nameIn(url)}${template}`);
  // For the product it is the same database, not a copy that it would freeze.
  if (copied !== undefined) {
    await onDatabase(
      url,
      `DO $$ BEGIN IF to_regclass('pacekeeper.run_lock') IS NOT NULL THEN UPDATE pacekeeper.run_lock
        SET database_oid = (SELECT oid FROM pg_database WHERE datname = current_database()); END IF; END $$`,
    );
  }
  return url;
}

/** A database with empty tables, to be copied. */
export async function makeTemplate(server: Server): Promise<string> {
  const url = await makeDatabase(urlOf(server, 'postgres'));
  await (await openPostgres({ url, waitMs: 1000 })).close();
  return url;
}

const nameIn = (url: string) => url.split('/').at(-1);

/** On the same server. */
export const databaseBeside = (url: string, name: string) => url.replace(/[^/]+$/, name);

export async function dropDatabase(url: string): Promise<void> {
  await onDatabase(databaseBeside(url, 'postgres'), `DROP DATABASE IF EXISTS ${nameIn(url)} WITH (FORCE)`);
}

export type DumpFormat = 'custom' | 'plain';

/** As docs/scale-out.md writes it, into a folder of the test's own. Returns the path. */
export function dumpOf(url: string, format: DumpFormat = 'custom'): string {
  const path = join(tempDir(), 'dump');
  execFileSync(join(POSTGRES_BIN, 'pg_dump'), [`--format=${format}`, `--file=${path}`, `--dbname=${url}`]);
  return path;
}

/** Into an empty database. */
export function restoreDump(url: string, path: string, format: DumpFormat = 'custom', ...more: string[]): void {
  if (format === 'custom') {
    execFileSync(join(POSTGRES_BIN, 'pg_restore'), ['--exit-on-error', ...more, `--dbname=${url}`, path], {
      stdio: 'pipe',
    });
  } else {
    const args = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', ...more, `--dbname=${url}`, `--file=${path}`];
    execFileSync(join(POSTGRES_BIN, 'psql'), args, { stdio: 'pipe' });
  }
}

/** Rows of statements that no command runs, as arrays. */
export async function onDatabase(url: string, ...statements: readonly string[]): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[][] = [];
    for (const text of statements) rows = (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** A role that may only read `warehouse`, as docs/scale-out.md makes it. */
export async function readerOf(url: string): Promise<string> {
  await onDatabase(
    url,
    "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reader'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    'GRANT USAGE ON SCHEMA warehouse TO reader',
    'GRANT SELECT ON ALL TABLES IN SCHEMA warehouse TO reader',
    // As documented: a publication makes some tables anew.
    'ALTER DEFAULT PRIVILEGES IN SCHEMA warehouse GRANT SELECT ON TABLES TO reader',
  );
  return url.replace(/keeper:[^@]+/, 'reader:reader');
}
