import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { startRun } from '../../../src/store/runs/run-table.ts';
import { endSlice, insertSlices, unfinishedSlices } from '../../../src/store/runs/slice-table.ts';
import type { SliceState } from '../../../src/store/schema.ts';
import { openState } from '../../../src/store/sqlite/open-state.ts';
import { sample } from '../../support/effort.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A slice: the command that planned it, the days of November, what became of it, and what differs from the others. */
type Told = readonly [
  command: 'extract' | 'report',
  days: readonly [number, number] | undefined,
  state: SliceState,
  other?: { readonly customer?: string; readonly text?: string; readonly query?: string },
];

/** The days of the slices that are unfinished after these. */
async function unfinished(slices: readonly Told[]) {
  const { db, close } = await openState(join(tempDir(), 'state.sqlite'));
  onTestFinished(() => close());
  const day = (number: number) => civilDate(`2026-11-${String(number).padStart(2, '0')}`);
  for (const [command, days, state, { customer = '1', text = 't', query = 'stats' } = {}] of slices) {
    const runId = await startRun(db, {
      command,
      dryRun: false,
      target: 't',
      targetKind: 'sandbox',
      mode: 'apply',
      nowMs: 0,
    });
    const range = days && { from: day(days[0]), to: day(days[1]) };
    const about = { runId, query, queryText: text, customerId: customerId(customer), days: range, expected: true };
    const [slice] = await insertSlices(db, [about]);
    if (slice && state !== 'planned') await endSlice(db, slice.id, { state, startedMs: 0, endedMs: 0 });
  }
  const found = await unfinishedSlices(db, 'extract');
  return found.map(({ days }) => days && [Number(days.from.slice(8)), Number(days.to.slice(8))]);
}

describe('the unfinished slices of an extraction', () => {
  it.each(
    sample<[sentence: string, slices: readonly Told[], left: unknown[]]>([
      [
        'are those that were planned or failed',
        [
          ['extract', [1, 2], 'planned'],
          ['extract', [3, 4], 'failed'],
          ['extract', [5, 6], 'done'],
        ],
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [
        'are not those of a report, which reads its window anew',
        [
          ['report', [1, 2], 'planned'],
          ['report', [3, 4], 'failed'],
        ],
        [],
      ],
      [
        'are the halves of one that was cut, not itself',
        [
          ['extract', [1, 4], 'cut'],
          ['extract', [1, 2], 'done'],
          ['extract', [3, 4], 'failed'],
        ],
        [[3, 4]],
      ],
      [
        'are not those that were read since',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 5], 'done'],
        ],
        [],
      ],
      [
        'are not those that were read by a report since',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'done'],
        ],
        [],
      ],
      [
        'are still those that a later extraction planned and did not read: that one',
        [
          ['extract', [1, 2], 'planned'],
          ['extract', [1, 5], 'planned'],
        ],
        [[1, 5]],
      ],
      [
        'are still those that a report failed to read since',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'failed'],
        ],
        [[1, 2]],
      ],
      [
        'are still those that a report had planned and did not reach',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'planned'],
        ],
        [[1, 2]],
      ],
      [
        'are still those of which a part was read since',
        [
          ['extract', [1, 5], 'failed'],
          ['extract', [1, 2], 'done'],
        ],
        [[1, 5]],
      ],
      ['are not those whose resource the service does not have', [['extract', [1, 2], 'not_offered']], []],
      [
        'of a query without days are not those read since',
        [
          ['extract', undefined, 'failed'],
          ['report', undefined, 'done'],
        ],
        [],
      ],
      ['of a query without days', [['extract', undefined, 'failed']], [undefined]],
      [
        'are of their account',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 2], 'done', { customer: '2' }],
        ],
        [[1, 2]],
      ],
      [
        'are of their query',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 2], 'done', { query: 'others' }],
        ],
        [[1, 2]],
      ],
      [
        'are of what the query asks',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 2], 'done', { text: 'more' }],
        ],
        [[1, 2]],
      ],
    ]),
  )('%s', async (_, slices, left) => {
    expect(await unfinished(slices)).toEqual(left);
  });
});
