import type { PublishedValue } from './export-tables.ts';
import type { PublishedColumn } from './published-table.ts';

/** Characters that are handed on at once. */
const PIECE_SIZE = 64 * 1024;

/** The rows as a JSON array of objects, one per line, piece by piece. Integers are written with all their digits. */
export function* jsonText(
  columns: readonly PublishedColumn[],
  rows: Iterable<readonly PublishedValue[]>,
): Generator<string> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const flags = columns.map(({ declared }) => declared === 'BOOLEAN');
  let piece = '[';
  let before = '\n';
  for (const row of rows) {
    const members = row.map((value, index) => `${names[index]}:${valueText(value, flags[index] ?? false)}`);
    piece += `${before}{${members.join(',')}}`;
    before = ',\n';
    if (piece.length < PIECE_SIZE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n]\n`;
}

function valueText(value: PublishedValue, isFlag: boolean): string {
  if (typeof value !== 'bigint') return JSON.stringify(value);
  return isFlag ? String(value !== 0n) : String(value);
}
