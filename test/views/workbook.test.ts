import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { id, instant, money, share, text } from '../../src/storage/columns/column.ts';
import { amountCell, dayCell, numberCell } from '../../src/storage/workbook/cells.ts';
import { createWorkbook, OWN_MARK, type WorkbookCell } from '../../src/storage/workbook/workbook.ts';
import { sheetOf } from '../../src/views/kit/sheet.ts';
import { rowsWorkbook, shownWorkbook } from '../../src/views/kit/workbook.ts';

const partsOf = (bytes: Uint8Array) =>
  Object.fromEntries(Object.entries(unzipSync(bytes)).map(([path, part]) => [path, strFromU8(part)]));

function workbookOf(
  sheets: readonly (readonly [name: string, rows: readonly (readonly WorkbookCell[])[]])[],
  rowsMax?: number,
) {
  const chunks: Uint8Array[] = [];
  const workbook = createWorkbook((chunk) => void chunks.push(chunk), rowsMax);
  for (const [name, rows] of sheets) {
    workbook.sheet(name, ['a', 'b']);
    for (const row of rows) workbook.row(row);
  }
  const { cutTexts } = workbook.end();
  const bytes = Buffer.concat(chunks);
  const parts = partsOf(bytes);
  const names = Array.from((parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g), ([, name]) => name);
  return { bytes, parts, names, cutTexts, sheet: (number: number) => parts[`xl/worksheets/sheet${number}.xml`] ?? '' };
}

const textsIn = (sheet: string) =>
  Array.from(sheet.matchAll(/<t xml:space="preserve">([^<]*)<\/t>/g), ([, found]) => found);

describe('a workbook', () => {
  it.each(['=cmd()', '+1', '@SUM(1)', '-2', '=HYPERLINK("http://evil.example")'])(
    'has a formula only as text: %s',
    (formula) => {
      const { sheet } = workbookOf([['t', [[formula]]]]);
      expect(sheet(1)).not.toContain('<f>');
      expect(sheet(1)).toContain('<c r="A2" s="1" t="inlineStr">');
      expect(textsIn(sheet(1)).at(-1)).toBe(formula.replaceAll('"', '&quot;'));
    },
  );

  it.each([
    ['markup', '<b>&"', '&lt;b&gt;&amp;&quot;'],
    ['a bell', 'a\u0007b', 'a_x0007_b'],
    ['what looks like an escape', '_x0041_', '_x005F_x0041_'],
    ['half of an emoji', 'a\ud83d', 'a\ufffd'],
    ['a carriage return', 'a\r\nb', 'a_x000D_\nb'],
    ['no character', 'a\uffff', 'a_xFFFF_'],
    ['a name of JavaScript', 'constructor', 'constructor'],
    ['an emoji', '👟', '👟'],
  ])('escapes %s', (_, value, written) => {
    expect(textsIn(workbookOf([['t', [[value]]]]).sheet(1)).at(-1)).toBe(written);
  });

  it('cuts a text at 32,767 characters, and counts it', () => {
    const { sheet, cutTexts } = workbookOf([['t', [['x'.repeat(32_767)], ['👟'.repeat(20_000)]]]]);
    const [, , whole = '', cut = ''] = textsIn(sheet(1));
    expect([cutTexts, whole.length]).toEqual([1, 32_767]);
    expect(cut.length).toBeLessThanOrEqual(32_767);
    expect(cut).toMatch(/^(?:👟)+…$/u);
  });

  it('goes on in another sheet after the last row, with the same frozen heads', () => {
    const { names, sheet } = workbookOf(
      [
        ['keyword', [['1'], ['2'], ['3']]],
        ['Keyword', []],
      ],
      3,
    );
    expect(names).toEqual(['keyword', 'keyword (2)', 'Keyword (3)']);
    expect(textsIn(sheet(2))).toEqual(['a', 'b', '3']);
    expect(sheet(2)).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  });

  it('makes sheet names legal and unique', () => {
    const long = 'a_model_with_a_name_of_more_than_31_characters';
    const { names } = workbookOf([
      [long, []],
      [long, []],
      ['a/b:c*[d]?\\', []],
      ['History', []],
      ['', []],
      ["'x'", []],
    ]);
    expect(names).toEqual([
      long.slice(0, 31),
      `${long.slice(0, 27)} (2)`,
      'a_b_c__d___',
      'History (2)',
      'Sheet',
      '_x_',
    ]);
  });

  it('is the same file for the same content, and begins with its mark', () => {
    const one = workbookOf([['t', [['a']]]]).bytes;
    const other = workbookOf([['t', [['a']]]]).bytes;
    expect(one.equals(other)).toBe(true);
    expect(one.subarray(0, 1024).includes(OWN_MARK)).toBe(true);
  });
});

describe('a cell', () => {
  it.each([
    ['an amount', amountCell(1_500_000n, 'EUR'), { number: '1.5', format: '#,##0.00 "EUR"' }],
    ['an amount without decimals', amountCell(1_500_000_000n, 'JPY'), { number: '1500', format: '#,##0 "JPY"' }],
    ['one micro', amountCell(-1n, undefined), { number: '-0.000001', format: '#,##0.00' }],
    ['a currency that is none', amountCell(1_000_000n, '"x'), { number: '1', format: '#,##0.00' }],
    ['an amount that a spreadsheet would round', amountCell(9_007_199_254_740_993n, 'EUR'), '9007199254.740993'],
    ['the largest int64', numberCell(2n ** 63n - 1n), '9223372036854775807'],
    ['15 digits', numberCell(123_456_789_012_345n), { number: '123456789012345', format: 'General' }],
    ['a million', numberCell(10n ** 18n), { number: '1000000000000000000', format: 'General' }],
    ['infinity', numberCell(Number.POSITIVE_INFINITY), 'Infinity'],
    ['a day', dayCell('2026-11-20'), { number: '46346', format: 'yyyy-mm-dd' }],
    ['a day before 1970', dayCell('1969-12-31'), { number: '25568', format: 'yyyy-mm-dd' }],
    ['a day before spreadsheets', dayCell('1899-12-31'), '1899-12-31'],
    ['no day', dayCell('yesterday'), 'yesterday'],
  ])('for %s', (_, cell, expected) => {
    expect(cell).toEqual(expected);
  });
});

describe('a table as a spreadsheet', () => {
  const ROW = { currency: 'EUR', spend: 2_500_000n, account: 4081725530n, at: '2026-11-20T12:00:00Z', used: 0.25 };
  const COLUMNS = [
    id<typeof ROW>('account_id', 'The account.', ({ account }) => account, { title: 'Account' }),
    money<typeof ROW>('spend_micros', 'Spend.', ({ spend }) => spend, { title: 'Spend' }),
    share<typeof ROW>('used', 'Share.', ({ used }) => used, { title: 'Used' }),
    instant<typeof ROW>('at', 'When.', ({ at }) => at, { title: 'At' }),
    text<typeof ROW>('note', 'A note.', () => '=1+1', { title: 'Note' }),
  ];
  const sheetXml = (bytes: Uint8Array) => partsOf(bytes)['xl/worksheets/sheet1.xml'] ?? '';

  it('has the columns of its CSV: ids as text, exact amounts, real times', () => {
    const xml = sheetXml(rowsWorkbook('t', sheetOf(COLUMNS, [ROW], 'rows')));
    expect(textsIn(xml)).toEqual(['account_id', 'spend_micros', 'spend', 'used', 'at', 'note', '4081725530', '=1+1']);
    expect(Array.from(xml.matchAll(/<v>([^<]*)</g), ([, value]) => value)).toEqual([
      '2500000',
      '2.5',
      '0.25',
      '46346.5',
    ]);
  });

  it('has the titles that people see, and redacts texts', () => {
    const sheet = sheetOf(COLUMNS, [ROW], 'people');
    expect(textsIn(sheetXml(shownWorkbook('t', sheet)))).toEqual([
      'Account',
      'Spend',
      'Used',
      'At',
      'Note',
      '4081725530',
      '=1+1',
    ]);
    const rows = sheetOf(COLUMNS, [ROW], 'rows');
    expect(textsIn(sheetXml(rowsWorkbook('t', rows, (found) => found.replace('1+1', '***')))).at(-1)).toBe('=***');
  });
});
