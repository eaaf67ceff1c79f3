import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSchedule } from '../../../src/engine/schedule/read-schedule.ts';
import { scheduleInProcess, writeConfig } from '../../schedule/schedule-in-process.ts';
import { PROGRAM, runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('a schedule reports that it is ready, blocks a second one, and exits with 0 on request', async () => {
  const cwd = tempDir();
  // Nothing of it is due while the test runs.
  writeConfig(cwd, 'schedule:\n  - { name: yearly, cron: "0 0 1 1 *", job: report }\n');
  let second: ReturnType<typeof runCli> | undefined;
  const first = await runCli(['schedule'], {
    cwd,
    onStart: (child) =>
      child.stdout?.once('data', async () => {
        second = runCli(['schedule'], { cwd });
        await second;
        child.kill('SIGTERM');
      }),
  });
  expect([first.code, first.stdout.split('\n').length]).toEqual([0, 2]);
  const { ready, pid, jobs } = JSON.parse(first.stdout);
  expect([ready, jobs.length]).toEqual([true, 1]);
  expect(await second).toMatchObject({ code: 1, stdout: '' });
  expect((await second)?.stderr).toContain(`is already run by pacekeeper schedule, process ${pid} on `);
  expect(readSchedule(join(cwd, 'data'))).toMatchObject({ holder: undefined, jobs: [{ name: 'yearly' }] });
});

// Not every system has a disk that is always full.
const FULL = existsSync('/dev/full') ? [['the disk is full', '/dev/full'] as const] : [];

it.each([['whoever read it is gone', undefined] as const, ...FULL])(
  'a schedule keeps its due times if its log cannot be written, because %s',
  async (_, log) => {
    const cwd = tempDir();
    writeConfig(cwd, 'schedule:\n  - { name: send, cron: "30 5 * * *", job: deliver }\n');
    expect(await scheduleInProcess(cwd, '2026-11-20T05:29:00Z', { once: true }).ended).toBe(0);
    const stderr = log === undefined ? 'pipe' : openSync(log, 'w');
    const child = spawn(process.execPath, [PROGRAM, 'schedule', '--once'], {
      cwd,
      env: { PATH: process.env.PATH ?? '', PACEKEEPER_NOW: '2026-11-20T05:31:00Z' },
      stdio: ['ignore', 'ignore', stderr],
    });
    child.stderr?.destroy();
    if (stderr !== 'pipe') closeSync(stderr);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(readSchedule(join(cwd, 'data'))).toMatchObject({ jobs: [{ lastRun: { state: 'done', exitCode: 0 } }] });
  },
);

it('the schedule is the process npm starts: a shell in between would keep SIGTERM', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts.schedule).toBe('exec node dist/main.js schedule');
});
