import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { readEnvFile } from '../../../src/config/setting-tree.ts';
import { InputError } from '../../../src/domain/errors.ts';
import { parseAmount } from '../../../src/domain/micros.ts';
import { readMarketFile } from '../../../src/sandbox/market/replay-market.ts';
import { claim, claimSame, type Target } from '../target.ts';

/** A folder of the thread's own, made when it is first needed. */
function folderOnce(): () => string {
  let folder: string | undefined;
  return () => {
    folder ??= mkdtempSync(join(tmpdir(), 'pacekeeper-fuzz-'));
    return folder;
  };
}

/** `.env`: names and values, or the documented refusal. */
export function envTarget(read: typeof readEnvFile = readEnvFile): Target {
  const folder = folderOnce();
  return {
    name: 'env',
    tokens: ['ADS_ACCESS_TOKEN=', 'export ', '=', '"', "'", '`', '#', '\\n', '\n', '__proto__=', '$A', 'constructor=1'],
    seeds: () => ['ADS_ACCESS_TOKEN=abc\nPACEKEEPER_TARGET="live" # a comment\n', "export A='b c'\r\nB=`x\ny`\n"],
    judge(input) {
      writeFileSync(join(folder(), '.env'), input);
      const found = read(folder());
      for (const [name, value] of Object.entries(found))
        claim(typeof value === 'string', () => `A value that is no text: ${name}`);
      // Lines of the plainest kind, read by another hand.
      const text = input.toString('utf8').replace(/^\uFEFF/, '');
      if (!/^(?:[A-Z]{1,9}=[a-z0-9]{1,9}\n)+$/.test(text)) return;
      const plain = text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('='));
      claimSame(
        Object.entries(found).toSorted(),
        Object.entries(Object.fromEntries(plain)).toSorted(),
        'A plain line is read otherwise',
      );
    },
  };
}

/** Market files: the rows that another reading of CSV gives, or a refusal with words. */
export function marketTarget(read: typeof readMarketFile = readMarketFile): Target {
  const folder = folderOnce();
  const header = 'date,keyword_id,campaign,ad_group,text,match_type,impressions,clicks,cost\n';
  return {
    name: 'market',
    tokens: [
      ...'date, keyword_id, impressions, cost 2026-11-01, 1, "" " EXACT, ,,, 2147483647 9007199254.74'.split(' '),
      '\x1f\x8b\x08',
      'clicks\n',
      '\n',
      '\r\n',
    ],
    seeds: () => [
      `${header}2026-11-01,1,Shoes,A,"brand, shoes",EXACT,10,2,1.25\n2026-11-02,1,Shoes,A,"brand, shoes",EXACT,11,0,0\n`,
      'date,keyword_id,impressions,clicks\n2026-11-01,5,1,1\n',
    ],
    async judge(input) {
      const file = join(folder(), 'market.csv');
      writeFileSync(file, input);
      try {
        const rows = await read(file);
        claimRows(input, rows);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        claim(
          error.message.includes(file) && error.nextStep !== undefined,
          () => `A refusal without a place or a next step: ${error.message}`,
        );
      }
    },
  };
}

function claimRows(input: Buffer, found: Awaited<ReturnType<typeof readMarketFile>>): void {
  if (input[0] === 0x1f && input[1] === 0x8b) return;
  const [names = [], ...records] = parseCsv(input, {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
  }) as string[][];
  const columns = names.map((name) => name.trim().toLowerCase());
  const cell = (record: readonly string[], name: string) => record[columns.lastIndexOf(name)] ?? '';
  const expected = records.map((record) => [
    cell(record, 'date'),
    cell(record, 'keyword_id'),
    Number(cell(record, 'impressions')),
    Number(cell(record, 'clicks')),
    found.costMicros && parseAmount(cell(record, 'cost')),
  ]);
  const rows = found.keyword.map((place, row) => [
    found.dates[found.date[row] ?? -1],
    found.keywords[place]?.id,
    found.impressions[row],
    found.clicks[row],
    found.costMicros && BigInt(found.costMicros[row] ?? -1),
  ]);
  claimSame(rows, expected, 'The rows are not those of another reading');
}
