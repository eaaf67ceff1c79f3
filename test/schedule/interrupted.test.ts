import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteRunOfTick } from '../../src/engine/schedule/note-run-of-tick.ts';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import { openScheduleFile } from '../../src/engine/schedule/schedule-file.ts';
import { noteRun } from '../../src/engine/schedule/tick-table.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';
import {
  DELIVER,
  HOURLY,
  knownWorld,
  names,
  REPORT,
  reasons,
  type ScheduleWorld,
  scheduleWorld,
  settle,
} from './schedule-world.ts';

const LATER: PlannedJob = { ...HOURLY, name: 'later', job: 'publish' };

it('a job that cannot start fails with the reason, and the next one begins', async () => {
  const made = scheduleWorld('2026-11-20T04:10:00Z', [REPORT], {
    start: () => {
      throw new Error('spawn E2BIG');
    },
  });
  await made.daemon.pass();
  await made.at('2026-11-20T05:30:00Z');
  expect(made.ticks()).toEqual(['report 11-20 05:30 failed']);
  expect(reasons(made)).toEqual(['start failed: spawn E2BIG']);
  expect(made.ended).toMatchObject([{ state: 'failed', exitCode: null }]);
  await made.at('2026-11-21T05:30:00Z');
  expect(made.ticks()).toContain('report 11-21 05:30 failed');
});

describe('a job that waits while the settings change', () => {
  it('starts with the new settings', async () => {
    const made = await knownWorld([HOURLY, LATER]);
    await made.at('2026-11-20T05:00:00Z');
    const changed = { ...LATER, options: { to: 'csv' } };
    made.jobs = [HOURLY, changed];
    await made.going[0]?.end(0);
    expect(made.going[0]?.job).toBe(changed);
  });

  it.each([
    ['is missed if the job is gone', [HOURLY], 'the job is no longer in the settings'],
    ['is missed if its times changed', [HOURLY, { ...LATER, cron: '5 * * * *' }], 'the schedule of the job changed'],
    [
      'is missed if its zone changed',
      [HOURLY, { ...LATER, timeZone: 'Asia/Kolkata' }],
      'the schedule of the job changed',
    ],
  ])('%s', async (_, jobs, reason) => {
    for (const isSeenByPass of [true, false]) {
      const made = await knownWorld([HOURLY, LATER]);
      await made.at('2026-11-20T05:00:00Z');
      made.jobs = jobs;
      if (isSeenByPass) await made.at('2026-11-20T05:01:00Z');
      await made.going[0]?.end(0);
      expect(made.ticks()).toEqual(['hourly 11-20 05:00 done', 'later 11-20 05:00 missed']);
      expect([reasons(made)[1], names(made)]).toEqual([reason, []]);
      expect(made.told.filter((line) => line === 'later missed 1')).toHaveLength(1);
    }
  });

  it('does not run when its name returns in a month', async () => {
    const made = await knownWorld([HOURLY, LATER]);
    await made.at('2026-11-20T05:00:00Z');
    made.kill();
    made.jobs = [];
    made.restart();
    await made.at('2026-11-20T05:30:00Z');
    made.jobs = [HOURLY, LATER];
    await made.at('2026-12-20T05:30:00Z');
    expect([names(made), made.ticks()]).toEqual([[], ['hourly 11-20 05:00 died', 'later 11-20 05:00 missed']]);
  });
});

describe('a job that outlives its daemon', () => {
  const orphaned = async (): Promise<ScheduleWorld> => {
    const made = await knownWorld([HOURLY, LATER, DELIVER]);
    await made.at('2026-11-20T05:00:00Z');
    await made.going[1]?.end(0);
    made.restart();
    await made.at('2026-11-20T05:01:00Z');
    return made;
  };
  const endHourly = async (made: ScheduleWorld, at: string): Promise<void> => {
    await made.going.find(({ name }) => name === 'hourly')?.end(0);
    await made.at(at);
  };

  it('is waited for and not started again, and later jobs keep waiting', async () => {
    const made = await orphaned();
    await made.at('2026-11-20T05:02:00Z');
    expect(names(made)).toEqual(['hourly']);
    expect(made.told.filter((line) => line === 'hourly still runs')).toHaveLength(1);
    await made.at('2026-11-20T06:00:00Z');
    expect(made.ticks()).toEqual(
      expect.arrayContaining(['hourly 11-20 05:00 running', 'hourly 11-20 06:00 missed', 'later 11-20 05:00 waiting']),
    );
  });

  it('is done when its run says so', async () => {
    const made = await orphaned();
    const tickId = made.going[0]?.tickId ?? 0;
    noteRun(made.file, tickId, 1, 7);
    made.runs.set(7, { id: 7, isDone: true, isPartial: false, counts: {} });
    await endHourly(made, '2026-11-20T05:03:00Z');
    expect(made.ticks()).toContain('hourly 11-20 05:00 done');
    expect([names(made), made.ended.at(-1)?.run?.id]).toEqual([['later'], 7]);
  });

  it('is marked as died if its run did not finish, and runs again', async () => {
    const made = await orphaned();
    await endHourly(made, '2026-11-20T05:03:00Z');
    // Before what waited behind it, as the settings have it so.
    expect(names(made)).toEqual(['hourly']);
    expect(made.file.prepare("SELECT attempts, reason FROM tick WHERE job = 'hourly'").get()).toEqual({
      attempts: 2,
      reason: 'its process died, so it runs again',
    });
  });

  it('is left alone by a daemon that ends', async () => {
    const made = await orphaned();
    await made.daemon.stop();
    expect([made.going[0]?.signals, made.ticks()[0]]).toEqual([[], 'hourly 11-20 05:00 running']);
  });
});

describe('an interrupted job', () => {
  it('does not run again if its run finished but the end was not recorded', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    noteRun(made.file, made.going[0]?.tickId ?? 0, 1, 3);
    made.runs.set(3, { id: 3, isDone: true, isPartial: false, counts: {} });
    made.file.exec("CREATE TRIGGER full BEFORE UPDATE ON tick BEGIN SELECT raise(ABORT, 'the disk is full'); END");
    const stopped = made.daemon.stop();
    await made.going[0]?.end(0);
    await stopped;
    made.file.exec('DROP TRIGGER full');
    made.restart();
    await made.at('2026-11-20T05:01:00Z');
    expect([names(made), made.ticks()]).toEqual([[], ['hourly 11-20 05:00 done']]);
  });

  it.each(['stopped', 'died'] as const)('(%s) is kept by a daemon that ends before its first pass', async (how) => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    const stopped = how === 'stopped' ? made.daemon.stop() : made.kill();
    await settle();
    await made.going[0]?.end(1);
    await stopped;
    made.restart();
    made.restart();
    await made.at('2026-11-20T05:20:00Z');
    expect(names(made)).toEqual(['hourly']);
  });

  it('runs again if a newer due time was missed', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    made.kill();
    made.isMissing = () => false;
    made.restart();
    await made.at('2026-11-20T06:30:00Z');
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 running', 'hourly 11-20 06:00 missed']);
  });

  it('is decided once', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    made.kill();
    made.restart();
    await made.at('2026-11-20T06:00:00Z');
    await made.going[0]?.end(0);
    made.restart();
    await made.at('2026-11-20T06:01:00Z');
    expect([names(made), made.ticks()]).toEqual([[], ['hourly 11-20 05:00 died', 'hourly 11-20 06:00 done']]);
  });
});

it('a daemon ends if its file was deleted, because another daemon may schedule there', async () => {
  const folder = join(tempDir(), 'data');
  const made = scheduleWorld('2026-11-20T04:10:00Z', [HOURLY], {}, openScheduleFile(join(folder, 'schedule.sqlite')));
  await made.daemon.pass();
  rmSync(folder, { recursive: true });
  await made.at('2026-11-20T05:00:00Z');
  expect(await made.daemon.lost).toBe('moved');
  await made.daemon.stop();
  expect([names(made), made.told]).toEqual([[], []]);
  made.file.close();
});

it('a run records its due time under the lease that started it', async () => {
  const folder = tempDir();
  const dataDir = join(folder, 'data');
  noteRunOfTick(dataDir, '1.1', 1n);
  const file = openScheduleFile(join(dataDir, 'schedule.sqlite'));
  const made = scheduleWorld('2026-11-20T05:29:00Z', [REPORT], {}, file);
  await made.daemon.pass();
  await made.at('2026-11-20T05:30:00Z');
  const runId = () => file.prepare('SELECT run_id FROM tick').pluck().get();
  for (const tick of ['1.2', '2.1', 'x', '']) noteRunOfTick(dataDir, tick, 9n);
  expect(runId()).toBeNull();
  mkdirSync(join(folder, 'rules'));
  writeFolder(folder, 'queries', TRIM_QUERIES);
  const { code } = await runInProcess(['report', '--no-extract'], { folder, env: { PACEKEEPER_TICK: '1.1' } });
  expect([code, runId()]).toEqual([0, 1]);
  made.runs.set(1, { id: 1, isDone: true, isPartial: false, counts: {} });
  await made.going[0]?.end(0);
  expect(made.ended.at(-1)?.run?.id).toBe(1);
  file.close();
});
