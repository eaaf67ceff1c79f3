import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { openScheduleFile, schedulePath } from '../../src/engine/schedule/schedule-file.ts';
import { noteRun } from '../../src/engine/schedule/tick-table.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';
import { scheduleInProcess, writeConfig } from './schedule-in-process.ts';
import { HOURLY, scheduleWorld } from './schedule-world.ts';

/** The schedule of docs/go-live.md. */
const GO_LIVE = `automation: { mode: apply }
schedule:
  - { name: morning-report, cron: "30 5 * * *", time_zone: UTC, job: report }
  - { name: deliver, cron: "*/15 * * * *", time_zone: UTC, job: deliver }
`;

describe('the schedule of docs/go-live.md on a new folder', () => {
  let folder: string;
  const once = async (now: string) => {
    const run = scheduleInProcess(folder, now, { once: true, isReal: true });
    const code = await run.ended;
    const { ran } = JSON.parse(run.stdout()) as { ran: { name: string; state: string }[] };
    return { code, ran: ran.map(({ name, state }) => `${name} ${state}`) };
  };

  beforeEach(() => {
    folder = tempDir();
    writeConfig(folder, GO_LIVE);
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', TRIM_RULES);
  });

  it('delivers before the first report, then reads and changes budgets', async () => {
    expect(await once('2026-11-20T04:50:00Z')).toEqual({ code: 0, ran: [] });
    expect(await once('2026-11-20T05:00:00Z')).toEqual({ code: 0, ran: ['deliver done'] });
    expect(await once('2026-11-20T05:30:00Z')).toEqual({
      code: 0,
      ran: expect.arrayContaining(['deliver done', 'morning-report done']),
    });
    const { stdout } = await runInProcess(['budgets', 'history'], {
      folder,
      env: { PACEKEEPER_NOW: '2026-11-20T06:00:00Z' },
    });
    expect(stdout).toContain('B1');
  });
});

describe('the health check of the image', () => {
  const health = async (role: string, folder: string) => {
    const check = promisify(execFile)(process.execPath, ['docs/deploy/healthy.mjs', role, folder]);
    const { stderr } = await check.catch((error: { stderr: string }) => error);
    return stderr === '' ? undefined : stderr.split(' See ')[0];
  };

  it.each([
    ['refuses its input', 'report', { exitCode: 2 }, 'these jobs cannot run: hourly.'],
    ['cannot be started', 'deliver', { exitCode: null }, 'these jobs cannot run: hourly.'],
    ['ends before its run begins', 'extract', { exitCode: 1 }, 'these jobs cannot run: hourly.'],
    ['did not read every account', 'report', { exitCode: 1, runId: 1 }, undefined],
    ['did not deliver every alert', 'deliver', { exitCode: 1 }, undefined],
    ['is done', 'publish', { exitCode: 0 }, undefined],
  ] as const)('says whether jobs can run: one that %s', async (_, job, { exitCode, ...ran }, said) => {
    const folder = tempDir();
    const file = openScheduleFile(schedulePath(folder));
    const world = scheduleWorld(new Date().toISOString(), [{ ...HOURLY, job }], {}, file);
    await world.daemon.pass();
    await world.at(new Date(world.nowMs + 3_600_000).toISOString());
    const [child] = world.going;
    if ('runId' in ran) noteRun(file, child?.tickId ?? 0, 1, ran.runId);
    await child?.end(exitCode);
    file.close();
    expect(await health('schedule', folder)).toBe(said && `pacekeeper schedule does not work: ${said}`);
    expect(await health('lease', folder)).toBeUndefined();
  });
});
