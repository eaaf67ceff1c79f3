import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { InputError } from '../../../domain/errors.ts';
import { MICROS_PER_UNIT } from '../../../domain/micros.ts';
import { identifier } from '../query-table.ts';
import type { PublishedValue } from '../sqlite/published-file.ts';
import { type DeclaredType, instantOutside, type PublishedColumn } from './published-table.ts';

type SchemaElement = ParquetWriter['schema'][number];
type ParquetValue = bigint | number | string | boolean | null;

interface ParquetType {
  readonly element: Omit<SchemaElement, 'name'>;
  /** Undefined if the value does not have the type. */
  valueOf(value: bigint | number | string): ParquetValue | undefined;
}

const INT64 = { element: { type: 'INT64' }, valueOf: integerOf } as const;

const TYPES: Readonly<Record<DeclaredType, ParquetType>> = {
  INTEGER: INT64,
  TEXT: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }, valueOf: String },
  DOUBLE: { element: { type: 'DOUBLE' }, valueOf: (value) => (typeof value === 'string' ? undefined : Number(value)) },
  BOOLEAN: { element: { type: 'BOOLEAN' }, valueOf: (value) => (typeof value === 'bigint' ? value !== 0n : undefined) },
  DATE: { element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, valueOf: dayNumber },
  DATETIME: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    valueOf: instantOf,
  },
  'DECIMAL(18,6)': {
    element: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 },
    valueOf: (value) => decimalOf(typeof value === 'bigint' ? value * MICROS_PER_UNIT : Number(value) * 1e6),
  },
};
/** An amount whose exact micros are another column. */
const AMOUNT: ParquetType = { ...TYPES['DECIMAL(18,6)'], valueOf: (micros) => decimalOf(micros) };

export interface ParquetColumn {
  readonly name: string;
  readonly declared: DeclaredType;
  /** SQL of the value in the published file. */
  readonly value: string;
  readonly type: ParquetType;
}

export function parquetColumns(columns: readonly PublishedColumn[]): ParquetColumn[] {
  return columns.map(({ name, declared, micros }) => {
    const value = identifier(micros ?? name);
    const type = micros === undefined ? TYPES[declared] : AMOUNT;
    return { name, declared, value: declared === 'DATETIME' ? instantOutside(value) : value, type };
  });
}

/** About 8 MB of values: a row group is as much as the writer holds in memory. */
const GROUP_BYTES = 8 * 1024 * 1024;

/** Writes rows in groups. `pause` is called after each. Returns the number of rows. */
export async function writeParquet(
  path: string,
  { table, columns, metadata }: ParquetOrder,
  rows: Iterable<readonly PublishedValue[]>,
  pause: () => Promise<void>,
): Promise<number> {
  const schema = [
    { name: 'schema', num_children: columns.length },
    ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...type.element })),
  ];
  const kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, kvMetadata, createdBy: 'pacekeeper' });
  let group = columns.map((): ParquetValue[] => []);
  let bytes = 0;
  let count = 0;
  const writeGroup = async () => {
    const columnData = columns.map(({ name }, index) => ({ name, data: group[index] ?? [] }));
    await writer.write({ columnData, rowGroupSize: Number.MAX_SAFE_INTEGER });
    group = columns.map(() => []);
    bytes = 0;
    await pause();
  };
  for (const row of rows) {
    for (const [index, column] of columns.entries()) {
      const value = row[index] ?? null;
      group[index]?.push(value === null ? null : typed(table, column, value));
      bytes += typeof value === 'string' ? 8 + value.length : 8;
    }
    count += 1;
    if (bytes >= GROUP_BYTES) await writeGroup();
  }
  if (bytes > 0) await writeGroup();
  await writer.finish();
  return count;
}

export interface ParquetOrder {
  readonly table: string;
  readonly columns: readonly ParquetColumn[];
  readonly metadata: Readonly<Record<string, string>>;
}

function typed(table: string, { name, declared, type }: ParquetColumn, value: bigint | number | string): ParquetValue {
  const found = type.valueOf(value);
  if (found !== undefined) return found;
  // Only a model can have such values, because SQLite does not enforce the types of published tables.
  throw new InputError(`${table}.${name} has the value ${JSON.stringify(String(value))}, expected ${declared}.`, {
    nextStep: `Correct the model ${table}, for example with CAST(${name} AS TEXT).`,
  });
}

function integerOf(value: bigint | number | string): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

const DAY_MS = 86_400_000;

/** Days since 1970-01-01. */
function dayNumber(value: bigint | number | string): number | undefined {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs / DAY_MS;
}

function instantOf(value: bigint | number | string): bigint | undefined {
  const atMs = Date.parse(String(value));
  return Number.isNaN(atMs) ? undefined : BigInt(atMs);
}

const DECIMAL_LIMIT = 10n ** 18n;

/** DECIMAL(18,6) ends before one trillion units. Amounts beyond are NULL; their micros stay exact. */
function decimalOf(micros: bigint | number | string): bigint | null | undefined {
  if (typeof micros === 'string' || !Number.isFinite(Number(micros))) return undefined;
  const unscaled = typeof micros === 'bigint' ? micros : BigInt(Math.round(micros));
  return unscaled < DECIMAL_LIMIT && unscaled > -DECIMAL_LIMIT ? unscaled : null;
}
