import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobArgs } from '../../src/commands/schedule/run-schedule.ts';
import type { ScheduledJob } from '../../src/config/settings.ts';
import { customerId } from '../../src/domain/ids.ts';
import { readSchedule } from '../../src/engine/schedule/read-schedule.ts';
import { acquireRunLock } from '../../src/storage/records/sqlite/run-lock.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { NO_OPTIONS } from '../support/no-options.ts';
import { tempDir } from '../support/temp-dir.ts';
import { MORNING, scheduleInProcess, writeConfig } from './schedule-in-process.ts';
import { settle } from './schedule-world.ts';

/** A folder whose schedule was seen before its job is due. */
async function morningFolder(config = MORNING): Promise<string> {
  const folder = tempDir();
  writeConfig(folder, config);
  expect(await scheduleInProcess(folder, '2026-11-20T05:29:00Z', { once: true }).ended).toBe(0);
  return folder;
}

describe('pacekeeper schedule', () => {
  it('refuses settings without a schedule, and shows an example', async () => {
    const { code, stderr, stdout } = await runInProcess(['schedule'], { env: { PACEKEEPER_LOG: 'text' } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('so no job is ever due.');
    expect(stderr).toContain('    cron: "30 5 * * *"\n');
  });

  it('refuses an impossible schedule, names every place, and changes nothing', async () => {
    const folder = tempDir();
    writeConfig(
      folder,
      'schedule:\n  - { name: a, cron: "0 0 30 2 *", job: report }\n  - { name: a, cron: "0 5 * *", job: deliver }\n',
    );
    const { code, stderr } = await runInProcess(['schedule'], { folder });
    expect(code).toBe(2);
    // A program reads what it writes elsewhere than on a terminal.
    const { level, msg } = JSON.parse(stderr);
    expect(level).toBe('error');
    for (const place of ['schedule[0].cron never occurs', 'schedule[1].cron has 4 fields', 'schedule[1].name is "a"']) {
      expect(msg).toContain(place);
    }
    expect(readSchedule(join(folder, 'data'))).toBeUndefined();
  });

  it('reports readiness and the next job in one line, and does not block other runs', async () => {
    const folder = tempDir();
    writeConfig(folder, MORNING);
    const run = scheduleInProcess(folder, '2026-11-20T05:29:00Z');
    await run.ready();
    const job = { name: 'morning', job: 'report', cron: '30 5 * * *', time_zone: 'UTC', next: '2026-11-20T05:30:00Z' };
    expect(JSON.parse(run.stdout())).toEqual({ ready: true, pid: process.pid, jobs: [job] });
    const lock = acquireRunLock(join(folder, 'data'), 'pacekeeper report', '2026-11-20T05:29:00Z');
    expect(lock.kind).toBe('acquired');
    if (lock.kind === 'acquired') lock.release();
    run.stop();
    expect(await run.ended).toBe(0);
  });

  it('runs in one process: the second names the first and exits with 1', async () => {
    const folder = tempDir();
    writeConfig(folder, MORNING);
    const first = scheduleInProcess(folder, '2026-11-20T05:29:00Z');
    await first.ready();
    for (const once of [true, false]) {
      const second = scheduleInProcess(folder, '2026-11-20T05:29:30Z', { once });
      expect(await second.ended).toBe(1);
      expect(second.stdout()).toBe('');
      expect(second.stderr()).toMatch(
        /^error: The schedule of .*data is already run by pacekeeper schedule, process \d+ on .+, since 2026-11-20 05:29 UTC\.\nnext step: Stop that process first/,
      );
    }
    first.stop();
    await first.ended;
    const third = scheduleInProcess(folder, '2026-11-20T05:29:40Z', { once: true });
    expect(await third.ended).toBe(0);
  });

  it("starts a job as a separate command, at the program's own time", async () => {
    const folder = await morningFolder();
    const run = scheduleInProcess(folder, '2026-11-20T05:30:05Z');
    await run.started(1);
    expect(run.jobs[0]?.args).toEqual(['report', '--wait', '30m']);
    expect(run.jobs[0]?.env).toMatchObject({ PACEKEEPER_LOG: 'text', PACEKEEPER_TICK: '1.2' });
    expect(run.jobs[0]?.env?.PACEKEEPER_NOW).toMatch(/^2026-11-20T05:30:0[5-9]/);
    run.jobs[0]?.end(0);
    await settle();
    run.stop();
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toMatch(
      /morning starts, due at 2026-11-20T05:30:00Z\.\n.*morning is done after \d+ s; next at 2026-11-21T05:30:00Z\.\n/,
    );
    expect(readSchedule(join(folder, 'data'))).toMatchObject({
      holder: undefined,
      jobs: [{ lastRun: { state: 'done' } }],
    });
  });

  it('asks a running job to end, records it as stopped and exits with 0', async () => {
    const folder = await morningFolder();
    const run = scheduleInProcess(folder, '2026-11-20T05:30:05Z');
    await run.started(1);
    run.stop();
    await settle();
    expect(run.jobs[0]?.signals).toEqual(['SIGTERM']);
    run.stop();
    expect(run.jobs[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    run.jobs[0]?.end(null);
    expect(await run.ended).toBe(0);
    expect(readSchedule(join(folder, 'data'))).toMatchObject({
      holder: undefined,
      jobs: [{ lastRun: { state: 'stopped' } }],
    });
  });
});

describe('pacekeeper schedule --once', () => {
  it.each([
    ['runs due jobs and exits with 0', 0, 0, 'done'],
    ['exits with 1 if a job failed', 2, 1, 'failed'],
  ])('%s', async (_, exitCode, code, state) => {
    const folder = await morningFolder();
    const run = scheduleInProcess(folder, '2026-11-20T05:31:00Z', { once: true, exitCode });
    expect(await run.ended).toBe(code);
    const ran = [{ name: 'morning', due_at: '2026-11-20T05:30:00Z', state, exit_code: exitCode }];
    expect(JSON.parse(run.stdout())).toMatchObject({ ran, jobs: [{ next: '2026-11-21T05:30:00Z' }] });
    const again = scheduleInProcess(folder, '2026-11-20T05:32:00Z', { once: true, exitCode });
    expect([await again.ended, again.jobs.length]).toEqual([0, 0]);
  });
});

it.each([true, false])('exits with 1 if its data folder is deleted (once: %s)', async (once) => {
  const folder = await morningFolder();
  const run = scheduleInProcess(folder, '2026-11-20T05:30:05Z', { once });
  await run.started(1);
  rmSync(join(folder, 'data'), { recursive: true });
  run.jobs[0]?.end(0);
  expect(await run.ended).toBe(1);
  expect(run.stderr()).toContain('The schedule file was deleted or moved');
});

describe('the command line of a job', () => {
  const args = (job: ScheduledJob['job'], options: Partial<ScheduledJob['options']> = {}) =>
    jobArgs({ job, options: { ...NO_OPTIONS, ...options } }, { dataDir: 'other' });

  it.each([
    ['a report', args('report'), 'report --data-dir other --wait 30m'],
    [
      'a report with all its options',
      args('report', { dryRun: true, noExtract: true, query: ['a', 'b'], customer: [customerId('1234567890')] }),
      'report --data-dir other --wait 30m --dry-run --no-extract --query a --query b --customer 1234567890',
    ],
    ['an extraction', args('extract', { resume: true }), 'extract --data-dir other --wait 30m --resume'],
    ['a publication', args('publish', { to: 'csv', dir: '-x' }), 'publish --data-dir other --wait 30m --to csv -- -x'],
    ['a delivery', args('deliver'), 'alerts deliver --data-dir other'],
  ])('of %s lists its options', (_, line, words) => {
    expect(line.join(' ')).toBe(words);
  });

  it.each(['report', 'extract', 'publish', 'deliver'] as const)('is accepted by %s', async (job) => {
    const folder = tempDir();
    const line = jobArgs({ job, options: NO_OPTIONS }, {});
    const { stdout, code } = await runInProcess([...line, '--help'], { folder });
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('Usage: pacekeeper')]);
  });
});
