import { describe, expect, it } from 'vitest';
import { type Column, count, text } from '../../../src/storage/columns/column.ts';
import { jsonListing } from '../../../src/views/kit/json.ts';
import { type Listing, oneList, part } from '../../../src/views/kit/listing.ts';
import { rowsListing } from '../../../src/views/kit/rows.ts';
import { terminalListing } from '../../../src/views/kit/terminal.ts';

interface Row {
  readonly name: string;
  readonly words: string;
}

const NAME = text('name', '', ({ name }: Row) => name, { title: 'Name' });
const shown = (columns: readonly Column<Row>[], rows: readonly Row[], width = 40) =>
  terminalListing(oneList({ name: '', about: '', columns }), rows, { width, bold: (one) => one });

describe('a text in a terminal listing', () => {
  it.each<[sentence: string, more: Parameters<typeof text<Row>>[3], expected: string]>([
    ['is cut', {}, '  Name  Words\n  a     a sentence that is longer tha…\n  b     short\n'],
    [
      'is wrapped if its column allows it',
      { wraps: true },
      '  Name  Words\n  a     a sentence that is longer than\n        this column is\n  b     short\n',
    ],
    [
      'is printed below its row if its column is long',
      { long: true },
      '  Name\n  a\n    a sentence that is longer than this\n    column is\n  b\n    short\n',
    ],
  ])('%s', (_sentence, more, expected) => {
    const words = text('words', '', (row: Row) => row.words, { title: 'Words', ...more });
    const rows = [
      { name: 'a', words: 'a sentence that is longer than this column is' },
      { name: 'b', words: 'short' },
    ];
    expect(shown([NAME, words], rows)).toBe(expected);
  });

  it('keeps its line breaks if its column allows it, but no control characters', () => {
    const words = text('words', '', (row: Row) => row.words, { title: 'Words', long: 'lines' });
    expect(shown([NAME, words], [{ name: 'a', words: 'one\r\n\n\u001b[31mtwo' }])).toBe(
      '  Name\n  a\n    one\n\n    ·[31mtwo\n',
    );
  });
});

const LISTING: Listing<readonly Row[]> = {
  name: '',
  about: '',
  before: () => ['Above:'],
  json: () => ({ above: true }),
  parts: [
    part({ json: 'first', row: 'first', title: 'First', columns: [NAME], rows: (rows) => rows }),
    part({
      json: 'second',
      row: 'second',
      title: 'Second',
      columns: [
        count('size', '', ({ words }: Row) => words.length),
        NAME,
        text('words', '', ({ words }: Row) => words),
      ],
      rows: (rows) => rows,
    }),
    part({ only: ['people'], title: 'Third', columns: [NAME], rows: (rows) => rows }),
  ],
};

describe('the parts of a listing', () => {
  const rows = [{ name: 'a', words: 'bc' }];

  it('are joined as rows, except parts only for people', () => {
    expect(rowsListing(LISTING, rows, 'csv')).toBe(
      '"row","size","name","words"\r\n"first","","a",""\r\n"second",2,"a","bc"\r\n',
    );
  });

  it('are left out in formats they are not for', () => {
    expect(JSON.parse(jsonListing(LISTING, rows))).toEqual({
      above: true,
      first: [{ name: 'a' }],
      second: [{ size: 2, name: 'a', words: 'bc' }],
    });
    const shownParts = terminalListing(LISTING, rows, { width: 40, bold: (one) => one });
    expect(shownParts).toBe('Above:\n\nFirst\n  Name\n  a\n\nSecond\n  Name\n  a\n\nThird\n  Name\n  a\n');
  });
});
