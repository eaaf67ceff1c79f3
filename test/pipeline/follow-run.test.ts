import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { BusyError } from '../../src/domain/errors.ts';
import { engineOf } from '../../src/engine/folder/engine.ts';
import { takeFolder } from '../../src/engine/folder/take-folder.ts';
import { followRun } from '../../src/engine/follow-run.ts';
import { endRun, type RunEnd, startRun } from '../../src/storage/records/runs/run-table.ts';
import { fakeClock, fakePauses } from '../support/fake-time.ts';
import { folderStore } from '../support/folder-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { toldLog } from '../support/told-log.ts';
import { NOON } from '../support/world.ts';

const NOTHING = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0 };

/** A process that waits for the run of another one, whose steps the test takes at the pauses. */
async function waiting(holder = 'pacekeeper report', stop = new AbortController().signal) {
  const dataDir = tempDir();
  const store = await folderStore(dataDir);
  await store.putTables();
  const release = await store.hold(holder);
  onTestFinished(() => void release());
  const settings = await readSettings(tempDir(), { dataDir }, store.env);
  const engine = await engineOf(settings);
  const records = await engine.open();
  onTestFinished(() => records.close());
  const told: string[] = [];
  const log = toldLog({ info: (line) => told.push(line), warn: (line) => told.push(line) });
  const pauses = fakePauses();
  return {
    told,
    pauses: pauses.taken,
    release,
    start: (startedAt = NOON) =>
      startRun(records.db, {
        command: 'report',
        target: 'x',
        targetKind: 'sandbox',
        mode: 'apply',
        dryRun: false,
        nowMs: Date.parse(startedAt),
      }),
    end: (id: bigint, state: RunEnd['state'], failures: readonly string[] = []) =>
      endRun(records.db, id, { ...NOTHING, state, failures, nowMs: Date.parse(NOON) }),
    async follow(...steps: readonly (() => unknown)[]) {
      const deps = {
        log,
        stop,
        clock: fakeClock(NOON),
        pauses: {
          ...pauses,
          async pause(milliseconds: number) {
            await pauses.pause(milliseconds);
            await (steps[pauses.taken.length - 1] ?? expect.fail('It waits for nothing.'))();
          },
        },
      };
      const asked = { ...deps, followsRun: true, waitMs: 4000 };
      const busy = await takeFolder(engine, asked, 'pacekeeper report').catch((error) => error);
      if (!(busy instanceof BusyError)) throw new Error('Expected the lock to be held.', { cause: busy });
      return followRun({ ...deps, settings }, busy);
    },
  };
}

const FOLLOWING = expect.stringMatching(
  /^Following run 1 \(pacekeeper report, process \d+ on .+, since 2026-11-20 12:00 UTC\) instead of starting another\.$/,
);

describe('a command that follows the run of another process', () => {
  it('waits until the run lock is released, because a run can fail after its record says done', async () => {
    const { start, end, follow, release, told, pauses } = await waiting();
    const id = await start();
    expect(await follow(() => end(id, 'done'), release)).toBe(0);
    expect([told, pauses]).toEqual([[FOLLOWING], [2000, 2000]]);
  });

  it.each<RunEnd['state']>(['failed', 'stopped', 'refused'])('ends with 1 if the run is %s', async (state) => {
    const { start, end, follow, release, told } = await waiting();
    await end(await start(), state, ['HTTP 403']);
    expect(await follow(release)).toBe(1);
    expect(told).toEqual([FOLLOWING, `Run 1 ${state}. To see the last runs, run pacekeeper status.`]);
  });

  it('ends with 1 if the process of the run dies', async () => {
    const { start, follow, release, told } = await waiting();
    await start();
    expect(await follow(release)).toBe(1);
    expect(told[1]).toBe(
      'Run 1 died: its process ended before the run was complete. To see the last runs, run pacekeeper status.',
    );
  });

  it('takes no earlier run for the one that is on', async () => {
    const { start, end, follow, release, told } = await waiting();
    await start('2026-11-20T11:00:00Z');
    let id = 0n;
    const begin = async () => {
      id = await start();
    };
    expect(await follow(begin, () => end(id, 'done'), release)).toBe(0);
    expect(told).toEqual([expect.stringMatching(/^Following run 2 /)]);
  });

  it('starts a run of its own if the other one ended before it was recorded', async () => {
    const { follow, release, told } = await waiting();
    expect([await follow(release), told]).toEqual([undefined, []]);
  });

  it('stops waiting if it is asked to stop', async () => {
    const asked = new AbortController();
    const { start, follow } = await waiting('pacekeeper extract', asked.signal);
    await start();
    await expect(follow(() => asked.abort())).rejects.toThrow(' is in use by pacekeeper extract, process ');
  });

  it('waits like any command if no run holds the lock, and follows nothing', async () => {
    const { follow, pauses } = await waiting('pacekeeper publish');
    const step = () => undefined;
    await expect(follow(step, step)).rejects.toThrow(' is in use by pacekeeper publish, process ');
    expect(pauses).toEqual([2000, 2000]);
  });
});
