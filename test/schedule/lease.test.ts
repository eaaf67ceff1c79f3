import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  fenced,
  isFresh,
  LeaseLostError,
  leaseHolder,
  releaseLease,
  renewLease,
  takeLease,
} from '../../src/engine/schedule/lease.ts';
import { readSchedule } from '../../src/engine/schedule/read-schedule.ts';
import { openScheduleFile, openScheduleToRead } from '../../src/engine/schedule/schedule-file.ts';
import { fateOf, thisProcess } from '../../src/engine/schedule/this-process.ts';
import { owedTicks } from '../../src/engine/schedule/tick-table.ts';
import { tempDir } from '../support/temp-dir.ts';
import { identity, scheduleWorld } from './schedule-world.ts';

const NOW_MS = Date.parse('2026-11-20T05:00:00Z');
const fate = (known: ReturnType<typeof fateOf>) => () => known;

describe('the lease of a schedule', () => {
  it.each([
    ['is taken at once from a process that is proven to be gone', 'gone', 1000, 'taken'],
    ['is never taken from one that is proven to live, whatever the clock says', 'alive', 86_400_000, 'held'],
    ['is not taken from a process of which nothing is known before it ends', 'unknown', 119_000, 'held'],
    ['is taken from it afterwards', 'unknown', 120_000, 'taken'],
    ['is not taken from it by a clock that went back a little', 'unknown', -600_000, 'held'],
    ['is taken from it where its end was written by a clock that was wrong by years', 'unknown', -9e10, 'taken'],
  ] as const)('%s', (_, known, laterMs, kind) => {
    const file = openScheduleFile(':memory:');
    expect(takeLease(file, identity(1), fate('gone'), NOW_MS)).toEqual({ kind: 'taken', token: 1, before: undefined });
    const second = takeLease(file, identity(2, 'beta'), fate(known), NOW_MS + laterMs);
    expect(second).toMatchObject(kind === 'held' ? { kind, holder: { pid: 1, host: 'alpha' } } : { kind, token: 2 });
  });

  it('is free after it is given back, and its number still grows', () => {
    const file = openScheduleFile(':memory:');
    takeLease(file, identity(1), fate('alive'), NOW_MS);
    fenced(file, 1, () => releaseLease(file));
    expect(leaseHolder(file)).toBeUndefined();
    expect(takeLease(file, identity(2), fate('alive'), NOW_MS)).toMatchObject({ kind: 'taken', token: 2 });
  });

  it('blocks every write of an earlier holder', () => {
    const file = openScheduleFile(':memory:');
    takeLease(file, identity(1), fate('gone'), NOW_MS);
    takeLease(file, identity(2), fate('gone'), NOW_MS);
    const write = () => fenced(file, 1, () => renewLease(file, NOW_MS + 60_000));
    expect(write).toThrow(LeaseLostError);
    expect(leaseHolder(file)).toMatchObject({ pid: 2, renewedAt: '2026-11-20T05:00:00Z' });
    fenced(file, 2, () => renewLease(file, NOW_MS + 60_000));
    expect(leaseHolder(file)?.expiresAt).toBe('2026-11-20T05:03:00Z');
  });

  it('is valid until it ends', () => {
    const file = openScheduleFile(':memory:');
    takeLease(file, identity(1), fate('gone'), NOW_MS);
    const holder = leaseHolder(file);
    expect([0, 119_000, 121_000].map((laterMs) => holder && isFresh(holder, NOW_MS + laterMs))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('tells a process from a later one with the same number', () => {
    const self = thisProcess();
    expect(fateOf(self, self)).toBe(self.birth === '' ? 'gone' : 'alive');
    expect(fateOf({ ...self, birth: '1' }, { ...self, birth: self.birth || '2' })).toBe('gone');
    expect(fateOf({ ...self, pid: 2 ** 22 + 1 }, self)).toBe('gone');
    expect(fateOf({ ...self, place: 'another machine' }, self)).toBe('unknown');
  });
});

describe('the file of a schedule', () => {
  it('is readable by its owner only', () => {
    const path = join(tempDir(), 'data', 'schedule.sqlite');
    openScheduleFile(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is refused with a next step if a newer version wrote it or it is not a database', () => {
    const folder = tempDir();
    const path = join(folder, 'schedule.sqlite');
    openScheduleFile(path).close();
    const file = new Database(path);
    file.pragma('user_version = 99');
    file.close();
    for (const open of [openScheduleFile, openScheduleToRead]) {
      expect(() => open(path)).toThrow(`${path} was written by a newer version of pacekeeper.`);
    }
    const other = join(folder, 'other.sqlite');
    writeFileSync(other, 'no database, but long enough to be looked at as one'.repeat(40));
    expect(() => openScheduleFile(other)).toThrow(`${other} cannot be used as a database`);
  });

  it('shows who runs the schedule and the result of each job, or nothing without a history', async () => {
    const folder = tempDir();
    expect(readSchedule(folder)).toBeUndefined();
    const file = openScheduleFile(join(folder, 'schedule.sqlite'));
    expect(readSchedule(folder)).toEqual({ holder: undefined, jobs: [] });
    const job = { name: 'report', cron: '30 5 * * *', timeZone: 'UTC', job: 'report' } as const;
    const world = scheduleWorld('2026-11-20T05:00:00Z', [job], { file });
    takeLease(file, identity(7), fate('gone'), NOW_MS);
    await world.daemon.pass();
    await world.at('2026-11-20T05:30:00Z');
    await world.going[0]?.end(1);
    file.close();
    expect(readSchedule(folder)).toMatchObject({
      holder: { pid: 7, host: 'alpha', token: 1 },
      jobs: [{ name: 'report', lastRun: { dueAt: '2026-11-20T05:30:00Z', state: 'failed', exitCode: 1 } }],
    });
  });
});

it('a file of the earlier version still owes what was interrupted', () => {
  const path = join(tempDir(), 'schedule.sqlite');
  const before = openScheduleFile(path);
  before.exec(`DROP INDEX tick_retry;
    ALTER TABLE tick DROP COLUMN first_at;
    ALTER TABLE tick DROP COLUMN retry_at;
    ALTER TABLE tick ADD COLUMN owed INTEGER NOT NULL DEFAULT 0 CHECK (owed = 0 OR (owed = 1 AND state IN ('stopped', 'died')));
    CREATE INDEX tick_owed ON tick (id) WHERE owed = 1;
    INSERT INTO tick (job, due_at, state, attempts, token, started_at, ended_at, owed) VALUES
      ('report', '2026-11-20T05:30:00Z', 'stopped', 1, 1, '2026-11-20T05:30:07Z', '2026-11-20T05:31:00Z', 1),
      ('report', '2026-11-19T05:30:00Z', 'failed', 1, 1, '2026-11-19T05:30:07Z', '2026-11-19T05:31:00Z', 0);
    PRAGMA user_version = 1`);
  before.close();
  const file = openScheduleFile(path);
  const owed = owedTicks(file, NOW_MS);
  file.close();
  expect(owed.map(({ dueAt, firstAt, retryAt }) => [dueAt, firstAt, retryAt])).toEqual([
    ['2026-11-20T05:30:00Z', '2026-11-20T05:30:07Z', '2026-11-20T05:31:00Z'],
  ]);
});
