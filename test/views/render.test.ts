import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import {
  type Column,
  count,
  day,
  flag,
  id,
  instant,
  json,
  list,
  money,
  number,
  share,
  state,
  text,
} from '../../src/storage/columns/column.ts';
import { publishedColumns } from '../../src/storage/warehouse/publish/published-table.ts';
import { htmlTable } from '../../src/views/kit/html.ts';
import { jsonListing, jsonObject } from '../../src/views/kit/json.ts';
import { type Listing, oneList, part } from '../../src/views/kit/listing.ts';
import { csvText, ndjsonText, rowsListing } from '../../src/views/kit/rows.ts';
import { sheetOf } from '../../src/views/kit/sheet.ts';
import { terminalListing, terminalTable } from '../../src/views/kit/terminal.ts';
import { toJson } from '../../src/views/text/to-json.ts';

const LAYOUT = { width: 80, bold: (one: string) => one };
const MAX = 9_223_372_036_854_775_807n;
const HEAD = { title: 'Head' };

interface Row {
  readonly value: unknown;
  readonly currency: string;
}
const value = (row: Row) => row.value as never;
const NAME = text('name', 'The name.', value, HEAD);
const TO = money('to_micros', 'The amount.', value, HEAD);

/** The value without the heads around it: what each renderer makes of it. */
function drawn(column: Column<Row>, one: unknown) {
  const row: Row = { value: one, currency: 'EUR' };
  const people = sheetOf([column], [row], 'people');
  const machines = sheetOf([column], [row], 'rows');
  return {
    terminal: terminalTable(people, LAYOUT).split('\n').slice(1).join('\n').trim(),
    page: /<th scope="row"[^>]*>(.*)<\/th>/s.exec(htmlTable(people, { caption: 'Rows', path: '/' }).markup)?.[1],
    csv: csvText(machines).split('\r\n').slice(1, -1).join('\r\n'),
    ndjson: ndjsonText(machines),
    json: toJson(jsonObject([column], row)),
  };
}

interface Case {
  readonly is: string;
  readonly column: Column<Row>;
  readonly value: unknown;
  readonly terminal: string;
  readonly page: string;
  readonly csv: string;
  /** Its JSON, alone. */
  readonly json: string;
  readonly published: readonly string[];
}

const CASES: readonly Case[] = [
  {
    is: 'a text',
    column: NAME,
    value: 'Shoes & "more"',
    terminal: 'Shoes & "more"',
    page: '<bdi>Shoes &amp; &quot;more&quot;</bdi>',
    csv: '"Shoes & ""more"""',
    json: '"Shoes & \\"more\\""',
    published: ['name TEXT'],
  },
  {
    is: 'a text with other words for people, on one line, that leads to a page',
    column: { ...NAME, shown: () => 'one\ntwo', link: () => '/runs/7' },
    value: 'a\nb',
    terminal: 'one two',
    page: '<a href="./runs/7"><bdi>one two</bdi></a>',
    csv: '"a\nb"',
    json: '"a\\nb"',
    published: ['name TEXT'],
  },
  {
    is: 'an id beyond what JSON readers keep exact',
    column: id('id', 'The number.', value, HEAD),
    value: MAX,
    terminal: `${MAX}`,
    page: `<bdi>${MAX}</bdi>`,
    csv: `${MAX}`,
    json: `"${MAX}"`,
    published: ['id INTEGER, id (int64)'],
  },
  {
    is: 'a number',
    column: number('year', 'The year.', value, HEAD),
    value: 2026,
    terminal: '2026',
    page: '2026',
    csv: '2026',
    json: '2026',
    published: ['year INTEGER'],
  },
  {
    is: 'an amount, beside which there is a decimal one for spreadsheets and charts',
    column: TO,
    value: 51_234_560_000n,
    terminal: '51,234.56 EUR',
    page: '51,234.56 EUR',
    csv: '51234560000,51234.56',
    json: '51234560000',
    published: ["to_micros INTEGER, micros of the account's currency", "to_amount DECIMAL(18,6), account's currency"],
  },
  {
    is: 'an amount in a currency of its own',
    column: money('cost_micros', 'The cost.', value, { ...HEAD, currency: () => 'USD' }),
    value: -5_500_000n,
    terminal: '-5.50 USD',
    page: '-5.50 USD',
    csv: '-5500000,-5.50',
    json: '-5500000',
    published: ["cost_micros INTEGER, micros of the account's currency", "cost DECIMAL(18,6), account's currency"],
  },
  {
    is: 'an instant',
    column: instant('at', 'When.', value, HEAD),
    value: '2026-11-20T08:15:30Z',
    terminal: '2026-11-20 08:15 UTC',
    page: '<time datetime="2026-11-20T08:15:30Z">2026-11-20 08:15 UTC</time>',
    csv: '"2026-11-20T08:15:30Z"',
    json: '"2026-11-20T08:15:30Z"',
    published: ['at DATETIME, time (UTC)'],
  },
  {
    is: 'a day',
    column: day('date', 'The day.', value, HEAD),
    value: '2026-11-20',
    terminal: '2026-11-20',
    page: '<bdi>2026-11-20</bdi>',
    csv: '"2026-11-20"',
    json: '"2026-11-20"',
    published: ["date DATE, date (account's calendar)"],
  },
  {
    is: 'a count',
    column: count('rows', 'Rows.', value, HEAD),
    value: 1_234_567n,
    terminal: '1,234,567',
    page: '1,234,567',
    csv: '1234567',
    json: '1234567',
    published: ['rows INTEGER, count'],
  },
  {
    is: 'a share',
    column: share('ctr', 'Clicks per impression.', value, HEAD),
    value: 0.2512,
    terminal: '25.1%',
    page: '25.1%',
    csv: '0.2512',
    json: '0.2512',
    published: ['ctr DOUBLE, ratio'],
  },
  {
    is: 'a flag that is not set',
    column: flag('dry_run', 'Whether.', value, HEAD),
    value: false,
    terminal: 'no',
    page: '<bdi>no</bdi>',
    csv: '"false"',
    json: 'false',
    published: ['dry_run BOOLEAN, 0 or 1'],
  },
  {
    is: 'a state, which people read as a word',
    column: state('state', 'Its state.', value, { ...HEAD, word: () => ['outcome unknown', 'bad'] }),
    value: 'unknown',
    terminal: 'outcome unknown',
    page: '<span class="badge bad">outcome unknown</span>',
    csv: '"unknown"',
    json: '"unknown"',
    published: ['state TEXT'],
  },
  {
    is: 'a list',
    column: list('codes', 'Codes.', value, HEAD),
    value: ['READ', 'WRITE'],
    terminal: 'READ, WRITE',
    page: '<bdi>READ, WRITE</bdi>',
    csv: '"READ, WRITE"',
    json: '["READ","WRITE"]',
    published: ['codes TEXT'],
  },
  {
    is: 'an object',
    column: json('facts', 'Facts.', value, HEAD),
    value: { days: [1, 2] },
    terminal: '{"days":[1,2]}',
    page: '<bdi>{&quot;days&quot;:[1,2]}</bdi>',
    csv: '"{""days"":[1,2]}"',
    json: '{"days":[1,2]}',
    published: ['facts TEXT'],
  },
  {
    is: 'not known',
    column: TO,
    value: undefined,
    terminal: '',
    page: '–',
    csv: '"",""',
    json: 'null',
    published: ["to_micros INTEGER, micros of the account's currency", "to_amount DECIMAL(18,6), account's currency"],
  },
];

it.each(CASES)('every renderer shows a value that is $is', ({ column, value: one, published, ...expected }) => {
  const { terminal, page, csv, json: whole } = expected;
  expect(drawn(column, one)).toMatchObject({ terminal, page, csv, ndjson: `{"${column.key}":${whole}}\n` });
  expect(JSON.parse(drawn(column, one).json)).toEqual({ [column.key]: JSON.parse(whole) });
  const declared = publishedColumns([column]).map((own) => [`${own.name} ${own.declared}`, own.unit ?? []].flat());
  expect(declared.map((words) => words.join(', '))).toEqual(published);
});

describe('an amount in CSV', () => {
  it.each([
    [51_000_000n, '51.00'],
    [1n, '0.000001'],
    [123_450_000n, '123.45'],
    [123_456_000n, '123.456'],
    [-5_500_000n, '-5.50'],
    [MAX, '9223372036854.775807'],
    [0n, '0.00'],
  ])('of %s micros is exact, beside the amount %s', (micros, decimal) => {
    expect(drawn(TO, micros).csv).toBe(`${micros},${decimal}`);
  });
});

describe('a text from outside', () => {
  it.each([
    ['a spreadsheet formula', '=HYPERLINK("http://example.com")', `'=HYPERLINK("http://example.com")`],
    ['a text that begins with a plus', '+49 151', "'+49 151"],
    ['a text that begins with an at sign', '@SUM(A1)', "'@SUM(A1)"],
    ['quotes, commas and line breaks', 'a "b", c\nd', 'a "b", c\nd'],
    ['terminal control characters', 'red\u001b[31m\u009b\u0007', 'red·[31m··'],
  ])('is the same when read from CSV again: %s', (_sentence, one, expected) => {
    expect(parse(drawn(NAME, one).csv)).toEqual([[expected]]);
  });

  it.each([
    ['a tag', '<img src=x onerror=alert(1)>'],
    ['the end of an attribute', `" onmouseover="alert(1)' x='`],
    ['an entity', '&lt;script&gt;'],
  ])('is escaped in a page, and unchanged everywhere else: %s', (_sentence, one) => {
    const shown = [NAME, { ...NAME, long: true, link: () => '/runs/7' }].map((column) =>
      htmlTable(sheetOf([column], [{ value: one, currency: 'EUR' }], 'people'), { caption: one, path: '/' }),
    );
    for (const { markup } of shown) expect(markup).not.toMatch(/<img|onmouseover="|x='|&lt;script&gt;/);
    expect(drawn(NAME, one).terminal).toBe(one);
    expect(JSON.parse(drawn(NAME, one).json)).toEqual({ name: one });
  });
});

interface Thing {
  readonly id: bigint;
  readonly at: string;
  readonly name?: string;
  readonly why?: string;
}
interface Answer {
  readonly made: readonly Thing[];
  readonly seen: readonly Thing[];
}

const NO: Column<Thing> = id('id', 'The number.', (thing) => thing.id, { title: 'No' });
const AT: Column<Thing> = instant('at', 'When.', ({ at }) => at, { title: 'When' });
const MADE: readonly Column<Thing>[] = [
  NO,
  text('name', 'The name.', ({ name }) => name, { title: 'Name', only: ['people', 'rows'] }),
  AT,
  text('why', 'Why.', ({ why }) => why, { title: 'Why', long: true }),
];
const SEEN: readonly Column<Thing>[] = [
  NO,
  text('by', 'Who.', ({ name }) => name, { nested: ({ name }) => ({ person: name }) }),
  AT,
];
const at = (thing: Thing) => thing.at;

const LISTING: Listing<Answer> = {
  name: 'things list',
  about: 'A row a thing.',
  none: 'There is none.',
  order: ['at'],
  json: ({ made }) => ({ count: made.length }),
  after: () => ['What to do next.'],
  parts: [
    part({ json: 'made', row: 'made', title: 'Made', columns: MADE, rows: ({ made }: Answer) => made, at }),
    part({
      json: 'seen',
      single: true,
      row: 'seen',
      title: 'Seen',
      columns: SEEN,
      rows: ({ seen }: Answer) => seen,
      at,
    }),
  ],
};
const ANSWER: Answer = {
  made: [
    { id: 2n, name: 'Two', at: '2026-11-22T08:00:00Z', why: 'because' },
    { id: 1n, name: 'One', at: '2026-11-20T08:00:00Z' },
  ],
  seen: [{ id: 9n, at: '2026-11-21T08:00:00Z', name: 'anna' }],
};

it('a part for people is in no other format, and parts without times are one below the other', () => {
  const [made = never(), seen = never()] = LISTING.parts.map(({ at: _, ...undated }) => undated);
  const parts = [made, { ...seen, columns: MADE, only: ['people'] as const } as typeof seen];
  const listing = { ...LISTING, parts, before: () => ['Above:'] };
  expect(terminalListing(listing, { ...ANSWER, made: ANSWER.made.slice(1) }, LAYOUT)).toBe(
    'Above:\n\nMade\n  No  Name  When\n  1   One   2026-11-20 08:00 UTC\n\nSeen\n  No  Name  When\n  9   anna  2026-11-21 08:00 UTC\n\nWhat to do next.\n',
  );
  expect(Object.keys(JSON.parse(jsonListing(listing, ANSWER)))).toEqual(['count', 'made']);
  expect(rowsListing(listing, ANSWER, 'csv').split('\r\n')).toHaveLength(4);
});

describe('a listing of several parts', () => {
  it('is one list in the terminal, newest first, with long texts below their row', () => {
    expect(`\n${terminalListing(LISTING, ANSWER, LAYOUT)}`).toMatchInlineSnapshot(`
      "
        No  Name  When
        2   Two   2026-11-22 08:00 UTC
          because
        9         2026-11-21 08:00 UTC
        1   One   2026-11-20 08:00 UTC

      What to do next.
      "
    `);
  });

  it('drops columns that do not fit', () => {
    expect(`\n${terminalListing(LISTING, ANSWER, { ...LAYOUT, width: 24 })}`).toMatchInlineSnapshot(`
      "
        No  Name
        2   Two
          because
        9
        1   One
        Left out: When. A
        wider terminal or
        --format json shows
        them.

      What to do next.
      "
    `);
  });

  it('says that it is empty', () => {
    expect(terminalListing(LISTING, { made: [], seen: [] }, LAYOUT)).toBe('There is none.\n\nWhat to do next.\n');
  });

  it('separates its parts in JSON, under their names', () => {
    expect(JSON.parse(jsonListing(LISTING, ANSWER))).toEqual({
      count: 2,
      made: [
        { id: 2, at: '2026-11-22T08:00:00Z', why: 'because' },
        { id: 1, at: '2026-11-20T08:00:00Z', why: null },
      ],
      seen: { id: 9, by: { person: 'anna' }, at: '2026-11-21T08:00:00Z' },
    });
  });

  it('has all columns in CSV and NDJSON, in order; a later part’s column follows its predecessor', () => {
    expect(rowsListing(LISTING, ANSWER, 'csv').split('\r\n')).toEqual([
      '"row","at","id","by","name","why"',
      '"made","2026-11-22T08:00:00Z",2,"","Two","because"',
      '"seen","2026-11-21T08:00:00Z",9,"anna","",""',
      '"made","2026-11-20T08:00:00Z",1,"","One",""',
      '',
    ]);
    expect(rowsListing(LISTING, ANSWER, 'ndjson').split('\n')[1]).toBe(
      '{"row":"seen","at":"2026-11-21T08:00:00Z","id":9,"by":"anna","name":null,"why":null}',
    );
  });

  it('has a header in CSV and nothing in NDJSON if it is empty', () => {
    const nothing = { made: [], seen: [] };
    expect(rowsListing(LISTING, nothing, 'csv')).toBe('"row","at","id","by","name","why"\r\n');
    expect(rowsListing(LISTING, nothing, 'ndjson')).toBe('');
  });
});

it('a page table says that it is empty, and leaves out empty columns', () => {
  const table = (rows: readonly Row[]) =>
    htmlTable(sheetOf([NAME, { ...TO, title: 'To' }], rows, 'people'), {
      caption: 'Names',
      none: 'No name.',
      path: '/',
    }).markup;
  expect(table([])).toBe('<p class="none">Names: No name.</p>\n');
  expect(table([{ value: undefined, currency: 'EUR' }])).not.toContain('To</th>');
});

interface Sentence {
  readonly name: string;
  readonly words: string;
}

const CALLED = text('name', '', ({ name }: Sentence) => name, { title: 'Name' });
const listed = (columns: readonly Column<Sentence>[], rows: readonly Sentence[], width = 40) =>
  terminalListing(oneList({ name: '', about: '', columns }), rows, { width, bold: (one) => one });

describe('a text in a terminal listing', () => {
  it.each<[sentence: string, more: Parameters<typeof text<Sentence>>[3], expected: string]>([
    ['is cut', {}, '  Name  Words\n  a     a sentence that is longer than …\n  b     short\n'],
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
    const words = text('words', '', (row: Sentence) => row.words, { title: 'Words', ...more });
    const rows = [
      { name: 'a', words: 'a sentence that is longer than this column is' },
      { name: 'b', words: 'short' },
    ];
    expect(listed([CALLED, words], rows)).toBe(expected);
  });

  it('keeps its line breaks if its column allows it, but no control characters', () => {
    const words = text('words', '', (row: Sentence) => row.words, { title: 'Words', long: 'lines' });
    expect(listed([CALLED, words], [{ name: 'a', words: 'one\r\n\n\u001b[31mtwo' }])).toBe(
      '  Name\n  a\n    one\n\n    ·[31mtwo\n',
    );
  });
});

function never(): never {
  throw new Error('The listing has two parts.');
}
