import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { dayRecords } from '../../support/day-records.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ENV = { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };

interface Written {
  readonly id: number;
  readonly name: string | null;
  /** Mark by mark from `from` on: `#` settled, `o` provisional, `-` settled by another question, `.` nothing. */
  readonly marks: string;
  readonly from?: string;
  /** Days after the first mark's day at which its totals were read. */
  readonly readings?: readonly number[];
}

/** A data folder whose state file holds these account days of the query `stats`. */
async function written(accounts: readonly Written[], folder = tempDir()): Promise<string> {
  const path = join(folder, 'data', 'state.sqlite');
  await (await openState(path)).close();
  const file = new Database(path);
  const at = '2026-11-20T00:00:00Z';
  file.exec('BEGIN');
  const { addDay, addReading } = dayRecords({ connection: file }, at);
  const account = file.prepare('INSERT INTO account (customer_id, name, time_zone, seen_at) VALUES (?, ?, ?, ?)');
  for (const { id, name, marks, from = '2026-10-01', readings = [] } of accounts) {
    account.run(id, name, 'UTC', at);
    for (const [index, mark] of [...marks].entries()) {
      const date = addDays(civilDate(from), index);
      if (mark === '-') addDay(id, date, 'settled', 'old');
      else if (mark !== '.') addDay(id, date, mark === 'o' ? 'provisional' : 'settled');
    }
    for (const after of readings) addReading(id, from, after);
  }
  file.exec('COMMIT');
  file.close();
  return folder;
}

const coverage = (folder: string, columns: number, ...args: string[]) =>
  runInProcess(['coverage', ...args], { folder, columns, env: ENV });

const HOSTILE =
  'Evil \u001b[31mred\u0007\r\n# 2 \u202edeppilf 東京文具店 with a long name that goes on and on and on and on';
const FEW: readonly Written[] = [
  { id: 1, name: 'Alpenkontor', marks: `${'#'.repeat(48)}oo`, readings: [1, 2, 4] },
  { id: 2, name: HOSTILE, marks: `${'#'.repeat(20)}.....${'#'.repeat(20)}`, readings: [0, 1] },
  { id: 3, name: null, marks: '' },
];

describe('pacekeeper coverage', () => {
  it('shows a calendar per account at 80 columns', async () => {
    expect((await coverage(await written(FEW), 80)).stdout).toMatchInlineSnapshot(`
      "# complete   o provisional: read before it was complete   . missing: not read

      stats
        Account                         Complete  Provisional  Missing  Complete until
        Alpenkontor (1)                       48            2        0  2026-11-17
        Evil ·[31mred· # 2 ·deppilf           40            0       10  2026-10-20
        東京文具店 with a long name
        that goes on and on and on and
        on (2)
        3                                      0            0        0
        Alpenkontor: late corrections: 1 day, up to 4 days late
                   1          11         21
          2026-10  ########## ########## ###########
          2026-11  ########## #######oo
        Evil ·[31mred· # 2 ·deppilf 東京文具店 with a long name that goes on and on
          and on and on: no late corrections
                   1          11         21
          2026-10  ########## ########## .....######
          2026-11  ########## ####.....
      "
    `);
  });

  it('shows a calendar per account at 140 columns', async () => {
    expect((await coverage(await written(FEW), 140)).stdout).toMatchInlineSnapshot(`
      "# complete   o provisional: read before it was complete   . missing: not read

      stats
        Account                                                                                     Complete  Provisional  Missing  Complete until
        Alpenkontor (1)                                                                                   48            2        0  2026-11-17
        Evil ·[31mred· # 2 ·deppilf 東京文具店 with a long name that goes on and on and on and on         40            0       10  2026-10-20
        (2)
        3                                                                                                  0            0        0
        Alpenkontor: late corrections: 1 day, up to 4 days late
                   1          11         21
          2026-10  ########## ########## ###########
          2026-11  ########## #######oo
        Evil ·[31mred· # 2 ·deppilf 東京文具店 with a long name that goes on and on and on and on: no late corrections
                   1          11         21
          2026-10  ########## ########## .....######
          2026-11  ########## ####.....
      "
    `);
  });

  it('removes control characters, direction marks and line breaks from names', async () => {
    const { stdout } = await coverage(await written(FEW), 80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
    expect(stdout.replace(/\u001b\[(1|22)m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout.split('\n').filter((line) => stringWidth(line) > 80)).toEqual([]);
  });

  it('shows only the requested days, queries and accounts', async () => {
    const folder = await written(FEW);
    const { stdout } = await coverage(
      folder,
      80,
      '--customer',
      '2',
      '--from',
      '2026-10-18',
      '--to',
      '2026-10-27',
      '--format',
      'json',
    );
    expect(JSON.parse(stdout)).toEqual([
      {
        query: 'stats',
        customer_id: '2',
        name: HOSTILE,
        settled: 5,
        provisional: 0,
        missing: 5,
        other_question: 0,
        days: [
          { from: '2026-10-18', to: '2026-10-20', state: 'settled' },
          { from: '2026-10-21', to: '2026-10-25', state: 'missing' },
          { from: '2026-10-26', to: '2026-10-27', state: 'settled' },
        ],
        restated_days: 0,
        observed_lag_days: null,
      },
    ]);
    const one = await coverage(folder, 80, '--customer', '1', '--query', 'stats', '--format', 'json');
    expect(JSON.parse(one.stdout)).toMatchObject([
      { settled: 48, provisional: 2, missing: 0, restated_days: 1, observed_lag_days: 4 },
    ]);
  });

  it.each([
    [
      'a query without any data',
      ['--query', 'nothing'],
      'No days were read for the query nothing. Days were read for stats.',
    ],
    ['an unknown account', ['--customer', '99'], 'No days were read for the account 99. Days were read for 1, 2, 3.'],
    ['reversed days', ['--from', '2026-10-02', '--to', '2026-10-01'], '--from 2026-10-02 is after --to 2026-10-01.'],
    ['an invalid day', ['--from', '2026-02-30'], 'Expected a date such as 2026-03-31.'],
  ])('refuses %s', async (_words, args, message) => {
    const { code, stdout, stderr } = await coverage(await written(FEW), 80, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('counts an incomplete day as missing only if a later day was read', async () => {
    const folder = await written([
      { id: 1, name: 'A', marks: '#', from: '2026-11-18' },
      { id: 2, name: 'B', marks: '#.oo', from: '2026-11-18' },
    ]);
    const { stdout } = await coverage(folder, 80, '--to', '2026-12-31', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject([
      { customer_id: '1', missing: 1, days: [{}, { from: '2026-11-19', to: '2026-11-19', state: 'missing' }] },
      { customer_id: '2', missing: 1, days: [{}, {}, { from: '2026-11-20', to: '2026-11-21', state: 'provisional' }] },
    ]);
  });

  it('marks days that were read with another query fingerprint', async () => {
    const folder = await written([{ id: 1, name: 'A', marks: '---####', from: '2026-11-13' }]);
    expect((await coverage(folder, 80)).stdout).toMatchInlineSnapshot(`
      "# complete   o provisional: read before it was complete   . missing: not read
      - outdated: read before its query changed

      stats
        Account  Complete  Provisional  Missing  Other query  Complete until
        A (1)           4            0        0            3  2026-11-19
        A: no late corrections
                   1          11         21
          2026-11               ---####
      "
    `);
    const { stdout } = await coverage(folder, 80, '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject([
      { settled: 4, missing: 0, other_question: 3, days: [{ to: '2026-11-15', state: 'other_question' }, {}] },
    ]);
  });

  it('refuses a folder without a state file, and creates none', async () => {
    const { code, stderr } = await coverage(tempDir(), 80);
    expect(code).toBe(2);
    expect(stderr).toMatch(/File not found: .*state\.sqlite\. No run has read data yet\./);
  });

  it('says if no day was read yet', async () => {
    expect((await coverage(await written([]), 80)).stdout).toBe('No days read yet. Run pacekeeper extract.\n');
  });
});

describe('coverage of 2,000 accounts', () => {
  let folder: string;
  // Writing so many days takes longer than looking at them.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
    await written(
      Array.from({ length: 2000 }, (_, index) => ({
        id: index + 1,
        name: `Client ${index + 1}`,
        readings: index % 4 === 0 ? [1, index % 7] : [],
        marks:
          index % 100 === 0
            ? `${'#'.repeat(40 - index / 100)}.${'#'.repeat(9)}`
            : index % 10 === 1
              ? `${'#'.repeat(49)}o`
              : '#'.repeat(50),
      })),
      folder,
    );
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it('shows calendars of the accounts with the most gaps, and counts the rest', async () => {
    const { stdout } = await coverage(folder, 80);
    const lines = stdout.split('\n');
    expect(lines.length).toBeLessThan(80);
    expect(lines.slice(0, 6).join('\n')).toMatchInlineSnapshot(`
      "# complete   o provisional: read before it was complete   . missing: not read

      stats
        Account             Complete  Provisional  Missing  Complete until
        Client 1901 (1901)        30            0       20  2026-10-21
        Client 1801 (1801)        31            0       19  2026-10-22"
    `);
    expect(lines.slice(-8).join('\n')).toMatchInlineSnapshot(`
      "             1          11         21
          2026-10  ########## ########## ###########
          2026-11  .######### .........
        Client 801: late corrections: 1 day, up to 2 days late
                   1          11         21
          2026-10  ########## ########## ###########
          2026-11  #.######## #........
      "
    `);
  });

  it('names a few of them if an unknown account is requested', async () => {
    const { stderr } = await coverage(folder, 80, '--customer', '99999');
    expect(stderr).toContain('Days were read for 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1,990 more.');
  });
});
