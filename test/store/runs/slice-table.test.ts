import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { endSlice, insertSlices, unfinishedSlices } from '../../../src/storage/records/runs/slice-table.ts';
import type { SliceState } from '../../../src/storage/records/schema.ts';
import { beginRun, freshStore } from '../../support/state.ts';

const NOT_READ = { startedMs: 0, endedMs: 0 };
const day = (number: string) => civilDate(`2026-11-${number.padStart(2, '0')}`);
const daysOf = (text: string) => {
  const [from = '', to = ''] = text.split('-');
  return text === 'all' ? undefined : { from: day(from), to: day(to) };
};

/**
 * The days of November of the slices that are unfinished after these, such as `extract 1-2 failed`: the command that planned
 * one, its days, what became of it, and its account, query or text if it is another one.
 */
async function unfinished(slices: string, again?: SliceState): Promise<string> {
  const { db } = await freshStore();
  for (const [command = '', days = '', state, other = ''] of slices.split(', ').map((text) => text.split(' '))) {
    const { customer = '1', query = 'stats', text = 't' } = Object.fromEntries(new URLSearchParams(other));
    const runId = await beginRun(db, { command });
    const about = { runId, query, queryText: text, customerId: customerId(customer), expected: true };
    const [slice] = await insertSlices(db, [{ ...about, days: daysOf(days) }]);
    for (const end of [state as SliceState, again]) {
      if (slice && end && end !== 'planned') await endSlice(db, slice.id, { state: end, ...NOT_READ });
    }
  }
  const found = await unfinishedSlices(db, 'extract');
  const words = found.map(({ days }) => (days ? `${Number(days.from.slice(8))}-${Number(days.to.slice(8))}` : 'all'));
  return words.join(', ');
}

describe('the unfinished slices of an extraction', () => {
  it('exclude one that is done, even if another process then fails to read it', async () => {
    expect(await unfinished('extract 1-2 done', 'failed')).toBe('');
    expect(await unfinished('extract 1-2 failed', 'done')).toBe('');
  });

  it.each<[sentence: string, slices: string, left: string]>([
    ['are the planned and failed ones', 'extract 1-2 planned, extract 3-4 failed, extract 5-6 done', '1-2, 3-4'],
    ['exclude a report’s, because it reads its window again', 'report 1-2 planned, report 3-4 failed', ''],
    ['are the halves of a split slice, not the slice', 'extract 1-4 cut, extract 1-2 done, extract 3-4 failed', '3-4'],
    ['exclude slices read since', 'extract 1-2 failed, extract 1-5 done', ''],
    ['exclude slices that a report read since', 'extract 1-2 failed, report 1-5 done', ''],
    [
      'include those that a later extraction planned but did not read',
      'extract 1-2 planned, extract 1-5 planned',
      '1-5',
    ],
    ['include those that a report failed to read since', 'extract 1-2 failed, report 1-5 failed', '1-2'],
    ['include those that a report planned but did not reach', 'extract 1-2 failed, report 1-5 planned', '1-2'],
    ['include partly read ones', 'extract 1-5 failed, extract 1-2 done', '1-5'],
    ['exclude resources that the service lacks', 'extract 1-2 not_offered', ''],
    ['of a query without days exclude slices read since', 'extract all failed, report all done', ''],
    ['include those of a query without days', 'extract all failed', 'all'],
    ['belong to one account', 'extract 1-2 failed, extract 1-2 done customer=2', '1-2'],
    ['belong to one query', 'extract 1-2 failed, extract 1-2 done query=others', '1-2'],
    ['belong to one query fingerprint', 'extract 1-2 failed, extract 1-2 done text=more', '1-2'],
  ])('%s', async (_, slices, left) => {
    expect(await unfinished(slices)).toBe(left);
  });
});
