import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/commands/cli/open-log.ts';
import { liveProgress, progressLines } from '../../../src/commands/cli/progress.ts';
import type { Progress } from '../../../src/domain/ports.ts';
import { toldLog } from '../../support/told-log.ts';

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
  at(2000);
  progress.rows(21_363);
  at(4000);
  progress.slices(1);
}

describe('progress on a pipe', () => {
  it('prints a line at most every five seconds, with rows, rate and remaining time', () => {
    const { elapsedMs, at } = time();
    const lines: string[] = [];
    const progress = progressLines(toldLog({ info: (line) => lines.push(line) }), elapsedMs);
    readSome(progress, at);
    expect(lines).toEqual([]);
    at(5000);
    progress.rows(637);
    at(9999);
    progress.rows(8000);
    at(10_000);
    progress.accountEnds();
    expect(lines).toEqual([
      'Reading: 0 of 3 accounts, 1 of 4 slices, about 15 s left, 22,000 rows, 4,400 rows/s',
      'Reading: 1 of 3 accounts, 1 of 4 slices, about 30 s left, 30,000 rows, 3,000 rows/s',
    ]);
  });

  it('counts a split slice as one more, and sums up each reading at its end', () => {
    const { elapsedMs, at } = time();
    const lines: string[] = [];
    const progress = progressLines(toldLog({ info: (line) => lines.push(line) }), elapsedMs);
    progress.begin({ accounts: 1, slices: 1 });
    progress.slices(-1);
    at(6000);
    progress.slices(1);
    at(7000);
    progress.slices(1);
    progress.accountEnds();
    progress.end();
    progress.begin({ accounts: 1, slices: 1 });
    progress.end();
    expect(lines).toEqual([
      'Reading: 0 of 1 account, 1 of 2 slices, about 6 s left, 0 rows, 0 rows/s',
      'Read: 1 of 1 account, 2 of 2 slices, 0 rows in 7 s',
      'Read: 0 of 1 account, 0 of 1 slice, 0 rows in 0 s',
    ]);
  });

  it.each([
    [false, ['Read: 0 of 3 accounts, 1 of 4 slices, 21,363 rows in 9 s']],
    [
      true,
      [
        'Reading: 0 of 3 accounts, 1 of 4 slices, about 27 s left, 21,363 rows, 2,374 rows/s',
        'Read: 0 of 3 accounts, 1 of 4 slices, 21,363 rows in 9 s',
      ],
    ],
  ])('is one short line, unless the log is full (%s)', (isFull, expected) => {
    const { elapsedMs, at } = time();
    let written = '';
    const write = (text: string) => {
      written += text;
    };
    const stderr = { write };
    const log = createLog({ stdout: stderr, stderr, noColor: true }, (text) => text, isFull);
    const progress = progressLines(log, elapsedMs);
    readSome(progress, at);
    at(9000);
    progress.rows(0);
    progress.end();
    expect(written.trimEnd().split('\n')).toEqual(expected);
  });
});

describe('progress on a terminal', () => {
  it('shows one line, no wider than the terminal, and clears it at the end', async () => {
    const { elapsedMs, at } = time();
    const { progress, lines, written } = await terminal(60, elapsedMs);
    readSome(progress, at);
    expect(lines()).toContain('Reading: 0 of 3 accounts, 1 of 4 slices, about 12 s left,…');
    expect(Math.max(...lines().map((line) => line.length))).toBeLessThan(60);
    progress.end();
    const atEnd = written().length;
    progress.rows(1);
    expect(written()).toHaveLength(atEnd);
    expect(written()).toContain('\u001b[2K');
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
