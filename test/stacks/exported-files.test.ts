import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportParquet } from '../../src/storage/warehouse/publish/export-parquet.ts';
import { exportWorkbook } from '../../src/storage/warehouse/publish/export-workbook.ts';
import type {
  DeclaredType,
  PublishedColumn,
  PublishedTable,
} from '../../src/storage/warehouse/publish/published-table.ts';
import { openTables } from '../../src/storage/warehouse/sqlite/published-file.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { createWorld } from '../support/world.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What the tests use of DuckDB. Its types are not here when the project is checked. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjects(): Rows }>; closeSync(): void }>;
    }>;
  };
}

const loadInstalled = createRequire(join(import.meta.dirname, 'package.json'));

async function duckDb() {
  const { DuckDBInstance }: DuckDb = loadInstalled('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  onTestFinished(() => connection.closeSync());
  return async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects();
}

const free = async () => undefined;
const LARGEST = 2n ** 63n - 1n;

/** Values of each type, as SQLite keeps them. */
const VALUES: Readonly<Record<DeclaredType, readonly (bigint | number | string | null)[]>> = {
  INTEGER: [9_007_199_254_740_993n, LARGEST, -LARGEST - 1n, 0n, null],
  TEXT: ['wander "schuhe"\nü 👟, ;', '', '=1+1', '\u202e constructor', null],
  DATE: ['2026-11-20', '1969-12-31', '1900-03-01', '2400-02-29', null],
  DATETIME: [
    '2026-11-20 08:15:00.000',
    '1969-12-31 23:59:59.000',
    '2026-11-20 00:00:00.000',
    '1970-01-01 00:00:00.000',
    null,
  ],
  BOOLEAN: [1n, 0n, 1n, 0n, null],
  DOUBLE: [0.1, 1e300, Number.NEGATIVE_INFINITY, -0.5, null],
  'DECIMAL(18,6)': [9_007_199_254_740_993n, 999_999_999_999_999_999n, -1n, 1_500_000n, null],
};
const TYPES = Object.keys(VALUES) as DeclaredType[];

/** A published file with one table of 100 columns, of all types in turn. An amount is beside its micros. */
function wideFile() {
  const path = join(tempDir(), 'warehouse.sqlite');
  const columns = Array.from({ length: 100 }, (_, index): PublishedColumn => {
    const declared = TYPES[index % TYPES.length] ?? 'TEXT';
    const micros = declared === 'DECIMAL(18,6)' ? { micros: `c${index}_micros` } : {};
    return { name: `c${index}`, declared, expression: '', description: '', ...micros };
  });
  const kept = columns.map(({ name, micros = name }) => micros);
  const table: PublishedTable = {
    name: 'wide',
    group: 'statistics',
    description: '',
    columns,
    key: [],
    from: '',
    order: '',
    indexes: [],
  };
  const file = new Database(path);
  file.exec(`CREATE TABLE as_of (as_of, publication); INSERT INTO as_of VALUES ('2026-11-20 12:00:00.000', 'p1');
    CREATE TABLE run (id); INSERT INTO run VALUES (7); CREATE TABLE wide (${kept.join(', ')})`);
  const insert = file.prepare(`INSERT INTO wide VALUES (${kept.map(() => '?').join(', ')})`);
  for (let row = 0; row < 5; row += 1) insert.run(columns.map(({ declared }) => VALUES[declared][row]));
  file.close();
  const warehouse = openTables(path);
  onTestFinished(() => warehouse.close());
  return { warehouse, table, columns };
}

const unitsOf = (micros: bigint) => {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

/** What DuckDB prints of a value of SQLite. */
const PRINTED: Partial<Record<DeclaredType, (value: bigint | number | string) => unknown>> = {
  'DECIMAL(18,6)': (value) => unitsOf(value as bigint),
  DATETIME: (value) => String(value).replace('.000', '+00'),
  BOOLEAN: (value) => String(value === 1n),
};

describe('Parquet in DuckDB', () => {
  it('has each value of a table of 100 columns, and the types of the dictionary', async () => {
    const { warehouse, table, columns } = wideFile();
    const folder = tempDir();
    await exportParquet(warehouse, [table], folder, free);
    const ask = await duckDb();
    const files = `read_parquet('${folder}/wide/*.parquet')`;
    await ask("SET TimeZone = 'UTC'");
    const values = columns.map(({ name, declared }) => (declared === 'DOUBLE' ? name : `${name}::VARCHAR AS ${name}`));
    const rows = await ask(`SELECT ${values.join(', ')} FROM ${files}`);
    expect(rows).toHaveLength(5);
    for (const { name, declared } of columns) {
      const expected = VALUES[declared].map((value) =>
        value === null || declared === 'DOUBLE' ? value : (PRINTED[declared] ?? String)(value),
      );
      expect(
        rows.map((row) => row[name]),
        `${name} ${declared}`,
      ).toEqual(expected);
    }
    const described = await ask(`DESCRIBE SELECT * FROM ${files}`);
    expect(new Set(described.map((row) => row.column_type))).toEqual(
      new Set(['BIGINT', 'VARCHAR', 'DATE', 'TIMESTAMP WITH TIME ZONE', 'BOOLEAN', 'DOUBLE', 'DECIMAL(18,6)']),
    );
    const metadata = await ask(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${folder}/wide/*.parquet')`,
    );
    expect(metadata).toEqual([
      { key: 'as_of', value: '2026-11-20T12:00:00Z' },
      { key: 'publication', value: 'p1' },
      { key: 'run', value: '7' },
      { key: 'table', value: 'wide' },
    ]);
  });

  it('agrees with SQL on all tables of a run, by the lines of docs/bi.md', async () => {
    const world = await createWorld({ queries: TRIM_QUERIES, rules: TRIM_RULES });
    await world.report();
    const { code, stderr } = await runInProcess(['publish', '--to', 'parquet', 'exports'], { folder: world.folder });
    expect([code, stderr]).toEqual([0, '']);
    const folder = join(world.folder, 'exports');
    const ask = await duckDb();
    const lines = /```sql\n(-- DuckDB.*?)```/s.exec(readFileSync('docs/bi.md', 'utf8'))?.[1] ?? '';
    const printed = await ask(lines.replaceAll('exports/', `${folder}/`));
    const file = new Database(join(world.folder, 'data', 'warehouse.sqlite'), { readonly: true }).defaultSafeIntegers();
    onTestFinished(() => void file.close());
    const days = file
      .prepare('SELECT date, sum(cost_micros) AS micros FROM v_campaign_day GROUP BY date ORDER BY date')
      .all() as { readonly date: string; readonly micros: bigint }[];
    expect(days.length).toBeGreaterThan(1);
    expect(printed.map((row) => [String(row.date), String(row.cost)])).toEqual(
      days.map(({ date, micros }) => [date, unitsOf(micros)]),
    );
    const tables = file
      .prepare("SELECT table_name AS name FROM data_dictionary WHERE column_name = ''")
      .pluck()
      .all() as string[];
    for (const name of tables) {
      const [counted] = await ask(`SELECT count(*) AS rows FROM read_parquet('${folder}/${name}/*.parquet')`);
      expect(counted?.rows, name).toBe(file.prepare(`SELECT count(*) FROM "${name}"`).pluck().get());
    }
  });
});

describe('a workbook in LibreOffice', () => {
  it('has each value of a table of 100 columns; formulas stay text', async () => {
    const program = ['soffice', '--version'] as const;
    try {
      execFileSync(program[0], [program[1]], { stdio: 'pipe' });
    } catch (cause) {
      throw new Error('LibreOffice is not installed here. Run: apt-get install libreoffice-calc-nogui', { cause });
    }
    const { warehouse, table, columns } = wideFile();
    const folder = tempDir();
    await exportWorkbook(warehouse, [table], join(folder, 'wide.xlsx'), free);
    const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false';
    execFileSync(
      'soffice',
      [`-env:UserInstallation=file://${folder}/home`, '--headless', '--convert-to', filter, 'wide.xlsx'],
      {
        cwd: folder,
        stdio: 'pipe',
      },
    );
    const rows = parse(readFileSync(join(folder, 'wide.csv')), { columns: true, bom: true }) as Record<
      string,
      string
    >[];
    expect(rows).toHaveLength(4);
    for (const { name, declared } of columns) {
      const found = rows.map((row) => row[name] ?? '');
      const values = VALUES[declared].slice(0, 4) as (bigint | number | string)[];
      if (declared === 'DOUBLE')
        expect(found.map(Number).map((value) => (Number.isNaN(value) ? '' : value))).toEqual([
          0.1,
          1e300,
          Number.NEGATIVE_INFINITY,
          -0.5,
        ]);
      else if (declared === 'DECIMAL(18,6)')
        expect(found.map(Number), name).toEqual(values.map((value) => Number(unitsOf(value as bigint))));
      else if (declared === 'DATETIME')
        expect(
          found.map((text) => Date.parse(`${text}Z`)),
          name,
        ).toEqual(values.map((value) => Date.parse(`${value}Z`)));
      else if (declared === 'BOOLEAN')
        expect(found.map((text) => text.toLowerCase())).toEqual(['true', 'false', 'true', 'false']);
      else expect(found, `${name} ${declared}`).toEqual(values.map(String));
    }
  });
});
