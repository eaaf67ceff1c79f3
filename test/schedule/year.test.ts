import { expect, it } from 'vitest';
import { instantText } from '../../src/domain/civil-date.ts';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import { dueBetween } from '../../src/language/due-times.ts';
import { byEffort } from '../support/effort.ts';
import { type ScheduleWorld, scheduleWorld, settle } from './schedule-world.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Santiago'];
/** Every zone that changes its clock does so in this spring or autumn; the year has both for each. */
const [START, END] = byEffort({
  quick: ['2026-02-26T00:00:00Z', '2026-04-20T00:00:00Z'],
  thorough: ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
});
const RESTARTS_MIN = byEffort({ quick: 25, thorough: 60 });
const MINUTE_MS = 60_000;

/** In each zone one in the hour that changes, and one of each other kind. */
const JOBS: readonly PlannedJob[] = ZONES.flatMap((timeZone, index) => [
  { name: `report-${index}`, cron: '30 2 * * *', timeZone, job: 'report' as const },
  { name: `extract-${index}`, cron: '15 */16 * * *', timeZone, job: 'extract' as const },
  { name: `deliver-${index}`, cron: '0 9 * * mon-fri', timeZone, job: 'deliver' as const },
  { name: `publish-${index}`, cron: '0 0 1 * *', timeZone, job: 'publish' as const },
]);

/** All due times of the year, which test/schedule/due-times.test.ts holds against a wall's clock. */
const DUE = new Map(JOBS.map((job) => [job, dueBetween(job, Date.parse(START), Date.parse(END))]));

function dueIn(job: PlannedJob, afterMs: number, untilMs: number): number[] {
  const due = DUE.get(job) ?? [];
  return due.slice(firstAfter(due, afterMs), firstAfter(due, untilMs));
}

/** Where the first that is later stands in the list, which is in order. */
function firstAfter(sorted: readonly number[], atMs: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) > atMs) to = middle;
    else from = middle + 1;
  }
  return from;
}

const EVERY = [...new Set([...DUE.values()].flat())].sort((a, b) => a - b);

type Outcome = 'done' | 'missed' | 'died' | 'stopped';

/** The rule once more, in its plainest form: what ought to become of each due time. */
class Expectation {
  readonly outcomes = new Map<string, Outcome>();
  readonly #open = new Map<string, { dueMs: number; begun: boolean; attempts: number }>();
  #passedMs = Date.parse(START);

  /** What is to come of a pass that is about to be made. */
  pass({ nowMs, isMissing, going, file }: ScheduleWorld, isStart: boolean): void {
    const inLine = isStart ? [] : file.prepare("SELECT job FROM tick WHERE state = 'waiting'").pluck().all();
    const isBusy = (name: string) => inLine.includes(name) || going.some((child) => child.name === name);
    for (const job of JOBS) {
      const open = isStart ? this.#open.get(job.name) : undefined;
      const due = dueIn(job, this.#passedMs, nowMs);
      if (open && !open.begun) due.unshift(open.dueMs);
      const newest = due.at(-1) ?? Number.NaN;
      for (const dueMs of due) this.#set(job, dueMs, 'missed');
      const onTime = nowMs - newest <= 10 * MINUTE_MS;
      const reads = job.job === 'report' || job.job === 'extract';
      const runs = due.length > 0 && !isBusy(job.name) && (onTime || !reads || isMissing(job));
      if (runs) this.#set(job, newest, 'done');
      else if (open?.begun && open.attempts < 3) this.#set(job, open.dueMs, 'done');
    }
    if (isStart) this.#open.clear();
    this.#passedMs = nowMs;
  }

  /** The process ends while these are not finished; what had begun has this outcome, unless it is taken up again. */
  interrupt(outcome: 'died' | 'stopped', file: ScheduleWorld['file']): void {
    const rows = file.prepare("SELECT job, due_at, attempts, state FROM tick WHERE state IN ('waiting', 'running')");
    for (const row of rows.all() as { job: string; due_at: string; attempts: number; state: string }[]) {
      const job = JOBS.find(({ name }) => name === row.job);
      if (job === undefined) continue;
      const dueMs = Date.parse(row.due_at);
      const begun = row.state === 'running';
      this.#open.set(job.name, { dueMs, begun, attempts: row.attempts });
      if (begun) this.#set(job, dueMs, outcome);
    }
  }

  #set({ name }: PlannedJob, dueMs: number, outcome: Outcome): void {
    this.outcomes.set(`${name} ${instantText(dueMs)}`, outcome);
  }
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Moves on to the instant; what runs takes a few minutes each and ends on the way. */
async function moveTo(world: ScheduleWorld, untilMs: number, completed: Map<string, number>): Promise<void> {
  for (;;) {
    const endsMs = (child: { name: string; startedMs: number }) =>
      child.startedMs + (1 + (child.name.length % 3)) * MINUTE_MS;
    const [first] = [...world.going].sort((a, b) => endsMs(a) - endsMs(b));
    if (first === undefined || endsMs(first) > untilMs) break;
    world.nowMs = endsMs(first);
    await first.end(0);
    const tick = world.ended.at(-1);
    if (tick === undefined) continue;
    const key = `${tick.claim.job.name} ${instantText(tick.claim.dueMs)}`;
    completed.set(key, (completed.get(key) ?? 0) + 1);
  }
  world.nowMs = untilMs;
}

it.each([1])(
  `${byEffort({ quick: 'a season', thorough: 'a year' })} of ticks in five zones has each due time once, whatever ends the process (seed %i)`,
  async (seed) => {
    const random = randomFrom(seed);
    const world = scheduleWorld(START, JOBS);
    const expected = new Expectation();
    const completed = new Map<string, number>();
    // Whether days are missing is up to chance, and the same whoever asks at an instant.
    world.isMissing = ({ name }) => (world.nowMs / 1000 + name.length * 7) % 3 >= 1;
    const endMs = Date.parse(END);
    let isStart = true;
    let restarts = 0;
    await world.daemon.pass();
    while (world.nowMs < endMs) {
      const nextMs = EVERY[firstAfter(EVERY, world.nowMs)] ?? endMs;
      await moveTo(world, Math.min(endMs, nextMs + Math.floor(random() * 10_000)), completed);
      expected.pass(world, isStart);
      isStart = false;
      await world.daemon.pass();
      await settle();
      if (random() > 0.05) continue;
      restarts += 1;
      if (random() < 0.5) {
        expected.interrupt('died', world.file);
        world.kill();
      } else {
        expected.interrupt('stopped', world.file);
        const stopping = world.daemon.stop();
        await settle();
        for (const child of [...world.going]) await child.end(1);
        await stopping;
      }
      // From seconds to days.
      const downMs = Math.floor(1000 * 10 ** (random() * 5.6));
      world.nowMs = Math.min(endMs, world.nowMs + downMs);
      world.restart();
      // Every third one is gone again before it has looked at anything, and the one after it knows nothing of that.
      if (restarts % 3 === 0) world.restart();
      expected.pass(world, true);
      await world.daemon.pass();
      await settle();
    }
    await moveTo(world, endMs + 3_600_000, completed);

    const rows = world.file.prepare('SELECT job, due_at, state FROM tick').all() as Record<string, string>[];
    const all = JOBS.flatMap((job) => (DUE.get(job) ?? []).map((dueMs) => `${job.name} ${instantText(dueMs)}`));
    expect(rows.map(({ job, due_at: dueAt }) => `${job} ${dueAt}`).sort()).toEqual(all.sort());
    const states = Object.fromEntries(rows.map(({ job, due_at: dueAt, state }) => [`${job} ${dueAt}`, state]));
    expect(states).toEqual(Object.fromEntries(expected.outcomes));
    const done = Object.keys(states).filter((key) => states[key] === 'done');
    expect(Object.fromEntries(completed)).toEqual(Object.fromEntries(done.map((key) => [key, 1])));
    expect(restarts).toBeGreaterThan(RESTARTS_MIN);
    expect(world.told.filter((line) => line.startsWith('trouble'))).toEqual([]);
  },
);
