import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { renderListing } from '../../src/report/listing.ts';

const csv = (columns: string[], rows: object[]) => renderListing(columns, rows as Record<string, unknown>[], 'csv');
const ndjson = (columns: string[], rows: object[]) =>
  renderListing(columns, rows as Record<string, unknown>[], 'ndjson');

describe('a listing as CSV', () => {
  it.each([
    ['a text that a spreadsheet would run', '=HYPERLINK("http://example.com")', `'=HYPERLINK("http://example.com")`],
    ['one that begins with a plus', '+49 151', "'+49 151"],
    ['one that begins with an at', '@SUM(A1)', "'@SUM(A1)"],
    ['quotes, commas and line breaks', 'a "b", c\nd', 'a "b", c\nd'],
    ['what a terminal obeys', 'red\u001b[31m\u009b\u0007', 'red·[31m··'],
    ['a list', ['READ', 'WRITE'], 'READ, WRITE'],
    ['what is false', false, 'false'],
    ['nothing', undefined, ''],
  ])('has %s as it can be read again', (_sentence, value, expected) => {
    const text = csv(['name'], [{ name: value }]);
    expect(parse(text, { columns: true, relax_column_count: false })).toEqual([{ name: expected }]);
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it.each([
    [51_000_000n, '51.00'],
    [1n, '0.000001'],
    [123_450_000n, '123.45'],
    [123_456_000n, '123.456'],
    [-5_500_000n, '-5.50'],
    [9_223_372_036_854_775_807n, '9223372036854.775807'],
    [0n, '0.00'],
  ])('has %s micros exactly, and beside them %s', (amount, decimal) => {
    const text = csv(['to_micros', 'currency'], [{ to_micros: amount, currency: 'EUR' }]);
    expect(text).toBe(`"to_micros","to","currency"\r\n${amount},${decimal},"EUR"\r\n`);
  });

  it('has a head where there is nothing to list, and empty amounts where none is known', () => {
    expect(csv(['id', 'to_micros'], [])).toBe('"id","to_micros","to"\r\n');
    expect(csv(['id', 'to_micros'], [{ id: 7n }])).toBe('"id","to_micros","to"\r\n7,"",""\r\n');
  });
});

describe('a listing as NDJSON', () => {
  it('is an object a line with every column and nothing else, exact beyond what JSON readers keep', () => {
    const rows = [
      { id: 7n, name: 'a\nb', tasks: ['x'], other: 1 },
      { id: 9_223_372_036_854_775_807n, name: undefined },
    ];
    const text = ndjson(['id', 'name', 'tasks'], rows);
    expect(text.split('\n')).toEqual([
      '{"id":7,"name":"a\\nb","tasks":["x"]}',
      '{"id":"9223372036854775807","name":null,"tasks":null}',
      '',
    ]);
  });

  it('is nothing where there is nothing to list, and moves no cursor', () => {
    expect(ndjson(['id'], [])).toBe('');
    expect(ndjson(['id'], [{ id: '\u001b[2J\u009b' }])).toBe('{"id":"\\u001b[2J\\u009b"}\n');
  });
});
