import { type DateRange, daysOf } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { ColumnValue, Member, MemberDemand, SummedColumn } from '../../../domain/member.ts';
import type { StateDb } from '../../records/record-store.ts';
import { memberDaysIn, membersIn } from '../member-rows.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import { type MemberDay, summedValue, sumOfUsable, usableDouble } from '../totals.ts';
import { ask, run } from './ask.ts';
import { tableOf } from './query-tables.ts';

/** For counted impressions, one row without a value makes the sum NULL, because a partial sum would be wrong. */
function sumOf(metric: SummedColumn): string {
  const { type, impressions } = metric;
  const stored = summedValue(metric);
  if (type === 'INT64') return `sum(${stored})`;
  const sum = sumOfUsable(`sum(pacekeeper.millionths(${usableDouble(stored)}))`, stored);
  return impressions === undefined ? sum : `CASE WHEN count(${stored}) = count(*) THEN ${sum} END`;
}

type Shape = Omit<MemberDemand, 'stretches'>;

const idsIn = ({ ids }: Shape) => ids.map((_, index) => `id_${index}`);
const sumsIn = ({ metrics }: Shape) => metrics.map((_, index) => `sum_${index}`);
const attributesIn = ({ attributes }: Shape) => attributes.map((_, index) => `attribute_${index}`);

/** SQL of one row for each member and day, from `rows`. An id below 1 is a mistake of the service. */
function memberDays(rows: string, shape: Shape): string {
  const ids = shape.ids.map((id, index) => `${identifier(id)} AS id_${index}`);
  const sums = shape.metrics.map((metric, index) => `${sumOf(metric)} AS sum_${index}`);
  // All rows of a member on a day have the same value.
  const attributes = shape.attributes.map((name, index) => `max(${identifier(name)}) AS attribute_${index}`);
  const real = shape.ids.map((id) => ` AND ${identifier(id)} > 0`).join('');
  const group = [DATE_COLUMN, ...shape.ids.map(identifier)];
  return `SELECT ${[DATE_COLUMN, ...ids, ...sums, ...attributes].join(', ')} FROM ${rows}
    WHERE ${CUSTOMER_COLUMN} = $1 AND ${DATE_COLUMN} BETWEEN $2 AND $3${real} GROUP BY ${group.join(', ')}`;
}

/**
 * One statement, because the sums of PostgreSQL have no limit. SQLite (`sqlite/members.ts`) needs several steps. A day
 * with rows but without a value makes the sum of its stretch NULL. `rows` is SQL of a table or a subquery.
 */
export async function members(
  db: StateDb,
  rows: string,
  customer: CustomerId,
  demand: MemberDemand,
): Promise<Iterable<Member>> {
  if (demand.stretches.length === 0) return [];
  const days = demand.stretches.flatMap((range, stretch) => daysOf(range).map((day) => ({ stretch, day })));
  const key = [...idsIn(demand), 'stretch'];
  const sums = sumsIn(demand).map((sum) => `CASE WHEN count(${sum}) = count(*) THEN sum(${sum}) END AS ${sum}`);
  const attributes = attributesIn(demand).map(
    (name) => `(array_agg(${name} ORDER BY ${DATE_COLUMN} DESC))[1] AS ${name}`,
  );
  const sorted = days.map(({ day }) => day).toSorted();
  const found = await askWithHashes<ColumnValue[]>(
    db,
    `SELECT ${[...key, ...sums, ...attributes].join(', ')} FROM (${memberDays(rows, demand)}) AS each
    JOIN unnest($4::int[], $5::date[]) AS part (stretch, day) ON ${DATE_COLUMN} = day
    GROUP BY ${key.join(', ')} ORDER BY ${key.join(', ')}`,
    [customer, sorted[0], sorted.at(-1), days.map(({ stretch }) => stretch), days.map(({ day }) => day)],
  );
  return membersIn(found, demand, SUMS);
}

const SUMS = { width: 1, read: (row: readonly ColumnValue[], at: number) => row[at] as bigint | null };

/**
 * After a load, the server has no statistics: it would sort all rows on the disk. Without sorts, costs look high, so it would
 * compile the query, which takes longer than the query.
 */
function askWithHashes<Row extends readonly unknown[]>(db: StateDb, sql: string, parameters: readonly unknown[]) {
  const within = async (trx: StateDb) => {
    await run(trx, "SET LOCAL enable_sort = off; SET LOCAL jit = off; SET LOCAL work_mem = '64MB'");
    return ask<Row>(trx, sql, parameters);
  };
  return db.isTransaction ? within(db) : db.transaction().setAccessMode('read only').execute(within);
}

export async function dayMembers(
  db: StateDb,
  table: string,
  customer: CustomerId,
  shape: Shape,
  days: DateRange,
): Promise<Iterable<MemberDay>> {
  const sql = `${memberDays(tableOf(table), shape)} ORDER BY ${[DATE_COLUMN, ...shape.ids.map(identifier)].join(', ')}`;
  return memberDaysIn(await askWithHashes<ColumnValue[]>(db, sql, [customer, days.from, days.to]), shape, SUMS);
}
