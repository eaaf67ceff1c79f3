import { type Column, isFor, text, type Use } from '../../storage/columns/column.ts';
import { type Listing, type Part, partsFor } from './listing.ts';

export interface Cell {
  readonly column: Column<unknown>;
  readonly row: unknown;
}

export interface Sheet {
  readonly columns: readonly Column<never>[];
  readonly rows: readonly (readonly (Cell | undefined)[])[];
}

export function sheetOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], use: Use): Sheet {
  const used = columns.filter((column) => isFor(column, use));
  // The cast is safe, because columns get only rows of their own part.
  return { columns: used, rows: rows.map((row) => used.map((column) => ({ column: column as Column<unknown>, row }))) };
}

const ROW = text('row', 'the part', (row: string) => row);

/** If rows have times, all parts are sorted together, newest first. */
export function joinedSheet<Answer>(
  { parts, order }: Pick<Listing<Answer>, 'parts' | 'order'>,
  answer: Answer,
  use: Use,
): Sheet {
  const columns = joinedColumns({ parts, order }, use);
  const used = partsFor(parts, use);
  const isDated = used.some(({ at }) => at !== undefined);
  const entries = (isDated ? used.toReversed() : used).flatMap((part) =>
    part.rows(answer).map((row) => ({ part, row, at: part.at?.(row) ?? '' })),
  );
  const inOrder = entries.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  const cellOf = (part: Part<Answer>, row: unknown, key: string): Cell | undefined => {
    if (key === ROW.key && part.row !== undefined) return { column: ROW as Column<unknown>, row: part.row };
    const column = part.columns.find((one) => one.key === key && isFor(one, use));
    return column && { column, row };
  };
  return { columns, rows: inOrder.map(({ part, row }) => columns.map(({ key }) => cellOf(part, row, key))) };
}

export function joinedColumns<Answer>(
  { parts, order = [] }: Pick<Listing<Answer>, 'parts' | 'order'>,
  use: Use,
): Column<never>[] {
  const used = partsFor(parts, use);
  const joined: Column<never>[] = [];
  for (const { columns } of used) {
    let place = 0;
    for (const column of columns.filter((one) => isFor(one, use))) {
      const found = joined.findIndex(({ key }) => key === column.key);
      if (found === -1) joined.splice(place, 0, column);
      place = (found === -1 ? place : found) + 1;
    }
  }
  if (use === 'rows' && used.some(({ row }) => row !== undefined)) joined.unshift(ROW);
  const ranks = new Map([ROW.key, ...order].map((key, rank) => [key, rank]));
  const rankOf = ({ key }: Column<never>) => ranks.get(key) ?? ranks.size;
  return joined.toSorted((one, other) => rankOf(one) - rankOf(other));
}

export function withoutEmpty({ columns, rows }: Sheet, isEmpty: (cell: Cell | undefined) => boolean): Sheet {
  const isKept = columns.map((_, index) => index === 0 || rows.some((row) => !isEmpty(row[index])));
  return {
    columns: columns.filter((_, index) => isKept[index]),
    rows: rows.map((row) => row.filter((_, index) => isKept[index])),
  };
}
