import { expect, it } from 'vitest';
import { ASKED_TO_STOP, cameTo, NOT_SENT_BY_STOP } from '../../src/domain/stop.ts';
import { stateCounts } from '../../src/store/state-counts.ts';
import { freshState } from '../support/state.ts';

it('a run is counted as what every page calls it, one that was asked to stop too', async () => {
  const { db } = await freshState();
  const states = ['running', 'done', 'failed', 'refused', 'died'] as const;
  const errors = [undefined, 'The service was asked to stop.', `Left: ${ASKED_TO_STOP}.`, NOT_SENT_BY_STOP];
  const known = { target: 'sandbox', mode: 'apply', dryRun: 0n, startedAt: '2026-11-20T05:30:00Z' } as const;
  const runs = states
    .flatMap((state) => errors.map((error) => ({ ...known, state, error })))
    .map((run, index) => ({ ...run, command: `${index}` }));
  await db.insertInto('run').values(runs).execute();
  const counted = (await stateCounts(db, '2026-11-20T12:00:00Z')).runs;
  expect(new Map(counted.map(({ labels: [command, end] }) => [command, end]))).toEqual(
    new Map(runs.map(({ command, state, error }) => [command, cameTo(state, error)])),
  );
});
