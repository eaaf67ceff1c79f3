import { expect, it } from 'vitest';
import { type TableColumn, textTable, widestOf } from '../../src/views/text/text-table.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'Account', align: 'left' },
  { title: 'Clicks', align: 'right' },
];

it('a table of many rows has the same widths in all of them', () => {
  const rows = Array.from({ length: 250 }, (_, index) => [`a${'b'.repeat(index === 249 ? 20 : 1)}`, String(index)]);
  const lines = textTable(COLUMNS, rows, 80).split('\n');
  expect(lines).toHaveLength(251);
  expect(lines[0]).toBe('Account                Clicks');
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([29]));
});

it('the widest of more texts than a call takes arguments is found', () => {
  const texts = Array.from({ length: 500_000 }, (_, index) => String(index));
  expect(widestOf('id', texts)).toBe(6);
});
