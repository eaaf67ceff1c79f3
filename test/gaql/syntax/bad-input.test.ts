import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byEffort, isThorough, sample } from '../../support/effort.ts';
import { check, placesOf, sent } from '../findings.ts';
import { printed, S, syntaxOf, W } from './readings.ts';

describe('invalid characters', () => {
  it.each(
    sample([
      ['an empty file', '', ['EXPECTED_SELECT 1:1-1:1']],
      ['only comments', '-- a\n# b\n/* c */', ['EXPECTED_SELECT 1:1-1:2']],
      ['only a byte order mark', '\ufeff', ['EXPECTED_SELECT 1:1-1:2']],
      ['only a semicolon', ';', ['EXPECTED_SELECT 1:1-1:2']],
      ['prose', 'all campaigns of last week', ['EXPECTED_SELECT 1:1-1:4']],
      ['a NUL', `SELECT\0campaign.id FROM campaign`, ['BAD_SYMBOL 1:7-1:8']],
      ['a NUL last', `${S}\0`, ['BAD_SYMBOL 1:33-1:34']],
      ['an emoji behind the query', `${S} 😀`, ['BAD_SYMBOL 1:34-1:36']],
      ['an emoji for a field', 'SELECT 😀, campaign.id FROM campaign', ['BAD_SYMBOL 1:8-1:10']],
      ['letters of no Latin shape', 'SELECT 日本 FROM campaign', ['BAD_SYMBOL 1:8-1:10']],
      ['a Cyrillic letter in SELECT', 'S\u0415LECT campaign.id FROM campaign', ['BAD_SYMBOL 1:1-1:7']],
      ['a Cyrillic letter in FROM', 'SELECT campaign.id FR\u041eM campaign', ['BAD_SYMBOL 1:20-1:24']],
      ['a Greek letter in a field', 'SELECT campaign.n\u03bfme FROM campaign', ['BAD_SYMBOL 1:8-1:21']],
      [
        'a keyword of full width',
        '\uff33\uff25\uff2c\uff25\uff23\uff34 campaign.id FROM campaign',
        ['BAD_SYMBOL 1:1-1:7'],
      ],
      ['a digit of full width', `${S} LIMIT \uff15`, ['BAD_SYMBOL 1:40-1:41']],
      ['a zero-width space in a field', 'SELECT campaign\u200b.id FROM campaign', ['BAD_SYMBOL 1:8-1:20']],
      ['a zero-width space alone', 'SELECT \u200b campaign.id FROM campaign', ['BAD_SYMBOL 1:8-1:9']],
      ['typographic quotes', `${W} = \u201cbrand shoes\u201d LIMIT 5`, ['BAD_SYMBOL 1:54-1:67']],
      ['typographic single quotes', `${W} = \u2018brand\u2019 AND campaign.id = 5`, ['BAD_SYMBOL 1:54-1:61']],
      ['a typographic quote alone', `${W} = \u201cbrand`, ['BAD_SYMBOL 1:54-1:60']],
      ['a typographic quote for the closing one', `${W} = 'brand\u2019`, ['STRING_NOT_TERMINATED 1:54-1:61']],
      ['an operator in one sign', `${W} \u2265 5`, ['BAD_SYMBOL 1:52-1:53']],
      ['a name that begins with an underscore', 'SELECT _id FROM campaign', ['BAD_SYMBOL 1:8-1:11']],
      ['brackets', `${W} IN [1]`, ['BAD_SYMBOL 1:55-1:56', 'BAD_SYMBOL 1:57-1:58']],
      ['a column that begins with an underscore', 'SELECT campaign.id AS _c FROM campaign', ['BAD_ALIAS 1:23-1:25']],
    ]),
  )('%s: one finding', (_, source, places) => {
    expect(syntaxOf(source)).toEqual(places);
  });

  it.each(
    sample([
      ['no-break spaces', '\u00a0'],
      ['ideographic spaces', '\u3000'],
      ['tabs', '\t'],
      ['line ends of Windows', '\r\n'],
      ['lone carriage returns', '\r'],
      ['form feeds', '\f'],
    ]),
  )('%s are white space', (_, space) => {
    expect(printed(`${space}${`${W} = 5`.replaceAll(' ', space)}${space}`)).toBe(`${W} = 5`);
  });

  it('a look-alike letter is reported and read as its Latin letter', () => {
    expect(placesOf('SELECT c\u0430mpaign.nam FROM c\u0430mpaign LIMIT 0')).toEqual([
      'BAD_SYMBOL 1:8-1:20',
      'UNRECOGNIZED_FIELD 1:8-1:20',
      'BAD_SYMBOL 1:26-1:34',
      'LIMIT_VALUE_TOO_LOW 1:41-1:42',
    ]);
  });
});

// What overflows, or grows with the square, already does so at the smaller sizes. Files of more than 4 MiB are not read.
const SIZE = byEffort({ quick: 500_000, thorough: 4_000_000 });
const LEVELS = byEffort({ quick: 5_000, thorough: 20_000 });
const ITEMS = byEffort({ quick: 25_000, thorough: 80_000 });
const CONDITIONS = byEffort({ quick: 5_000, thorough: 20_000 });
const TEXTS = byEffort({ quick: 100, thorough: 200 });
const written = (count: number) => count.toLocaleString('en-US');
const LONG = `${written(SIZE)} characters`;

describe('texts of any size', () => {
  it('and thousands of mistakes within one another do not overflow', () => {
    expect(syntaxOf(`SELECT ${'f('.repeat(LEVELS)} FROM campaign`).length).toBeGreaterThan(0);
    expect(syntaxOf(`${W} IN ${'(1 = '.repeat(LEVELS)}`).length).toBeGreaterThan(0);
    expect(syntaxOf(`${S} ${'GROUP HAVING '.repeat(LEVELS)}`).length).toBeGreaterThan(0);
  });

  const many = (count: number, write: (index: number) => string, joint: string) =>
    Array.from({ length: count }, (_, index) => write(index)).join(joint);

  it('B13: sends a list of 20,000 values', () => {
    const list = many(20_000, String, ', ');
    expect(sent(`${W} IN (${list})`)).toBe(`${W} IN (${list})`);
  });

  // test/gaql/check/check-value.test.ts says the same with the words of the refusal.
  it.runIf(isThorough)('refuses one more value', () => {
    expect(placesOf(`${W} IN (${many(20_001, () => '1', ',')})`)).toEqual(['FILTER_HAS_TOO_MANY_VALUES 1:55-1:40058']);
  });

  it.each(
    sample([
      [`${written(ITEMS)} values`, `${W} IN (${many(ITEMS, () => '1', ',')})`, 1],
      [`a text of ${LONG}`, `${S} WHERE campaign.name = '${'x'.repeat(SIZE)}'`, 0],
      [`escapes of ${LONG}`, `${S} WHERE campaign.name = '${'\\n'.repeat(SIZE / 2)}'`, 0],
      [`a text of ${LONG} that is not closed`, `${S} WHERE campaign.name = '${'x'.repeat(SIZE)}`, 1],
      [`escapes of ${LONG} that are not closed`, `${W} = '${'\\n'.repeat(SIZE / 2)}`, 1],
      [`a comment of ${LONG}`, `--${'x'.repeat(SIZE)}\n${S}`, 0],
      [`a comment of ${LONG} that is not closed`, `${S} /*${'*'.repeat(SIZE)}`, 1],
      [`spaces of ${LONG}`, `${' '.repeat(SIZE)}${S}`, 0],
      [`a name of ${LONG}`, `SELECT ${'a'.repeat(SIZE)} FROM campaign`, 1],
      [`a number of ${LONG}`, `${W} = ${'1'.repeat(SIZE)}`, 1],
      ['underscores', '_'.repeat(SIZE), 1],
      ['NULs', '\0'.repeat(SIZE / 10), 1],
      ['open braces', '{'.repeat(SIZE / 10), 1],
      [
        `${written(CONDITIONS)} conditions`,
        `${S} WHERE ${many(CONDITIONS, (index) => `campaign.id = ${index}`, ' AND ')}`,
        0,
      ],
      ['10,001 quotes in a row', `${S} WHERE campaign.name = ${"'".repeat(10_001)}`, 1],
      [`${written(ITEMS)} symbols`, '% '.repeat(ITEMS), ITEMS],
      [`${written(ITEMS)} fields`, `SELECT ${many(ITEMS, () => 'campaign.id', ',')} FROM campaign`, ITEMS - 1],
    ]),
  )('reads %s to the end', (_, source, findings) => {
    expect(check(source).diagnostics).toHaveLength(findings);
  });

  it.each(
    sample([
      ['line by line', "'\n"],
      ['behind backslashes', "'\\"],
      ['of both kinds', `'"`],
    ]),
  )('refuses 10,000 quotes %s', (_, quotes) => {
    const { query, diagnostics } = check(`${S} WHERE campaign.name = ${quotes.repeat(10_000)}`);
    expect(query).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  const words = [
    ...'SELECT FROM WHERE AND OR ORDER BY ASC DESC LIMIT PARAMETERS AS IN NOT LIKE REGEXP_MATCH CONTAINS ANY'.split(
      ' ',
    ),
    ...'BETWEEN DURING IS NULL GROUP HAVING TOP CASE UNION SELCT FORM LIMT ORDERBY NONE LAST_7_DAYS ENABLED'.split(' '),
    ...'campaign.id campaign.name campaign segments.date metrics.clicks a.b a.* __proto__ constructor {x}'.split(' '),
    ...`* ? %s :x :x-7 : ( ) , = != <= == <> ; - . # \\ 'a' "y" ' " /* */ -- 1e6 5 -1.5 2026-01-01 '2026-01-01'`.split(
      ' ',
    ),
    ...'`a` ` \r\n \n \u0000 \u200b \uFEFF “ ” а é 😀 \ud83d _'.split(' '),
  ];
  const rows = fc.array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('', ' ')), { maxLength: 40 });
  const bytes = fc.uint8Array({ maxLength: 60 }).map((codes) => new TextDecoder().decode(codes));
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    bytes,
    fc.tuple(fc.constantFrom('', `${S} `, `${W} `, 'SELECT '), rows).map(([start, row]) => start + row.flat().join('')),
  );

  it('never throw, and give a query or an error with a place', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const { query, diagnostics } = check(source);
        const errors = diagnostics.filter(({ severity }) => severity === 'error');
        expect(query === undefined).toBe(errors.length > 0);
        for (const { span, message } of diagnostics) {
          expect(message).not.toBe('');
          expect(span.start.line).toBeGreaterThan(0);
          expect(span.start.column).toBeGreaterThan(0);
          expect(span.end.offset).toBeGreaterThanOrEqual(span.start.offset);
          expect(span.start.offset).toBeLessThanOrEqual(source.length);
        }
        const offsets = diagnostics.map(({ span }) => span.start.offset);
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
      }),
      { numRuns: TEXTS },
    );
  });

  it('are printed if valid, and the print reads as the same query', () => {
    fc.assert(
      fc.property(anyText, (source) => {
        const { query } = check(source);
        if (query) expect(sent(query.text)).toBe(query.text);
      }),
      { numRuns: TEXTS },
    );
  });
});
