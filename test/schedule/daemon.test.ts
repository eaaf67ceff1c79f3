import { describe, expect, it } from 'vitest';
import { takeLease } from '../../src/engine/schedule/lease.ts';
import type { PlannedJob } from '../../src/engine/schedule/planned-job.ts';
import {
  DELIVER,
  HOURLY,
  identity,
  knownWorld,
  names,
  REPORT,
  reasons,
  type ScheduleWorld,
  scheduleWorld,
  settle,
} from './schedule-world.ts';

describe('a job', () => {
  it('owes nothing from before it was known', async () => {
    const made = await knownWorld([REPORT], '2026-11-20T05:31:00Z');
    expect([names(made), made.ticks()]).toEqual([[], []]);
  });

  it('begins when it is due and is recorded until it ends', async () => {
    const made = await knownWorld([REPORT]);
    await made.at('2026-11-20T05:29:59Z');
    expect(names(made)).toEqual([]);
    await made.at('2026-11-20T05:30:07Z');
    expect([names(made), made.ticks()]).toEqual([['report'], ['report 11-20 05:30 running']]);
    made.nowMs = Date.parse('2026-11-20T05:34:00Z');
    await made.going[0]?.end(0);
    expect(made.file.prepare('SELECT state, attempts, started_at, ended_at, exit_code FROM tick').all()).toEqual([
      {
        state: 'done',
        attempts: 1,
        exit_code: 0,
        started_at: '2026-11-20T05:30:07Z',
        ended_at: '2026-11-20T05:34:00Z',
      },
    ]);
  });

  it('that the schedule of another machine has is missed here, and asked for only once', async () => {
    const asked: string[] = [];
    const isOurs = async ({ name }: PlannedJob) => asked.push(name) === 0;
    const made = scheduleWorld('2026-11-20T04:10:00Z', [REPORT], { isOurs });
    await made.daemon.pass();
    await made.at('2026-11-20T05:30:00Z');
    await made.at('2026-11-20T05:31:00Z');
    expect([names(made), made.ticks(), asked]).toEqual([[], ['report 11-20 05:30 missed'], ['report']]);
    expect(reasons(made)).toEqual(['the schedule of another machine has it']);
  });

  it('waits while nobody can say whether it is ours', async () => {
    let isAway = true;
    const isOurs = async () => {
      if (isAway) throw new Error('the database is away');
      return true;
    };
    const made = scheduleWorld('2026-11-20T04:10:00Z', [REPORT], { isOurs });
    await made.daemon.pass();
    await made.at('2026-11-20T05:30:00Z');
    expect([names(made), made.ticks(), made.told]).toEqual([[], [], ['trouble: the database is away']]);
    isAway = false;
    await made.at('2026-11-20T05:30:10Z');
    expect([names(made), made.ticks()]).toEqual([['report'], ['report 11-20 05:30 running']]);
  });

  it.each([
    ['that fails is recorded as failed', 1, 'failed'],
    ['that is killed is recorded as failed', null, 'failed'],
    ['that refuses its input is recorded as failed', 2, 'failed'],
  ])('%s', async (_, exitCode, state) => {
    const made = await knownWorld([REPORT]);
    await made.at('2026-11-20T05:30:00Z');
    await made.going[0]?.end(exitCode);
    expect(made.ticks()).toEqual([`report 11-20 05:30 ${state}`]);
  });

  it('is missed with a reason if its earlier run is still going', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:03Z');
    await made.at('2026-11-20T06:00:03Z');
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 running', 'hourly 11-20 06:00 missed']);
    expect(reasons(made)).toEqual([null, 'the run of 2026-11-20 05:00 UTC was still in progress']);
    await made.going[0]?.end(0);
    await made.at('2026-11-20T07:00:03Z');
    expect(names(made)).toEqual(['hourly']);
  });

  it('waits for another job on the data folder, in the order of the settings, except delivery', async () => {
    const later: PlannedJob = { ...HOURLY, name: 'later', job: 'publish' };
    const made = await knownWorld([HOURLY, later, DELIVER]);
    await made.at('2026-11-20T05:00:00Z');
    expect(names(made)).toEqual(['hourly', 'deliver']);
    expect(made.ticks()).toContain('later 11-20 05:00 waiting');
    await made.going[0]?.end(1);
    expect(names(made)).toEqual(['deliver', 'later']);
  });

  it('owes nothing after its times change, and starts anew when it returns after removal', async () => {
    const made = await knownWorld([REPORT]);
    made.jobs = [{ ...REPORT, cron: '0 5 * * *' }];
    await made.at('2026-11-20T05:10:00Z');
    made.jobs = [];
    await made.at('2026-11-20T05:20:00Z');
    made.jobs = [REPORT];
    await made.at('2026-11-20T05:40:00Z');
    expect(made.ticks()).toEqual([]);
    await made.at('2026-11-21T05:30:00Z');
    expect(names(made)).toEqual(['report']);
  });
});

describe('a daemon asked to end', () => {
  it('asks running jobs to end, records them as stopped, leaves waiting ones, and gives the lease back', async () => {
    const later: PlannedJob = { ...HOURLY, name: 'later', job: 'publish' };
    const made = await knownWorld([HOURLY, later]);
    await made.at('2026-11-20T05:00:00Z');
    const stopped = made.daemon.stop();
    await settle();
    const [child] = made.going;
    expect([child?.signals, names(made)]).toEqual([['SIGTERM'], ['hourly']]);
    await child?.end(1);
    await stopped;
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 stopped', 'later 11-20 05:00 waiting']);
    expect(made.file.prepare('SELECT token, pid FROM lease').all()).toEqual([{ token: 1, pid: null }]);
    await made.at('2026-11-20T06:00:00Z');
    expect(names(made)).toEqual([]);
  });

  it('records a job that ends meanwhile as done', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    const stopped = made.daemon.stop();
    await made.going[0]?.end(0);
    await stopped;
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 done']);
  });

  it('kills remaining jobs after 20 seconds, and ends within 30 even if that fails', async () => {
    const waits: number[] = [];
    const made = scheduleWorld('2026-11-20T04:10:00Z', [HOURLY], {
      pauseUnless: async (_, milliseconds) => void waits.push(milliseconds),
    });
    await made.daemon.pass();
    await made.at('2026-11-20T05:00:00Z');
    await made.daemon.stop();
    expect([made.going[0]?.signals, waits]).toEqual([
      ['SIGTERM', 'SIGKILL'],
      [20_000, 5000],
    ]);
    expect(made.file.prepare('SELECT pid FROM lease').pluck().get()).toBeNull();
  });

  it('kills at once when asked again', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    const stopped = made.daemon.stop();
    made.daemon.kill();
    expect(made.going[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    await made.going[0]?.end(null);
    await stopped;
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 stopped']);
  });
});

describe('the next daemon', () => {
  const stopIn = async (made: ScheduleWorld) => {
    const stopped = made.daemon.stop();
    await settle();
    await made.going[0]?.end(1);
    await stopped;
    made.restart();
  };

  it('runs stopped and waiting jobs, with one tick per due time', async () => {
    const later: PlannedJob = { ...HOURLY, name: 'later', job: 'publish' };
    const made = await knownWorld([HOURLY, later]);
    await made.at('2026-11-20T05:00:00Z');
    await stopIn(made);
    await made.at('2026-11-20T05:20:00Z');
    expect(made.told).toEqual(['hourly begins', 'hourly begins']);
    await made.going[0]?.end(0);
    await made.going[0]?.end(0);
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 done', 'later 11-20 05:00 done']);
    expect(made.file.prepare('SELECT attempts FROM tick').pluck().all()).toEqual([2, 1]);
  });

  it('skips a stopped job if something newer is due', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    await stopIn(made);
    await made.at('2026-11-20T06:01:00Z');
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 stopped', 'hourly 11-20 06:00 running']);
  });

  it('marks jobs of a dead process as died, and gives up after three attempts', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    for (const minute of ['05:01', '05:02', '05:03']) {
      made.kill();
      made.restart();
      await made.at(`2026-11-20T${minute}:00Z`);
    }
    expect([names(made), made.ticks()]).toEqual([[], ['hourly 11-20 05:00 died']]);
    expect(made.file.prepare('SELECT attempts FROM tick').pluck().get()).toBe(3);
  });
});

describe('a lost lease', () => {
  it('ends the daemon, which writes nothing more, not even how its job ended', async () => {
    const made = await knownWorld([HOURLY]);
    await made.at('2026-11-20T05:00:00Z');
    const old = made.daemon;
    takeLease(made.file, identity(99, 'beta'), () => 'gone', made.nowMs);
    made.nowMs += 60_000;
    await old.pass();
    await old.lost;
    const stopped = old.stop();
    await settle();
    expect(made.going[0]?.signals).toEqual(['SIGTERM']);
    await made.going[0]?.end(0);
    await stopped;
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 running']);
    expect(made.file.prepare('SELECT token, host FROM lease').get()).toEqual({ token: 2, host: 'beta' });
    expect(made.told).toEqual(['hourly begins']);
  });
});

describe('a file that cannot be written for a while', () => {
  it('keeps the due time until it can be written, and the end of jobs meanwhile', async () => {
    const made = await knownWorld([HOURLY]);
    made.file.exec("CREATE TRIGGER full BEFORE INSERT ON tick BEGIN SELECT raise(ABORT, 'the disk is full'); END");
    await made.at('2026-11-20T05:00:00Z');
    await made.at('2026-11-20T05:00:10Z');
    expect([names(made), made.told[0]]).toEqual([[], 'trouble: the disk is full']);
    made.file.exec('DROP TRIGGER full');
    await made.at('2026-11-20T05:00:20Z');
    expect(names(made)).toEqual(['hourly']);
    made.file.exec("CREATE TRIGGER full BEFORE UPDATE ON tick BEGIN SELECT raise(ABORT, 'the disk is full'); END");
    await made.going[0]?.end(0);
    made.file.exec('DROP TRIGGER full');
    await made.at('2026-11-20T05:00:30Z');
    expect(made.ticks()).toEqual(['hourly 11-20 05:00 done']);
  });
});

it('the file stays small: ticks older than 400 days are deleted once a day, waiting ones stay', async () => {
  const made = await knownWorld([HOURLY]);
  const old = made.file.prepare("INSERT INTO tick (job, due_at, state, token) VALUES ('old', ?, ?, 1)");
  old.run('2025-01-01T00:00:00Z', 'missed');
  old.run('2025-01-02T00:00:00Z', 'waiting');
  await made.at('2026-11-20T04:20:00Z');
  expect(made.ticks()).toHaveLength(2);
  await made.at('2026-11-21T04:20:00Z');
  expect(made.ticks().filter((line) => line.startsWith('old'))).toEqual(['old 01-02 00:00 waiting']);
});
