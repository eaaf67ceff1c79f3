import Database from 'better-sqlite3';
import { type DateRange, daysOf } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { ColumnValue, Member, MemberDemand, SummedColumn } from '../../../domain/member.ts';
import { type Connected, prepared } from '../../records/sqlite/prepared.ts';
import { memberDaysIn, membersIn } from '../member-rows.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { type MemberDay, summedValue, sumOfUsable, usableDouble } from '../totals.ts';

/**
 * Adds up day by day in a temporary table. If a sum exceeds int64, all is summed again in two halves. The other engine needs
 * one statement, because its sums have no limit. A renamed member stays one member. The connection is busy until the
 * last member is read.
 */
export function* aggregateMembers(
  { connection }: Connected,
  table: string,
  customer: CustomerId,
  demand: MemberDemand,
): Generator<Member> {
  createSums(connection, demand);
  try {
    const adding = (exactly: SumForm) => addDays(connection, table, customer, demand, exactly);
    let form: SumForm = 'whole';
    try {
      connection.transaction(adding)(form);
    } catch (error) {
      if (!isOverflow(error)) throw error;
      form = 'halves';
      connection.transaction(adding)(form);
    }
    yield* readMembers(connection, demand, form);
  } finally {
    prepared(connection, `DELETE FROM ${sumsTable(demand)}`).run();
  }
}

/** `whole` fails beyond int64. `halves` sums the high and the low half separately, which is slower. */
export type SumForm = 'whole' | 'halves';

function isOverflow(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  // Across several days, the sum becomes a float, which the STRICT table refuses.
  // biome-ignore lint/plugin: SQLite has no code of its own for this error.
  return error.message === 'integer overflow' || error.code === 'SQLITE_CONSTRAINT_DATATYPE';
}

const idNames = ({ ids }: MemberDemand): string[] => ids.map((_, index) => `id_${index}`);
const attributeNames = ({ attributes }: MemberDemand): string[] => attributes.map((_, index) => `attribute_${index}`);
const halfNames = (index: number) => [`high_${index}`, `low_${index}`];

const keyNames = (demand: MemberDemand): string[] => [...idNames(demand), 'stretch'];
const sumNames = ({ metrics }: MemberDemand): string[] => metrics.flatMap((_, index) => halfNames(index));

/** Kept for the next account, because SQLite prepares its statements again after a new table. */
function sumsTable({ ids, metrics, attributes }: MemberDemand): string {
  return `temp.member_sums_${ids.length}_${metrics.length}_${attributes.length}`;
}

function createSums(connection: Database.Database, demand: MemberDemand): void {
  const key = keyNames(demand);
  const columns = [
    ...key.map((name) => `${name} INTEGER NOT NULL`),
    ...sumNames(demand).map((name) => `${name} INTEGER`),
    ...attributeNames(demand).map((name) => `${name} ANY`),
  ];
  prepared(
    connection,
    `CREATE TEMP TABLE IF NOT EXISTS ${sumsTable(demand).slice('temp.'.length)} (${columns.join(', ')}, PRIMARY KEY (${key.join(', ')})) STRICT, WITHOUT ROWID`,
  ).run();
}

/** Begins with the newest day, because the first row of a member decides its attributes. */
function addDays(
  connection: Database.Database,
  table: string,
  customer: CustomerId,
  demand: MemberDemand,
  form: SumForm,
): void {
  const statement = prepared(connection, addDayStatement(table, demand, form));
  for (const [stretch, range] of [...demand.stretches.entries()].reverse()) {
    for (const day of daysOf(range).reverse()) statement.run(BigInt(stretch), customer, day);
  }
}

function addDayStatement(table: string, demand: MemberDemand, form: SumForm): string {
  const ids = demand.ids.map(identifier);
  const sums = demand.metrics.flatMap((metric) => sumsOf(metric, form));
  const names = demand.metrics.flatMap((_, index) => (form === 'whole' ? halfNames(index).slice(1) : halfNames(index)));
  const columns = [...keyNames(demand), ...names, ...attributeNames(demand)];
  const values = [...ids, '?', ...sums, ...demand.attributes.map(identifier)];
  // Ignores rows with an id below 1, because such an id is a mistake of the service.
  const real = ids.map((id) => ` AND ${id} > 0`).join('');
  const grouped = ids.length > 0 ? ids : [CUSTOMER_COLUMN];
  // Without sums, a member's existing row stays unchanged.
  const update =
    names.length > 0 ? `UPDATE SET ${names.map((name) => `${name} = ${name} + excluded.${name}`)}` : 'NOTHING';
  return `INSERT INTO ${sumsTable(demand)} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM main.${identifier(table)}
    WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} = ?${real} GROUP BY ${grouped.join(', ')} ON CONFLICT DO ${update}`;
}

function sumsOf(metric: SummedColumn, form: SumForm): string[] {
  const { type, impressions } = metric;
  const stored = summedValue(metric);
  const value = type === 'INT64' ? stored : `CAST(round(${usableDouble(stored)} * 1000000) AS INTEGER)`;
  const parts = form === 'whole' ? [value] : [`${value} >> 32`, `${value} & 4294967295`];
  // For counted impressions, one row without a value makes the sum NULL, because a partial sum would be wrong.
  const known = impressions === undefined ? '' : ` * iif(count(${stored}) = count(*), 1, NULL)`;
  return parts.map((part) => {
    const sum = `sum(${part})${known}`;
    return type === 'INT64' ? sum : sumOfUsable(sum, stored);
  });
}

function readMembers(connection: Database.Database, demand: MemberDemand, form: SumForm): Generator<Member> {
  const columns = [...keyNames(demand), ...sumNames(demand), ...attributeNames(demand)].join(', ');
  const sql = `SELECT ${columns} FROM ${sumsTable(demand)} ORDER BY ${keyNames(demand).join(', ')}`;
  const rows = prepared(connection, sql, 'columns').iterate() as Iterable<ColumnValue[]>;
  return membersIn(rows, demand, { width: 2, read: (row, at) => readSum(row, at, form) });
}

function readSum(row: readonly ColumnValue[], at: number, form: SumForm): bigint | null {
  const low = row[at + 1] as bigint | null;
  return form === 'whole' || low === null ? low : ((row[at] as bigint) << 32n) + low;
}

/** The connection is busy until the last row is read. */
export function dayMembers(
  { connection }: Connected,
  table: string,
  customer: CustomerId,
  demand: Omit<MemberDemand, 'stretches'>,
  days: DateRange,
): Generator<MemberDay> {
  const ids = demand.ids.map(identifier);
  const sums = demand.metrics.flatMap((metric) => sumsOf(metric, 'halves'));
  const real = ids.map((id) => ` AND ${id} > 0`).join('');
  const columns = [DATE_COLUMN, ...ids, ...sums, ...demand.attributes.map(identifier)];
  const rows = connection.prepare(
    `SELECT ${columns.join(', ')} FROM main.${identifier(table)}
      WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ?${real}
      GROUP BY ${[DATE_COLUMN, ...ids].join(', ')} ORDER BY ${DATE_COLUMN}`,
  );
  const found = rows.raw().iterate(customer, days.from, days.to) as Iterable<ColumnValue[]>;
  return memberDaysIn(found, demand, { width: 2, read: (row, at) => readSum(row, at, 'halves') });
}
