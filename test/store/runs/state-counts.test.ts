import { expect, it } from 'vitest';
import { stateCounts } from '../../../src/storage/records/runs/state-counts.ts';
import { freshStore } from '../../support/state.ts';

it('counts runs by the states that pages show, including stop requests', async () => {
  const { db } = await freshStore();
  const states = ['running', 'done', 'stopped', 'failed', 'refused', 'died'] as const;
  const known = { target: 'sandbox', targetKind: 'sandbox', mode: 'apply', dryRun: 0n } as const;
  const runs = states.map((state) => ({
    ...known,
    command: `to be ${state}`,
    state,
    startedAt: '2026-11-20T05:30:00Z',
  }));
  await db.insertInto('run').values(runs).execute();
  const counted = (await stateCounts(db, '2026-11-20T12:00:00Z')).runs;
  expect(new Map(counted.map(({ labels: [command, end] }) => [command, end]))).toEqual(
    new Map(runs.map(({ command, state }) => [command, state])),
  );
});
