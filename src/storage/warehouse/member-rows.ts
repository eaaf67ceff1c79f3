import type { CivilDate } from '../../domain/civil-date.ts';
import type { ColumnValue, Member, MemberDemand, MemberStretch } from '../../domain/member.ts';
import type { MemberDay } from './totals.ts';

/** Each sum has `width` columns, from which `read` makes one number. */
interface SumColumns {
  readonly width: number;
  read(row: readonly ColumnValue[], at: number): bigint | null;
}

/** Each row has ids, the number of a stretch, sums and attributes. Rows of a member follow each other. */
export function* membersIn(
  rows: Iterable<readonly ColumnValue[]>,
  demand: MemberDemand,
  { width, read }: SumColumns,
): Generator<Member> {
  const idCount = demand.ids.length;
  const firstAttribute = idCount + 1 + demand.metrics.length * width;
  let open: { readonly ids: readonly bigint[]; readonly stretches: (MemberStretch | undefined)[] } | undefined;
  let attributes: readonly ColumnValue[] = [];
  for (const row of rows) {
    if (open === undefined || open.ids.some((id, index) => id !== row[index])) {
      if (open !== undefined) yield open;
      open = { ids: row.slice(0, idCount) as bigint[], stretches: demand.stretches.map(() => undefined) };
    }
    // To save memory, consecutive members with equal attributes share one array.
    const isSame = attributes.every((value, index) => value === row[firstAttribute + index]);
    if (!isSame || attributes.length === 0) attributes = row.slice(firstAttribute);
    const sums = demand.metrics.map((_, index) => read(row, idCount + 1 + index * width));
    open.stretches[Number(row[idCount])] = { sums, attributes };
  }
  if (open !== undefined) yield open;
}

/** Each row has a day, ids, sums and attributes. */
export function* memberDaysIn(
  rows: Iterable<readonly ColumnValue[]>,
  { ids, metrics }: Pick<MemberDemand, 'ids' | 'metrics'>,
  { width, read }: SumColumns,
): Generator<MemberDay> {
  const firstSum = 1 + ids.length;
  for (const row of rows) {
    yield {
      day: row[0] as CivilDate,
      ids: row.slice(1, firstSum) as bigint[],
      sums: metrics.map((_, index) => read(row, firstSum + index * width)),
      attributes: row.slice(firstSum + metrics.length * width),
    };
  }
}
