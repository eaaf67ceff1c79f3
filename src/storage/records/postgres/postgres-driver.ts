import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import {
  type BinaryOperationNode,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryResult,
  type TransactionSettings,
  ValueListNode,
} from 'kysely';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { CA_FILE_PARAMETER } from '../../../domain/connection-settings.ts';
import { kindOf } from '../in-transaction.ts';
import { databaseAddress } from './address.ts';
import { ADMITS_LATER, databaseFailure, isLost } from './database-failure.ts';

/** Locks of the whole database, as two numbers each: one for pacekeeper, one for what is locked. */
export const LOCK_SPACE = 1_885_430_635;
export const WRITER_LOCK = 1;
export const INBOX_LOCK = 3;
export const MONTHS_LOCK = 4;
export const COPY_LOCK = 5;
/** One lock for each account. */
export const ACCOUNT_SPACE = LOCK_SPACE + 1;

/** Values as SQLite gives them: integers and truth values as bigint, days and times as text. */
const READ: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1n : 0n)],
  [20, BigInt],
  [21, BigInt],
  [23, BigInt],
  [1082, (text) => text],
  [1700, (text) => (text.includes('.') ? Number(text) : BigInt(text))],
]);

const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    READ.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

const CONNECT_MS = 10_000;

/** An address with `sslrootcert` trusts only that file. */
export function connectionOf(url: string): pg.ClientConfig {
  const { [CA_FILE_PARAMETER]: file, ssl, ...found } = parseIntoClientConfig(url) as Parsed;
  const given = ssl === true ? {} : ssl;
  if (file === undefined || !given || given.ca !== undefined) return { ...found, ...(ssl !== undefined && { ssl }) };
  return { ...found, ssl: { ...given, ca: [...rootCertificates, readFileSync(file, 'utf8')] } };
}

type Parsed = pg.ClientConfig & { readonly [CA_FILE_PARAMETER]?: string };

export function clientConfig(url: string, waitMs: number): pg.ClientConfig {
  return {
    ...connectionOf(url),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'pacekeeper',
    keepAlive: true,
    types: TYPES as pg.CustomTypesConfig,
    options: `-c search_path=pacekeeper,pg_catalog,warehouse -c timezone=UTC -c lock_timeout=${waitMs} -c synchronous_commit=on`,
  };
}

/** The caller ends the connection. */
export function connectTo(url: string, waitMs: number): Promise<pg.Client> {
  return admitted(databaseAddress(url), waitMs, async () => {
    const client = new pg.Client(clientConfig(url, waitMs));
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return client;
  });
}

const PAUSE_MS = 100;

/** Waits, but not longer than `waitMs`, for a server that admits no client now. */
async function admitted<Client>(where: string, waitMs: number, connect: () => Promise<Client>): Promise<Client> {
  const lastMs = performance.now() + waitMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (!ADMITS_LATER.includes(code) || performance.now() > lastMs) throw databaseFailure(where, error);
      await setTimeout(PAUSE_MS);
    }
  }
}

export interface DriverDeps {
  readonly url: string;
  /** The address without its password, for messages. */
  readonly where: string;
  /** The longest wait for another writer. */
  readonly waitMs: number;
  /** Transactions with the same lock wait for each other. */
  readonly lock?: number;
  /** The longest wait for an answer of the server. */
  readonly queryMs?: number;
  readonly fence?: Fence | undefined;
  /** The last step of the tables when they were opened. */
  readonly version: string;
}

/** Keeps a process that lost its run lock from writing. */
export interface Fence {
  /** Selects `token` at the start of each transaction that writes. */
  sql(): string;
  /** Throws if this process no longer holds its run lock. */
  check(token: bigint | undefined): void;
}

/** The results of the statements that begin a transaction. */
interface Begun {
  readonly version?: string | null;
  readonly token?: bigint;
}

function otherTables(where: string, version: string): Error {
  const words = `${where} no longer has the tables of version ${version} that this process opened. Nothing more was written.`;
  const nextStep = 'Install the same version of pacekeeper on each machine. Then run the command again.';
  return Object.assign(new Error(words), { code: 'OTHER_TABLES', nextStep });
}

export class PostgresConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  readonly #driver: PostgresStoreDriver;
  /** Names of statements that the server need not plan again. */
  readonly #names = new Map<string, string>();
  inTransaction = false;
  isLost = false;

  constructor(client: pg.PoolClient, driver: PostgresStoreDriver) {
    this.client = client;
    this.#driver = driver;
    client.on('error', () => {
      this.isLost = true;
    });
  }

  get where(): string {
    return this.#driver.deps.where;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.inTransaction || query.query.kind === 'SelectQueryNode' || query.query.kind === 'RawNode') {
      return this.#run(query);
    }
    // A statement of its own that writes must wait for other writers too.
    await this.#driver.beginTransaction(this, {});
    try {
      const result = await this.#run<Row>(query);
      await this.#driver.commitTransaction(this);
      return result;
    } catch (error) {
      await this.#driver.rollbackTransaction(this);
      throw error;
    }
  }

  async #run<Row>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Raw statements read tables with parts. A plan for all accounts would visit every part.
    const name = query.kind === 'RawNode' ? undefined : this.#nameOf(sql, parameters);
    const { command, rowCount, rows } = await this.ask(sql, parameters, name);
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return { ...(isWrite ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}), rows: (rows ?? []) as Row[] };
  }

  #nameOf(sql: string, parameters: readonly unknown[]): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= NAMES_MAX || parameters.length > NAMED_PARAMETERS_MAX) return known;
    const name = `pacekeeper ${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  async ask(sql: string, parameters: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    try {
      return await this.client.query({ text: sql, values: parameters.map(storable), ...(name && { name }) });
    } catch (error) {
      const failure = databaseFailure(this.#driver.deps.where, error);
      this.isLost ||= isLost(failure);
      throw failure;
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows of PostgreSQL are read by a cursor.');
  }
}

/** The server keeps named statements in memory. A month of an account's days fits. */
const NAMES_MAX = 100;
const NAMED_PARAMETERS_MAX = 300;

/** PostgreSQL stores no NUL. Rows of queries have none on either engine. */
const storable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value);

/** A transaction that writes waits until it is alone, like SQLite's BEGIN IMMEDIATE. */
export class PostgresStoreDriver implements Driver {
  readonly deps: DriverDeps;
  /** One connection, as with SQLite. Work of this process waits in {@link #queue}, where no time limit applies. */
  readonly #pool: pg.Pool;
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  #queue: Promise<void> = Promise.resolve();
  #leaveQueue = () => {};

  constructor(deps: DriverDeps) {
    this.deps = deps;
    const timeout = deps.queryMs === undefined ? {} : { query_timeout: deps.queryMs };
    this.#pool = new pg.Pool({ ...clientConfig(deps.url, deps.waitMs), ...timeout, max: 1 });
    // Without a listener, an idle connection that breaks would end the process.
    this.#pool.on('error', () => undefined);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const earlier = this.#queue;
    const own = Promise.withResolvers<void>();
    this.#queue = own.promise;
    await earlier;
    this.#leaveQueue = own.resolve;
    try {
      const client = await admitted(this.deps.where, this.deps.waitMs, () => this.#pool.connect());
      const connection = this.#connections.get(client) ?? new PostgresConnection(client, this);
      this.#connections.set(client, connection);
      return connection;
    } catch (error) {
      own.resolve();
      throw error;
    }
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    connection.inTransaction = true;
    const kind = kindOf(settings);
    try {
      if (kind === 'reading') {
        await connection.ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return;
      }
      const { lock = WRITER_LOCK, fence, where, version } = this.deps;
      const isBeside = kind === 'beside';
      const statements = [
        'BEGIN',
        ...(isBeside ? ['SET LOCAL synchronous_commit = off'] : []),
        `SELECT pg_catalog.pg_advisory_xact_lock${isBeside ? '_shared' : ''}(${LOCK_SPACE}, ${lock})`,
        // After the lock, because a newer program may have upgraded the tables meanwhile.
        'SELECT max(name) AS version FROM pacekeeper.schema_version',
        ...(fence ? [fence.sql()] : []),
      ];
      // Several statements have several results.
      const results = (await connection.ask(statements.join('; '))) as unknown as pg.QueryResult<Begun>[];
      const found = Object.assign({}, ...results.map(({ rows: [row] }) => row)) as Begun;
      fence?.check(found.token);
      if (found.version !== version) throw otherTables(where, version);
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    connection.inTransaction = false;
    const { command } = await connection.ask('COMMIT');
    // After a failed statement, PostgreSQL answers COMMIT with ROLLBACK.
    if (command === 'ROLLBACK') throw new Error(`${this.deps.where}: a failed transaction was committed.`);
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    connection.inTransaction = false;
    try {
      await connection.ask('ROLLBACK');
    } catch {
      // The server rolls back by itself when the connection ends.
      connection.isLost = true;
    }
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    if (connection.isLost) this.#connections.delete(connection.client);
    connection.client.release(connection.isLost);
    this.#leaveQueue();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

/** SQLite allows an empty list, PostgreSQL does not. */
class StoreQueryCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node;
    const isEmpty =
      (PrimitiveValueListNode.is(list) || ValueListNode.is(list)) &&
      list.values.length === 0 &&
      OperatorNode.is(operator);
    if (!isEmpty) super.visitBinaryOperation(node);
    else this.append(operator.operator === 'not in' ? 'true' : 'false');
  }
}

export function postgresDialect(deps: DriverDeps): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresStoreDriver(deps),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new StoreQueryCompiler(),
  };
}
