import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { INBOX_TABLES } from '../src/storage/inbox/inbox-schema.ts';
import { brandOf } from '../src/storage/records/column-brands.ts';
import { MIGRATIONS } from '../src/storage/records/migrations.ts';
import { onOneLine } from '../src/storage/records/sqlite/schema-fault.ts';
import { type MadeObject, postgresStatements } from './postgres-statements.ts';

/** Files generated from the migrated tables: path and text. */
export async function generatedFiles(): Promise<[path: string, text: string][]> {
  const database = new Database(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    const objects = objectsIn(database);
    return [
      ['src/storage/records/state-schema.ts', schemaText(database, objects)],
      ['src/storage/records/made-by-migrations.ts', madeText(database, objects)],
      ['src/storage/records/postgres/made-tables.ts', postgresText([...objects, ...objectsOf(INBOX_TABLES)])],
    ];
  } finally {
    await db.destroy();
  }
}

/** Of a file beside `state.sqlite`. */
function objectsOf(statements: string): MadeObject[] {
  const database = new Database(':memory:');
  database.exec(statements);
  return objectsIn(database);
}

function objectsIn(database: Database.Database): MadeObject[] {
  return database.prepare<[], MadeObject>(OBJECTS).all();
}

const OBJECTS = `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE '%kysely%' AND name <> 'sqlite_sequence'
  ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name`;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** Position in the primary key, from 1. 0 if the column is not in the key. */
  readonly pk: number;
}

function columnsOf(database: Database.Database, table: string): Column[] {
  return database.pragma(`table_info("${table}")`) as Column[];
}

const LINE_LENGTH_MAX = 120;

const SCHEMA_HEAD = `// Written by \`npm run schema\` from the migrated tables. Change a migration or \`column-brands.ts\` instead.
import type { ColumnType, Generated } from 'kysely';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';

/** NULL is read as undefined. In an update, null empties the column, and undefined leaves it unchanged. */
type Optional<Value> = ColumnType<Value | undefined, Value | null | undefined, Value | null>;

/** The tables of \`state.sqlite\` for kysely. Integers are bigints, except ids of accounts, budgets and campaigns. */
export interface StateSchema {
`;

function schemaText(database: Database.Database, objects: readonly MadeObject[]): string {
  const tables = objects.flatMap(({ type, name, sql }) => {
    if (type !== 'table') return [];
    const lines = columnsOf(database, name).map((column) => columnLine(name, column, onOneLine(sql ?? '')));
    return [`  ${camelCase(name)}: {\n${lines.join('')}  };\n`];
  });
  return `${SCHEMA_HEAD}${tables.join('')}}\n`;
}

function columnLine(table: string, column: Column, sql: string): string {
  const name = camelCase(column.name);
  const closed = new RegExp(`CHECK \\(${column.name} IN \\(([^)]*)\\)`).exec(sql)?.[1]?.split(', ');
  const isNumbers = column.type === 'INTEGER';
  const values = closed?.map((value) => (isNumbers ? `${value}n` : value));
  const brand = brandOf(`${camelCase(table)}.${name}`) ?? brandOf(name);
  const type = values?.join(' | ') ?? brand ?? TYPES[column.type as keyof typeof TYPES];
  const isNumbered = column.pk === 1 && sql.includes(`${column.name} INTEGER PRIMARY KEY AUTOINCREMENT`);
  const isGiven = !isNumbered && column.dflt_value === null;
  const wrapper = isOptional(column) ? 'Optional' : isGiven ? undefined : 'Generated';
  const line = `    ${name}: ${wrapper === undefined ? type : `${wrapper}<${type}>`};\n`;
  if (line.length <= LINE_LENGTH_MAX + 1 || values === undefined) return line;
  if (wrapper !== undefined) return `    ${name}: ${wrapper}<\n      ${type}\n    >;\n`;
  return `    ${name}:\n${values.map((value) => `      | ${value}`).join('\n')};\n`;
}

const TYPES = { INTEGER: 'bigint', TEXT: 'string', BLOB: 'Uint8Array' };

/** Columns of the primary key are never NULL, even if they are not declared NOT NULL. */
function isOptional({ notnull, pk }: Column): boolean {
  return notnull === 0 && pk === 0;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const MADE_HEAD = `// Written by \`npm run schema\`.

/**
 * Each table with its columns, each index and trigger with its SQL. SQLite's own indexes have no SQL.
 * Tables are first, because a missing table lacks its indexes too.
 */
export const MADE_BY_MIGRATIONS: readonly string[] = [
`;

function madeText(database: Database.Database, objects: readonly MadeObject[]): string {
  const entries = objects.map(({ type, name, sql }) => {
    const columns = columnsOf(database, name).map((column) => `${column.name} ${column.type}`);
    return `  ${quoted(`${type} ${name}: ${type === 'table' ? columns.join(', ') : onOneLine(sql ?? '')}`)},\n`;
  });
  return `${MADE_HEAD}${entries.join('')}];\n`;
}

const POSTGRES_HEAD = `// Written by \`npm run schema\`.

/** Tables and indexes of records and inbox as PostgreSQL makes them, in the schema of the search path. */
export const MADE_TABLES: readonly string[] = [
`;

function postgresText(objects: readonly MadeObject[]): string {
  const lines = postgresStatements(objects).map((statement) => {
    const text = statement.includes("'") ? `\`${statement}\`` : quoted(statement);
    const line = `  ${text},\n`;
    return line;
  });
  return `${POSTGRES_HEAD}${lines.join('')}];\n`;
}

function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
