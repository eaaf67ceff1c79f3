import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import { fateOf, processHere, thisProcess } from '../../src/engine/schedule/this-process.ts';
import { noteRun } from '../../src/engine/schedule/tick-table.ts';
import { HOURLY, knownWorld, names, REPORT, reasons, type ScheduleWorld, settle } from './schedule-world.ts';

const retry = { times: 3, withinMinutes: 120 };
const MORNING: PlannedJob = { ...REPORT, retry };

/** The report of 05:30 begins and ends at once. */
async function failedAt0530(job: PlannedJob = MORNING, exitCode: number | null = 1): Promise<ScheduleWorld> {
  const made = await knownWorld([job]);
  await made.at('2026-11-20T05:30:00Z');
  await made.going[0]?.end(exitCode);
  return made;
}

/** Looks every five minutes until then. Each job that begins fails at once. Returns when they began. */
async function startsUntil(made: ScheduleWorld, end: string): Promise<string[]> {
  const starts: string[] = [];
  while (made.nowMs < Date.parse(end)) {
    await made.at(new Date(made.nowMs + 5 * 60_000).toISOString());
    for (const child of [...made.going]) {
      starts.push(new Date(child.startedMs).toISOString().slice(11, 16));
      await child.end(1);
    }
  }
  return starts;
}

describe('a job that failed as a whole', () => {
  it.each([
    ['that its run did not begin', 1],
    ['that it refused its input', 2],
    ['that it was killed', null],
  ])('runs again three times within two hours, with doubled pauses: %s', async (_, exitCode) => {
    const made = await failedAt0530(MORNING, exitCode);
    expect(await startsUntil(made, '2026-11-21T05:00:00Z')).toEqual(['05:45', '06:15', '07:15']);
    expect([made.ticks(), reasons(made)]).toEqual([['report 11-20 05:30 failed'], ['it failed, so it runs again']]);
    expect(made.ended.map(({ retryMs }) => retryMs && new Date(retryMs).toISOString().slice(11, 16))).toEqual([
      '05:45',
      '06:15',
      '07:15',
      undefined,
    ]);
  });

  it('runs again until it succeeds', async () => {
    const made = await failedAt0530();
    await made.at('2026-11-20T05:44:50Z');
    expect(names(made)).toEqual([]);
    await made.at('2026-11-20T05:45:30Z');
    await made.going[0]?.end(0);
    expect(made.ticks()).toEqual(['report 11-20 05:30 done']);
    expect(await startsUntil(made, '2026-11-21T05:00:00Z')).toEqual([]);
  });

  it('runs again after its schedule started anew', async () => {
    const made = await failedAt0530();
    made.restart();
    await made.at('2026-11-20T05:40:00Z');
    expect(names(made)).toEqual([]);
    await made.at('2026-11-20T05:50:00Z');
    expect(names(made)).toEqual(['report']);
  });

  it.each([
    ['is not tried again if the settings say so', { ...REPORT, retry: { times: 0, withinMinutes: 120 } }, []],
    ['is tried again as the settings say', { ...REPORT, retry: { times: 1, withinMinutes: 30 } }, ['05:45']],
    ['gives way to its next due time', { ...HOURLY, cron: '30 * * * *', retry }, ['05:45', '06:15', '06:30', '06:45']],
  ])('%s', async (_, job, starts) => {
    expect(await startsUntil(await failedAt0530(job), '2026-11-20T07:00:00Z')).toEqual(starts);
  });

  it('is not tried again late: a long attempt uses up the time', async () => {
    const made = await knownWorld([MORNING]);
    await made.at('2026-11-20T05:30:00Z');
    made.nowMs = Date.parse('2026-11-20T06:40:00Z');
    await made.going[0]?.end(1);
    await made.at('2026-11-20T06:40:10Z');
    made.nowMs = Date.parse('2026-11-20T07:50:00Z');
    await made.going[0]?.end(1);
    expect(await startsUntil(made, '2026-11-21T05:00:00Z')).toEqual([]);
  });

  it('is dropped if the job leaves the settings', async () => {
    const made = await failedAt0530();
    made.jobs = [];
    await made.at('2026-11-20T05:35:00Z');
    made.jobs = [MORNING];
    expect(await startsUntil(made, '2026-11-20T08:00:00Z')).toEqual([]);
  });

  it.each([
    ['runs again if its run read no account', false, ['05:45', '06:15', '07:15']],
    ['waits for its next due time if its run read some accounts', true, []],
  ])('%s', async (_, isPartial, starts) => {
    const made = await knownWorld([MORNING]);
    await made.at('2026-11-20T05:30:00Z');
    noteRun(made.file, made.going[0]?.tickId ?? 0, 1, 7);
    made.runs.set(7, { id: 7, isDone: false, isPartial, counts: {} });
    await made.going[0]?.end(1);
    expect(await startsUntil(made, '2026-11-20T08:00:00Z')).toEqual(starts);
  });
});

it.skipIf(!existsSync('/proc/self/stat'))('a zombie process runs no schedule', async () => {
  // After `exec`, nobody asks for the end of the shell's child, which ends with its input.
  const command = 'read line <&3 & echo $!; exec sleep 600 3<&-';
  const parent = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  onTestFinished(() => void parent.kill());
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(String(line).trim());
  const isSo = async (of: number | undefined, words: RegExp) => {
    while (!words.test(readFileSync(`/proc/${of}/stat`, 'utf8'))) await settle();
  };
  await isSo(parent.pid, /\(sleep\)/);
  (parent.stdio[3] as Writable).end();
  await isSo(pid, /\) Z /);
  expect(fateOf(processHere(pid), thisProcess())).toBe('gone');
});
