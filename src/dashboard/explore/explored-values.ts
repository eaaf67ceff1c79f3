import type { ExploredRows, ExploredValue } from '../../storage/warehouse/explored.ts';

/** Like the shell of SQLite: a sum of decimals shows no rounding errors of binary fractions. */
const SHOWN_DIGITS = 15;

export function shownValue(value: ExploredValue): string | number | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number(value.toPrecision(SHOWN_DIGITS));
  return 'integer' in value ? value.integer : `(${value.bytes} bytes)`;
}

/** Drawings are not exact, so they may round. */
export function drawnNumber(value: ExploredValue | undefined): number | undefined {
  const number = typeof value === 'object' && value !== null && 'integer' in value ? Number(value.integer) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function isNumberColumn(rows: ExploredRows['rows'], index: number): boolean {
  const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => drawnNumber(value) !== undefined);
}
