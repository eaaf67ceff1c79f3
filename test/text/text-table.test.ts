import { expect, it } from 'vitest';
import { type TableColumn, textTable, widestOf } from '../../src/views/text/text-table.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'Account', align: 'left' },
  { title: 'Clicks', align: 'right' },
];
const layout = (width: number) => ({ width, bold: (text: string) => text });

it('a table of many rows has the same widths in all of them', () => {
  const rows = Array.from({ length: 250 }, (_, index) => [`a${'b'.repeat(index === 249 ? 20 : 1)}`, String(index)]);
  const lines = textTable(COLUMNS, rows, layout(80)).split('\n');
  expect(lines).toHaveLength(251);
  expect(lines[0]).toBe('  Account                Clicks');
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([31]));
});

it('the widest of more texts than a call takes arguments is found', () => {
  const texts = Array.from({ length: 500_000 }, (_, index) => String(index));
  expect(widestOf('id', texts)).toBe(6);
});

it.each([
  [37, 'Id Spent Clicks From To', ''],
  [36, 'Id Spent From To', 'Clicks'],
  [28, 'Id From To', 'Spent, Clicks'],
  [21, 'Id From', 'Spent, Clicks, To'],
  [10, 'Id', 'Spent, Clicks, From, To'],
])('a table of %d columns drops columns from the right and names them, those that stay last', (width, shown, left) => {
  const columns = ['Id', 'Spent', 'Clicks', 'From', 'To'].map((title) => ({
    title,
    align: 'left' as const,
    stays: title === 'From' || title === 'To',
  }));
  const [head, row, ...note] = textTable(columns, [['12345678', '1.00', '2', '3.00', '4.00']], layout(width)).split(
    '\n',
  );
  expect(head?.trim().split(/ +/)).toEqual(shown.split(' '));
  expect(row?.trim().split(/ +/)).toHaveLength(shown.split(' ').length);
  const words = left === '' ? '' : `Left out: ${left}. A wider terminal or --format json shows them.`;
  expect(note.map((line) => line.trim()).join(' ')).toBe(words);
});

it('a name keeps 24 columns before another column is dropped, and texts below a row stay', () => {
  const columns = [
    { title: 'Account', align: 'left', flexible: true },
    { title: 'Cost', align: 'right' },
  ] as const;
  const rows = [['A very long name of an account', '1']];
  expect(textTable(columns, rows, layout(32), [['    Because.']]).split('\n')).toEqual([
    '  Account                   Cost',
    '  A very long name of an …     1',
    '    Because.',
  ]);
});
