import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { liveProgress, progressLines } from '../../../src/commands/cli/progress.ts';
import { customerId } from '../../../src/domain/ids.ts';
import type { Progress } from '../../../src/domain/ports.ts';
import { toldLog } from '../../support/told-log.ts';

const ONE = customerId('4081725530');
const TWO = customerId('6193047821');

/** Elapsed milliseconds that a test sets. */
function time() {
  let nowMs = 0;
  const at = (milliseconds: number) => {
    nowMs = milliseconds;
  };
  return { elapsedMs: () => nowMs, at };
}

/** Everything that was written to a terminal of so many columns, and what stands there at the end, escapes left out. */
async function terminal(columns: number, elapsedMs: () => number) {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const stream = { write, isTTY: true, columns };
  const live = await liveProgress({ stdout: stream, stderr: stream, noColor: true }, elapsedMs);
  return {
    ...live,
    /** Without the sequences that move the cursor and erase. */
    lines: () => stripVTControlCharacters(written).split('\n'),
    written: () => written,
  };
}

function readSome(progress: Progress, at: (milliseconds: number) => void): void {
  progress.begin({ accounts: 3, slices: 4 });
  progress.account(ONE, 'Nordwind Outdoor', 2);
  at(2000);
  progress.rows(ONE, 'keyword_stats', 21_363, 4_000_000);
  at(4000);
  progress.slices(ONE, 1);
}

describe('progress on a pipe', () => {
  it('prints a line at most every five seconds, with rows, rate and remaining time', () => {
    const { elapsedMs, at } = time();
    const lines: string[] = [];
    const progress = progressLines(toldLog({ info: (line) => lines.push(line) }), elapsedMs);
    readSome(progress, at);
    expect(lines).toEqual([]);
    at(5000);
    progress.account(TWO, undefined, 1);
    progress.rows(TWO, 'keyword_stats', 637, 1000);
    at(9999);
    progress.rows(TWO, 'keyword_stats', 8000, 1000);
    at(10_000);
    progress.accountEnds(ONE);
    expect(lines).toEqual([
      'Reading: 0 of 3 accounts, 1 of 4 slices, about 15 s left, 21,363 rows, 4,273 rows/s',
      'Reading: 1 of 3 accounts, 1 of 4 slices, about 30 s left, 30,000 rows, 3,000 rows/s',
    ]);
  });

  it('counts a split slice as one more, and stays silent for a short reading', () => {
    const { elapsedMs, at } = time();
    const lines: string[] = [];
    const progress = progressLines(toldLog({ info: (line) => lines.push(line) }), elapsedMs);
    progress.begin({ accounts: 1, slices: 1 });
    progress.account(ONE, undefined, 1);
    progress.slices(ONE, -1);
    at(6000);
    progress.slices(ONE, 1);
    at(7000);
    progress.slices(ONE, 1);
    progress.accountEnds(ONE);
    progress.end();
    progress.begin({ accounts: 1, slices: 1 });
    progress.end();
    expect(lines).toEqual(['Reading: 0 of 1 account, 1 of 2 slices, about 6 s left, 0 rows, 0 rows/s']);
  });
});

describe('progress on a terminal', () => {
  it('shows a line per account being read and one for all, and clears them at the end', async () => {
    const { elapsedMs, at } = time();
    const { progress, lines, written } = await terminal(100, elapsedMs);
    readSome(progress, at);
    expect(lines()).toContain(
      '  Nordwind Outdoor (4081725530): 1 of 2 slices, 21,363 rows, 5,341 rows/s, keyword_stats',
    );
    expect(lines()).toContain('Reading: 0 of 3 accounts, 1 of 4 slices, about 12 s left, 21,363 rows, 5,341 rows/s');
    progress.end();
    const atEnd = written().length;
    progress.rows(ONE, 'keyword_stats', 1, 1);
    expect(written()).toHaveLength(atEnd);
    expect(written()).toContain('\u001b[2K');
  });

  it.each([20, 40, 60, 80])('is at most %i columns wide, with any account name', async (columns) => {
    const { elapsedMs, at } = time();
    const { progress, lines } = await terminal(columns, elapsedMs);
    progress.begin({ accounts: 20, slices: 2000 });
    for (let index = 0; index < 20; index++) {
      progress.account(customerId(`40817255${10 + index}`), '株式会社アウトドア 👩‍👩‍👧\n\u001b[31m '.repeat(4), 100);
    }
    at(60_000);
    progress.rows(customerId('4081725510'), 'keyword_stats', 123_456_789, 1);
    expect(Math.max(...lines().map((line) => stringWidth(line)))).toBeLessThan(columns);
    expect(lines().join('\n')).toContain(columns > 60 ? '株式会社' : '4081725510');
    expect(lines().join('\n')).toContain('and 8 accounts more'.slice(0, columns - 4));
  });

  it('keeps log lines above it', async () => {
    const { elapsedMs, at } = time();
    const { progress, output, lines } = await terminal(100, elapsedMs);
    readSome(progress, at);
    output.stderr.write('warning: something\n');
    expect(lines().filter((line) => line.includes('warning: something'))).toEqual(['warning: something']);
    expect(lines().at(-2)).toMatch(/^Reading: 0 of 3 accounts/);
  });
});
