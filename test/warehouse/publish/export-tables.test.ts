import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { type ExportFormat, exportTables } from '../../../src/storage/warehouse/publish/export-tables.ts';
import { isThorough } from '../../support/effort.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { addTable, publish, type Row, stateFile } from '../published.ts';

const WORDS =
  'SELECT ad_group.name, ad_group_criterion.keyword.text, metrics.clicks, metrics.cost_micros FROM keyword_view';
const word = (text: string | null, clicks: number | bigint = 1): Row => ({
  ad_group_name: 'A',
  ad_group_criterion_keyword_text: text,
  clicks,
  cost_micros: 1_500_000,
});

async function exported(format: ExportFormat, rows: readonly Row[]) {
  const state = await stateFile();
  addTable(state, 'words', WORDS, rows);
  const { tables } = await publish(state);
  const folder = tempDir();
  const written = await exportTables(state.published, tables, format, folder);
  return { folder, written, tables, text: (name: string) => readFileSync(join(folder, `${name}.${format}`), 'utf8') };
}

describe('tables as CSV', () => {
  it('have a header, RFC 4180 lines, quoted texts, and nothing for NULL', async () => {
    const { text } = await exported('csv', [word('wander "schuhe"\nü, 🎒'), word(''), word(null)]);
    expect(text('words')).toBe(
      [
        '"customer_id","ad_group_name","ad_group_criterion_keyword_text","clicks","cost_micros","cost","currency"',
        '4081725530,"A","wander ""schuhe""\nü, 🎒",1,1500000,1.5,"EUR"',
        '4081725530,"A","",1,1500000,1.5,"EUR"',
        '4081725530,"A",,1,1500000,1.5,"EUR"\r\n',
      ].join('\r\n'),
    );
  });

  it.each(['=cmd()', '+1', '-shoes', '@sum', '\tx', '\rx', '＝1'])(
    'escape formulas that a spreadsheet would run: %j',
    async (formula) => {
      const { text } = await exported('csv', [word(formula)]);
      const [row] = parse(text('words'), { columns: true }) as Record<string, string>[];
      expect(row?.ad_group_criterion_keyword_text).toBe(`'${formula}`);
    },
  );

  it('keep numbers: negative ones, and all digits of int64', async () => {
    const { text } = await exported('csv', [word('a', -5), word('b', 2n ** 63n - 1n), word('c', -(2n ** 63n))]);
    const rows = parse(text('words'), { columns: true }) as Record<string, string>[];
    expect(rows.map(({ clicks }) => clicks)).toEqual(['-5', '9223372036854775807', '-9223372036854775808']);
  });
});

describe('tables as JSON', () => {
  it('are arrays of objects with all digits of int64', async () => {
    const { text } = await exported('json', [word('a "b" 🎒\n', 2n ** 63n - 1n), word(null)]);
    expect(text('words')).toContain('"clicks":9223372036854775807,');
    expect(JSON.parse(text('words'))).toMatchObject([
      { customer_id: 4081725530, ad_group_criterion_keyword_text: 'a "b" 🎒\n', cost: 1.5 },
      { ad_group_criterion_keyword_text: null },
    ]);
    expect(JSON.parse(text('run'))).toEqual([]);
  });
});

describe('an export', () => {
  it('has one file per published table, readable by others, and nothing else', async () => {
    const { folder, written, tables } = await exported('csv', [word('a'), word('b')]);
    expect(readdirSync(folder).sort()).toEqual(tables.map(({ name }) => `${name}.csv`).sort());
    expect(statSync(join(folder, 'words.csv')).mode & 0o777).toBe(0o644);
    expect(written.find(({ file }) => file.endsWith('/words.csv'))?.rows).toBe(2);
  });

  it.each(['csv', 'json'] as const)('writes instants in %s like every other output', async (format) => {
    const { text } = await exported(format, []);
    expect(text('as_of')).toContain('"2026-11-20T12:00:00Z"');
    expect(text('account')).toContain('"2026-11-20T12:00:00Z"');
  });

  it.runIf(isThorough)('uses little memory for any number of rows', async () => {
    const state = await stateFile();
    addTable(state, 'words', WORDS, []);
    // Few rows with long texts: what a row costs beside its text is time and no memory.
    state.connection.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO words (customer_id, ad_group_name, ad_group_criterion_keyword_text, clicks, cost_micros)
      SELECT 1, 'A', hex(zeroblob(1100)) || i, i, i FROM n`);
    const { tables } = await publish(state);
    const folder = tempDir();
    for (const format of ['csv', 'json'] as const) {
      const before = process.memoryUsage().rss;
      await exportTables(state.published, tables, format, folder);
      // The file has about 70 MiB.
      expect(statSync(join(folder, `words.${format}`)).size).toBeGreaterThan(60 * 2 ** 20);
      expect(process.memoryUsage().rss - before).toBeLessThan(120 * 2 ** 20);
    }
  });
});
