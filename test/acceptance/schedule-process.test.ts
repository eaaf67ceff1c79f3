import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSchedule } from '../../src/schedule/read-schedule.ts';
import { writeConfig } from '../schedule/schedule-in-process.ts';
import { runCli } from '../support/run-cli.ts';
import { tempDir } from '../support/temp-dir.ts';

it('a schedule says when it is ready, keeps a second one out, and ends with 0 when it is asked to', async () => {
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
  expect((await second)?.stderr).toContain(`is kept by pacekeeper schedule, process ${pid} on `);
  expect(readSchedule(join(cwd, 'data'))).toMatchObject({ holder: undefined, jobs: [{ name: 'yearly' }] });
});

it('is the process itself that npm starts: a shell between them would keep SIGTERM to itself', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts.schedule).toBe('exec node dist/main.js schedule');
});
