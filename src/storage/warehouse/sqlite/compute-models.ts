import Database from 'better-sqlite3';
import { daysOf } from '../../../domain/civil-date.ts';
import { type CustomerId, customerId } from '../../../domain/ids.ts';
import type { Member, MemberDemand } from '../../../domain/member.ts';
import { withDatabase } from '../../records/sqlite/open-database.ts';
import { type failingStatements, type Model, type ModelColumn, modelTable } from '../models/model.ts';
import { refuseOtherDays } from '../models/model-rows.ts';
import type { Reader } from '../publish/lineage.ts';
import type { DeclaredType, PublishedTable } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import type { FailingRows } from '../store.ts';
import { aggregateMembers } from './members.ts';
import { describeTables } from './write-published.ts';

export type ModelOrder = TableOrder | MembersOrder | FailingRowsOrder;

/** Adds the table of a model to a file that is being published. */
interface TableOrder {
  readonly kind: 'table';
  readonly path: string;
  readonly model: Pick<Model, 'name' | 'description' | 'columns'>;
  readonly sql: string;
  readonly readers: readonly Reader[];
}

/** Computes the model for a rule. */
interface MembersOrder {
  readonly kind: 'members';
  readonly name: string;
  readonly sql: string;
  /** SQL of the rows {@link IN_ONE_DAY}. */
  readonly oneDaySql: string;
  readonly customer: CustomerId;
  readonly demand: MemberDemand;
}

/** Finds the rows that break a test. */
interface FailingRowsOrder {
  readonly kind: 'failing';
  readonly name: string;
  readonly statements: ReturnType<typeof failingStatements>;
}

export interface Computation {
  readonly statePath: string;
  readonly maxRows: number;
}

export type ModelAnswer =
  | { readonly kind: 'computed'; readonly value: PublishedTable | readonly Member[] | FailingRows }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'too many rows' };

class TooManyRows extends Error {}

/** Call the result only in a process of its own. */
export function modelComputer(): (order: ModelOrder & Computation) => ModelAnswer {
  const membersOf = memberComputer();
  const computed = (order: ModelOrder & Computation) => {
    if (order.kind === 'failing') return failingRows(order);
    return order.kind === 'table' ? writeModel(order) : membersOf(order);
  };
  return (order) => {
    try {
      return { kind: 'computed', value: computed(order) };
    } catch (error) {
      if (error instanceof TooManyRows) return { kind: 'too many rows' };
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** `sql` must be able to end with a LIMIT, so that rows beyond the limit never fill the disk. */
function createRows(file: Database.Database, table: string, sql: string, { maxRows }: Computation): void {
  file.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} AS ${sql} LIMIT ${maxRows + 1}`);
  const count = file.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number | bigint;
  if (count > maxRows) throw new TooManyRows();
}

const ROWS = 'temp."rows of a model"';

/** Writes all rows, because a changed day can change any row. */
function writeModel({ path, model, sql, readers, ...computation }: TableOrder & Computation): PublishedTable {
  return withDatabase(new Database(path), (file) => {
    // No journal is needed, because an incomplete file is never used.
    file.pragma('journal_mode = OFF');
    file.pragma('synchronous = OFF');
    file.pragma('foreign_keys = OFF');
    file.prepare('ATTACH ? AS state').run(computation.statePath);
    createRows(file, ROWS, sql, computation);
    const table = modelTable(model, (column) => declaredBy(file, column));
    const main = `main.${identifier(model.name)}`;
    const declarations = table.columns.map(({ name, declared }) => `${identifier(name)} ${declared}`);
    file.exec(`DROP TABLE IF EXISTS ${main}; CREATE TABLE ${main} (${declarations.join(', ')});
      INSERT INTO ${main} SELECT ${table.columns.map(({ expression }) => expression).join(', ')} FROM ${ROWS}`);
    describeTables(file, [table], readers);
    file.pragma('analysis_limit = 1000');
    file.exec(`ANALYZE ${main}`);
    return table;
  });
}

/** SQLite gives a computed column no type, but BI tools need a type. Undefined if all values are NULL. */
function declaredBy(file: Database.Database, { name }: ModelColumn): DeclaredType | undefined {
  const types = file
    .prepare(`SELECT DISTINCT typeof(${identifier(name)}) FROM ${ROWS}`)
    .pluck()
    .all() as string[];
  if (types.some((one) => one === 'text' || one === 'blob')) return 'TEXT';
  if (types.includes('real')) return 'DOUBLE';
  return types.includes('integer') ? 'INTEGER' : undefined;
}

/** Computes a model once for all accounts, in a temporary file. */
function memberComputer(): (order: MembersOrder & Computation) => readonly Member[] {
  const computed = new Set<string>();
  let opened: Database.Database | undefined;
  return (order) => {
    const { name, sql, customer, demand } = order;
    opened ??= openBeside(order.statePath);
    const connection = opened;
    if (!computed.has(name)) {
      createRows(connection, `main.${identifier(name)}`, sql, order);
      connection.exec(`CREATE INDEX main.${identifier(`${name} by day`)} ON ${identifier(name)} (${BY_DAY})`);
      computed.add(name);
    }
    computeDays(connection, order);
    const ofDays = [...aggregateMembers({ connection }, OF_DAYS, customer, demand)];
    refuseOtherDays(ofDays, aggregateMembers({ connection }, name, customer, demand));
    return ofDays;
  };
}

function openBeside(statePath: string): Database.Database {
  // With an empty name, SQLite uses a temporary file.
  const file = new Database('');
  file.defaultSafeIntegers(true);
  file.prepare('ATTACH ? AS state').run(statePath);
  file.exec(`CREATE TABLE ${ONE_DAY} (account INTEGER, day TEXT); INSERT INTO ${ONE_DAY} VALUES (NULL, NULL)`);
  return file;
}

function computeDays(
  file: Database.Database,
  { name, oneDaySql, customer, demand, maxRows }: MembersOrder & Computation,
): void {
  const table = `main.${identifier(OF_DAYS)}`;
  file.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} AS SELECT * FROM main.${identifier(name)} WHERE 0`);
  const set = file.prepare(`UPDATE ${ONE_DAY} SET account = ?, day = ?`);
  const add = file.prepare(`INSERT INTO ${table} ${oneDaySql} LIMIT ${maxRows + 1}`);
  let rows = 0;
  for (const day of [...new Set(demand.stretches.flatMap(daysOf))].sort()) {
    set.run(BigInt(customer), day);
    rows += add.run().changes;
    if (rows > maxRows) throw new TooManyRows();
  }
  file.exec(`CREATE INDEX main."of one day" ON ${identifier(OF_DAYS)} (${BY_DAY})`);
}

function failingRows({ statements, statePath }: FailingRowsOrder & Computation): FailingRows {
  return withDatabase(openBeside(statePath), (file) => {
    const found = file.prepare(statements.counts).all() as {
      readonly account: bigint | null;
      readonly failures: bigint;
    }[];
    const counts = found.map(({ account, failures }) => ({ customerId: accountIn(account), rows: failures }));
    if (counts.length === 0) return { counts, first: [] };
    const rows = file.prepare(statements.first).all() as Record<string, unknown>[];
    const first = rows.map((row) => ({ customerId: accountIn(row[CUSTOMER_COLUMN]), row: jsonOf(row) }));
    return { counts, first };
  });
}

function accountIn(value: unknown): CustomerId | undefined {
  return typeof value === 'bigint' ? customerId(String(value)) : undefined;
}

/** Integers keep their digits, and bytes are left out. */
function jsonOf(row: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(row).map(([name, value]) => {
    const shown =
      typeof value === 'bigint' ? String(value) : JSON.stringify(value instanceof Uint8Array ? null : value);
    return `${JSON.stringify(name)}:${shown}`;
  });
  return `{${members.join(',')}}`;
}

const BY_DAY = `${CUSTOMER_COLUMN}, ${DATE_COLUMN}`;
/** No model can have a name with spaces. */
const OF_DAYS = 'rows of days';
const ONE_DAY = 'temp."one day"';
export const IN_ONE_DAY = { account: `(SELECT account FROM ${ONE_DAY})`, day: `(SELECT day FROM ${ONE_DAY})` };
