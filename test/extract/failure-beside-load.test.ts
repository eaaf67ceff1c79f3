import { expect, it } from 'vitest';
import { ApiError } from '../../src/domain/errors.ts';
import { recordFailure } from '../../src/engine/read/extract-slice.ts';
import { besideLoads } from '../../src/storage/records/in-transaction.ts';
import { startRun } from '../../src/storage/records/runs/run-table.ts';
import { insertSlices } from '../../src/storage/records/runs/slice-table.ts';
import { freshStore } from '../support/both-engines.ts';
import { fakeClock } from '../support/fake-time.ts';
import { describePostgres, onDatabase } from '../support/postgres-server.ts';
import { CUSTOMER, days, STATS } from './loads.ts';

describePostgres('a failed slice', () => {
  it('is recorded while another process loads an account', async () => {
    const { db, url } = await freshStore();
    const other = await freshStore(url);
    const about = { command: 'extract', dryRun: false, target: 't', targetKind: 'sandbox', mode: 'apply' } as const;
    const runId = await startRun(db, { ...about, nowMs: 0 });
    const planned = { runId, query: 'stats', queryText: 't', customerId: CUSTOMER, days: days('2026-11-19') };
    const [slice] = await insertSlices(db, [{ ...planned, expected: true }]);
    if (slice === undefined) throw new Error('There is no slice.');
    await besideLoads(other.db, async () => {
      const calendar = { timeZone: 'UTC', closesAt: '03:00', settleDays: 3 };
      const read = { ...slice, query: STATS, text: undefined, holdsOn: undefined, calendar };
      const error = new ApiError('The service is away.', { status: '503', outcome: 'unknown', transient: true });
      await recordFailure(db, fakeClock('2026-11-20T12:00:00Z'), read, 0, error);
    });
    expect(await onDatabase(url, 'SELECT state FROM pacekeeper.slice')).toEqual([['failed']]);
  });
});
