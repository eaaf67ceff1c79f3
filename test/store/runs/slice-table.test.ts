import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { endSlice, insertSlices, unfinishedSlices } from '../../../src/storage/records/runs/slice-table.ts';
import type { SliceState } from '../../../src/storage/records/schema.ts';
import { sample } from '../../support/effort.ts';
import { beginRun, freshStore } from '../../support/state.ts';

/** A slice: the command that planned it, the days of November, what became of it, and what differs from the others. */
type Told = readonly [
  command: 'extract' | 'report',
  days: readonly [number, number] | undefined,
  state: SliceState,
  other?: { readonly customer?: string; readonly text?: string; readonly query?: string },
];

const NOT_READ = { startedMs: 0, endedMs: 0 };

/** The days of the slices that are unfinished after these. */
async function unfinished(slices: readonly Told[], again?: SliceState) {
  const { db } = await freshStore();
  const day = (number: number) => civilDate(`2026-11-${String(number).padStart(2, '0')}`);
  for (const [command, days, state, { customer = '1', text = 't', query = 'stats' } = {}] of slices) {
    const runId = await beginRun(db, { command });
    const range = days && { from: day(days[0]), to: day(days[1]) };
    const about = { runId, query, queryText: text, customerId: customerId(customer), days: range, expected: true };
    const [slice] = await insertSlices(db, [about]);
    if (slice && state !== 'planned') await endSlice(db, slice.id, { state, ...NOT_READ });
    if (slice && again && again !== 'planned') await endSlice(db, slice.id, { state: again, ...NOT_READ });
  }
  const found = await unfinishedSlices(db, 'extract');
  return found.map(({ days }) => days && [Number(days.from.slice(8)), Number(days.to.slice(8))]);
}

describe('the unfinished slices of an extraction', () => {
  it('exclude one that is done, even if another process then fails to read it', async () => {
    expect(await unfinished([['extract', [1, 2], 'done']], 'failed')).toEqual([]);
    expect(await unfinished([['extract', [1, 2], 'failed']], 'done')).toEqual([]);
  });

  it.each(
    sample<[sentence: string, slices: readonly Told[], left: unknown[]]>([
      [
        'are the planned and failed ones',
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
        'exclude a report’s, because it reads its window again',
        [
          ['report', [1, 2], 'planned'],
          ['report', [3, 4], 'failed'],
        ],
        [],
      ],
      [
        'are the halves of a split slice, not the slice',
        [
          ['extract', [1, 4], 'cut'],
          ['extract', [1, 2], 'done'],
          ['extract', [3, 4], 'failed'],
        ],
        [[3, 4]],
      ],
      [
        'exclude slices read since',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 5], 'done'],
        ],
        [],
      ],
      [
        'exclude slices that a report read since',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'done'],
        ],
        [],
      ],
      [
        'include those that a later extraction planned but did not read',
        [
          ['extract', [1, 2], 'planned'],
          ['extract', [1, 5], 'planned'],
        ],
        [[1, 5]],
      ],
      [
        'include those that a report failed to read since',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'failed'],
        ],
        [[1, 2]],
      ],
      [
        'include those that a report planned but did not reach',
        [
          ['extract', [1, 2], 'failed'],
          ['report', [1, 5], 'planned'],
        ],
        [[1, 2]],
      ],
      [
        'include partly read ones',
        [
          ['extract', [1, 5], 'failed'],
          ['extract', [1, 2], 'done'],
        ],
        [[1, 5]],
      ],
      ['exclude resources that the service lacks', [['extract', [1, 2], 'not_offered']], []],
      [
        'of a query without days exclude slices read since',
        [
          ['extract', undefined, 'failed'],
          ['report', undefined, 'done'],
        ],
        [],
      ],
      ['include those of a query without days', [['extract', undefined, 'failed']], [undefined]],
      [
        'belong to one account',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 2], 'done', { customer: '2' }],
        ],
        [[1, 2]],
      ],
      [
        'belong to one query',
        [
          ['extract', [1, 2], 'failed'],
          ['extract', [1, 2], 'done', { query: 'others' }],
        ],
        [[1, 2]],
      ],
      [
        'belong to one query fingerprint',
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
