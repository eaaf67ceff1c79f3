import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { nextPath } from '../../../src/storage/files/replace-file.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { CONFIG, EUR, QUERIES, secondDay, tablesOf, YESTERDAY } from '../../support/second-day.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { createWorld, liveEnvironment, NOON, writeFolder } from '../../support/world.ts';

/** A file system of its own, of so few bytes; undefined where this process may not make one. */
function smallDisk(path: string, kibibytes: number): boolean {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }));
  return true;
}

/** Leaves so much of the disk that a file lies on, which it fills. */
function fillAllBut(kibibytes: number, filler: string): void {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(16 * 1024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  truncateSync(filler, statSync(filler).size - kibibytes * 1024);
}

describe('a disk', () => {
  it('that is full ends the run with 1 and a message, and the next run completes the data', async ({ skip }) => {
    const neverFull = await secondDay();
    await neverFull.extract();
    const clean = tablesOf(neverFull);
    const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: {}, now: YESTERDAY });
    if (!smallDisk(world.dataDir, 4096)) skip('this process may not mount a file system');
    const extract = (now: string) => {
      world.clock.set(now);
      const env = { ...liveEnvironment(world.sandbox), ADS_CUSTOMER_IDS: EUR, PACEKEEPER_NOW: now };
      return runInProcess(['extract'], { folder: world.folder, env });
    };
    expect((await extract(YESTERDAY)).code).toBe(0);
    const before = tablesOf(world);
    const filler = join(world.dataDir, 'filler');
    const { published: _, ...state } = clean;
    let codes: (number | undefined)[] = [];
    for (let roomKib = 0; codes.at(-1) !== 0; roomKib += 48) {
      fillAllBut(roomKib, filler);
      const run = await extract(NOON);
      rmSync(filler);
      codes = [...codes, run.code];
      if (run.code === 0) continue;
      expect(`${run.stderr}${run.stdout}`).toMatch(/disk is full/);
      // Read may be in the tables although there is no room left to publish it.
      expect([before, { ...state, published: before.published }]).toContainEqual(tablesOf(world));
    }
    expect(codes.slice(0, -1)).toEqual(codes.slice(0, -1).map(() => 1));
    expect(codes.length).toBeGreaterThan(2);
    expect(tablesOf(world)).toEqual(clean);
  });
});

/** A folder whose data was read once and can no longer be written; the test is skipped where that cannot be made. */
async function readOnlyData(skip: TestContext['skip']): Promise<{ readonly folder: string; readonly dataDir: string }> {
  const folder = tempDir();
  const dataDir = join(folder, 'data');
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  if (!smallDisk(dataDir, 4096)) skip('this process may not mount a file system');
  expect((await runInProcess(['extract'], { folder })).code).toBe(0);
  execFileSync('mount', ['-o', 'remount,ro', dataDir], { stdio: 'ignore' });
  return { folder, dataDir };
}

describe.each([
  ['parquet', 'tables', (path: string) => join(path, 'manifest.json')],
  ['xlsx', 'tables/all.xlsx', (path: string) => path],
])('an export to %s', (format, target, fileOf) => {
  const exported = async (skip: TestContext['skip']) => {
    const folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    const disk = join(folder, 'tables');
    if (!smallDisk(disk, 4096)) skip('this process may not mount a file system');
    const run = (args: readonly string[]) => runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOON } });
    expect((await run(['extract', '--customer', EUR])).code).toBe(0);
    const publish = () => run(['publish', '--to', format, target]);
    expect(await publish()).toMatchObject({ code: 0 });
    const before = readFileSync(fileOf(join(folder, target)));
    // Another account, so that something is to be written.
    expect((await run(['extract'])).code).toBe(0);
    return { disk, publish, before, now: () => readFileSync(fileOf(join(folder, target))) };
  };

  it('leaves the last one if the disk is full, and says so', async ({ skip }) => {
    const { disk, publish, before, now } = await exported(skip);
    const filler = join(disk, 'filler');
    fillAllBut(8, filler);
    const { code, stdout, stderr } = await publish();
    expect([code, `${stdout}${stderr}`]).toEqual([1, expect.stringMatching(/disk is full|no space left/i)]);
    expect(now()).toEqual(before);
    rmSync(filler);
    expect(await publish()).toMatchObject({ code: 0 });
    expect(now()).not.toEqual(before);
  });

  it('leaves the last one if the folder is read-only, and says so', async ({ skip }) => {
    const { disk, publish, before, now } = await exported(skip);
    execFileSync('mount', ['-o', 'remount,ro', disk], { stdio: 'ignore' });
    const { code, stdout, stderr } = await publish();
    expect([code, `${stdout}${stderr}`]).toEqual([1, expect.stringMatching(/read-only/i)]);
    expect(now()).toEqual(before);
  });
});

describe('a data folder', () => {
  it('that is read-only is reported by every command that needs it, before any request', async ({ skip }) => {
    const { folder, dataDir } = await readOnlyData(skip);
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'schedule: [{ name: send, cron: "0 * * * *", job: deliver }]\n');
    for (const args of [['report'], ['publish'], ['serve', '--once'], ['alerts', 'deliver'], ['schedule', '--once']]) {
      const { code, stdout, stderr } = await runInProcess(args, { folder, env: { PACEKEEPER_LOG: 'text' } });
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toMatch(/^error: .*sqlite cannot be used as a database: .*it is read-only\.\n/m);
      expect(stderr).toContain(`next step: Check that ${dataDir} is a writable folder, or choose another`);
    }
  });

  it('that is read-only does not stop doctor from printing the whole list', async ({ skip }) => {
    const { folder, dataDir } = await readOnlyData(skip);
    const { code, stdout, stderr } = await runInProcess(['doctor', '--offline', '--format', 'json'], { folder });
    expect([code, stderr]).toEqual([1, '']);
    const checks = JSON.parse(stdout) as Record<string, string>[];
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['account zones', 'target', 'schedule']));
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([
      expect.objectContaining({ check: 'folder', found: `${dataDir}, not writable by this user` }),
    ]);
  });

  it('without write permission is readable by every read-only command', async ({ skip }) => {
    const folder = tempDir();
    const dataDir = join(folder, 'data');
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', TRIM_RULES);
    if (!smallDisk(dataDir, 8192)) skip('this process may not mount a file system');
    const run = (args: readonly string[]) => runInProcess(args, { folder, env: { PACEKEEPER_NOW: NOON } });
    expect((await run(['report', '--customer', EUR])).code).toBe(0);
    const looks = [
      ['status'],
      ['coverage'],
      ['budgets', 'list'],
      ['budgets', 'history'],
      ['budgets', 'show', 'B1'],
      ['alerts', 'list'],
      ['audit', 'verify'],
      ['audit', 'verify', '--offline'],
      ['rules', 'list'],
      ['rules', 'evaluate'],
      ['pacing'],
      ['rules', 'explain', 'trim'],
      ['check'],
      ['check', '--online'],
      ['config', 'show'],
      ['accounts'],
      ['sandbox', 'inbox'],
      ['rules', 'backtest', 'trim', '--from', '2026-11-15', '--to', '2026-11-18'],
      ['backup', join(folder, 'copy.sqlite')],
      ['warehouse', 'rebuild', 'stats', '--dry-run'],
    ];
    // Who looks for the first time writes down the names of accounts.
    expect((await run(['rules', 'evaluate'])).code).toBe(0);
    const before: unknown[] = [];
    for (const args of looks.slice(0, -2)) before.push(await run(args));
    execFileSync('mount', ['-o', 'remount,ro', dataDir], { stdio: 'ignore' });
    for (const [index, args] of looks.entries()) {
      const now = await run(args);
      expect([args, now]).toEqual([args, { ...now, ...((before[index] as object) ?? { code: 0 }) }]);
    }
    expect(await run(['freeze', '--why', 'a test'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('on a full disk is reported by every command with exit code 1, because the input is right', async ({ skip }) => {
    const folder = tempDir();
    const dataDir = join(folder, 'data');
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    if (!smallDisk(dataDir, 4096)) skip('this process may not mount a file system');
    expect((await runInProcess(['extract'], { folder })).code).toBe(0);
    fillAllBut(0, join(dataDir, 'filler'));
    for (const args of [['report'], ['publish'], ['serve', '--once'], ['coverage']]) {
      const { code, stderr } = await runInProcess(args, { folder });
      expect([args, code]).toEqual([args, 1]);
      expect(stderr).toMatch(
        /^error: .*sqlite cannot be opened: its disk is full\. \(SQLITE_FULL\)\nnext step: Free space/m,
      );
    }
  });

  it('on a full disk where nothing was ever written is reported with exit code 1, too', async ({ skip }) => {
    const folder = tempDir();
    const dataDir = join(folder, 'data');
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    if (!smallDisk(dataDir, 4096)) skip('this process may not mount a file system');
    fillAllBut(0, join(dataDir, 'filler'));
    const { code, stderr } = await runInProcess(['report'], { folder });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/lock\.sqlite cannot be opened: its disk is full\./)]);
  });
});

it('a file that could not be written is not named as a file to open', async () => {
  const folder = tempDir();
  const dataDir = join(folder, 'data');
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  const blocked = nextPath(join(dataDir, 'warehouse.sqlite'));
  mkdirSync(blocked, { recursive: true });
  const report = () => runInProcess(['report', '--customer', EUR], { folder, env: { PACEKEEPER_NOW: NOON } });
  const { code, stdout } = await report();
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain('warehouse.sqlite could not be published and does not exist yet: ');
  expect(stdout).not.toContain('Tables for SQL');
  rmdirSync(blocked);
  expect((await report()).stdout).toContain('Tables for SQL');
  mkdirSync(blocked);
  expect((await report()).stdout.replace(/\s+/g, ' ')).toContain('and is unchanged: ');
});

describe('a state file', () => {
  it('from a newer version ends the run with 2 and a next step, and stays unchanged', async () => {
    const world = await secondDay();
    const file = join(world.dataDir, 'state.sqlite');
    const state = new Database(file);
    state.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2030-01-01')");
    state.close();
    const before = tablesOf(world);
    const { code, stdout, stderr } = await runInProcess(['extract'], {
      folder: world.folder,
      env: { ...liveEnvironment(world.sandbox), PACEKEEPER_NOW: NOON },
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${file} was written by a newer version of pacekeeper.`);
    expect(stderr).toContain('next step: Update pacekeeper');
    expect(tablesOf(world)).toEqual(before);
  });
});
