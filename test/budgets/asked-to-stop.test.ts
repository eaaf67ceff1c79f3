import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/engine/budgets/budget-deps.ts';
import { applyIntents } from '../../src/engine/budgets/carry-out.ts';
import { sample } from '../support/effort.ts';
import { type ChangingSandbox, CUSTOMER, changingSandbox, sendPath } from './send-path.ts';

let sandbox: ChangingSandbox;
beforeAll(async () => {
  sandbox = await changingSandbox();
});
afterAll(() => sandbox.sandbox.close());

/** Applies two changes, each a request of its own, and asks to stop where the first passes `at`. */
async function stoppedAt(at: CrashPoint) {
  const path = await sendPath({ sandbox });
  path.operationsMax = 1;
  const asked = new AbortController();
  const intents = await path.plan(2);
  const before = path.amounts();
  path.passes = (point) => {
    if (point === at) asked.abort();
  };
  const applied = await applyIntents({ ...path.deps, stop: asked.signal }, CUSTOMER, intents, path.today);
  path.passes = () => undefined;
  return { path, before, applied: [...applied.values()] };
}

describe('a run that is asked to stop', () => {
  it.each(
    sample<[CrashPoint]>([
      ['validate:before-send'],
      ['validate:after-answer'],
      ['validated:before-commit'],
      ['validated:after-commit'],
    ]),
  )('sends no change if stopped at %s, and leaves both planned', async (point) => {
    const { path, before, applied } = await stoppedAt(point);
    expect(applied.map(({ state }) => state)).toEqual(['planned', 'planned']);
    expect(await path.states()).toEqual(['planned', 'planned']);
    expect([path.sends(), path.amounts()]).toEqual([[], before]);
    const [first] = await path.intents();
    expect(first).toMatchObject({ code: 'STOPPED', outcome: 'The run was asked to stop before the request was sent.' });
  });

  it.each(sample<[CrashPoint]>([['sending:before-commit'], ['sending:after-commit']]))(
    'sends no change if stopped at %s, and ends the one that was to be sent',
    async (point) => {
      const { path, before, applied } = await stoppedAt(point);
      expect(applied.map(({ state }) => state)).toEqual(['expired', 'planned']);
      expect(await path.states()).toEqual(['expired', 'planned']);
      expect([path.sends(), path.amounts()]).toEqual([[], before]);
    },
  );

  it.each(
    sample<[CrashPoint]>([
      ['mutate:before-send'],
      ['mutate:after-answer'],
      ['answer:before-commit'],
      ['answer:after-commit'],
    ]),
  )('completes and records the change under way if stopped at %s, and starts no other', async (point) => {
    const { path, before, applied } = await stoppedAt(point);
    expect(applied.map(({ state }) => state)).toEqual(['applied', 'planned']);
    expect(await path.states()).toEqual(['applied', 'planned']);
    expect(path.sends()).toHaveLength(1);
    expect(path.amounts().map((amount, index) => (before[index] ?? 0n) - amount)).toEqual([
      10_000_000n,
      ...before.slice(1).map(() => 0n),
    ]);
    // Another day's numbers decide anew.
    expect((await path.settle()).map(({ state }) => state)).toEqual(['expired']);
    expect(path.sends()).toHaveLength(1);
  });

  it('leaves an earlier change in doubt unchanged', async () => {
    const path = await sendPath({ sandbox });
    path.fault = ({ kind, validateOnly }) => (kind === 'mutate' && !validateOnly ? { kind: 'reset_after' } : undefined);
    const intents = await path.plan(1);
    await path.apply(intents);
    path.fault = undefined;
    const open = await path.intents();
    const stop = AbortSignal.abort();
    const ends = await applyIntents({ ...path.deps, stop }, CUSTOMER, open, path.today);
    expect([...ends.values()].map(({ state }) => state)).toEqual(['unknown']);
    expect(path.sends()).toHaveLength(1);
    expect((await path.settle()).map(({ state }) => state)).toEqual(['confirmed']);
  });
});
