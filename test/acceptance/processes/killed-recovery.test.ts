import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { lookAtState } from '../../../src/storage/records/sqlite/look-at-state.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { everyNth } from '../../support/effort.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { tablesOf } from '../../support/used-folder.ts';

const KILLER = pathToFileURL(resolve('test/support/kill-at-step.mjs')).href;
const COPY = 'copy.sqlite';

/** A folder with a state file of an earlier version, whose record has something to lose, and a copy of a later one. */
function folderToKillIn(): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'data'));
  cpSync('test/fixtures/state/0003.sqlite', join(folder, 'data', 'state.sqlite'));
  cpSync('test/fixtures/state/0002.sqlite', join(folder, COPY));
  return folder;
}

const ENV = {
  PACEKEEPER_TARGET: 'live',
  ADS_URL: 'https://ads.example.com',
  ADS_ACCESS_TOKEN: 'token',
  PACEKEEPER_NOW: '2026-11-20T12:00:00Z',
};

function killed(folder: string, args: readonly string[], killAt: string) {
  return runCli(args, { cwd: folder, env: { ...ENV, NODE_OPTIONS: `--import=${KILLER}`, KILL_AT: killAt } });
}

/** What a state file says, but for what names an instant of now: a busy machine takes more than a second. */
function content(path: string): unknown {
  const { kysely_migration: migrations, kysely_migration_lock: _lock, ...tables } = tablesOf(path);
  const ofAnyInstant = Object.entries(tables).map(([name, rows]) => [name, rows.map(withoutNow)]);
  return { migrations: migrations?.map((row) => (row as unknown[])[0]), tables: Object.fromEntries(ofAnyInstant) };
}

/** The hashes of an event contain its time. */
function withoutNow(row: unknown): unknown {
  if (!Array.isArray(row) || !row.some((value) => NOW.test(String(value)))) return row;
  return row.map((value) => (NOW.test(String(value)) ? 'now' : /^[0-9a-f]{64}$/.test(String(value)) ? 'hash' : value));
}

const NOW = /^2026-11-20T12:0\d:\d\d(?:\.\d+)?Z$/;

/** Kills the command before its steps, every time in a folder as it was, and answers with the number of folders that were old or new. */
async function killAtSteps(args: readonly string[]): Promise<{ old: number; fresh: number }> {
  const whole = folderToKillIn();
  const state = (folder: string) => join(folder, 'data', 'state.sqlite');
  const before = content(state(whole));
  const { stderr } = await killed(whole, args, 'never');
  const steps: string[] = JSON.parse(/steps: (.*)/.exec(stderr)?.[1] ?? '[]');
  expect(steps.length, stderr).toBeGreaterThan(20);
  const after = content(state(whole));
  expect(after).not.toEqual(before);
  const ends = { old: 0, fresh: 0 };
  for (const [index, step] of everyNth(20, [...steps.entries()])) {
    const folder = folderToKillIn();
    const at = `before step ${index + 1}: ${step}`;
    expect((await killed(folder, args, String(index + 1))).code, at).toBeNull();
    expect(existsSync(state(folder)), at).toBe(true);
    expect(lookAtState(state(folder), 'thorough').kind, at).toMatch(/^(sound|older)$/);
    const found = content(state(folder));
    expect([before, after], at).toContainEqual(found);
    if (JSON.stringify(found, words) === JSON.stringify(before, words)) ends.old++;
    else ends.fresh++;
    // What was left behind is in nobody's way, of whichever end it is: the same command again does all that it is for.
    const again = await runInProcess(args, { folder, env: ENV });
    expect([again.code, content(state(folder))], `${at}, then again: ${again.stderr}`).toEqual([0, after]);
  }
  return ends;
}

const words = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

it('a killed migration leaves the old file or the new one, never half of it', async () => {
  const ends = await killAtSteps(['audit', 'verify', '--offline']);
  expect(ends.old).toBeGreaterThan(0);
}, 600_000);

it('a killed restore leaves the old file or the copy', async () => {
  const ends = await killAtSteps(['restore', COPY, '--by', 'anna']);
  expect(ends.old).toBeGreaterThan(0);
  expect(ends.fresh).toBeGreaterThan(0);
}, 600_000);

it('a killed backup leaves the old copy or a complete one', async () => {
  const folder = folderToKillIn();
  const args = ['backup', COPY, '--force'];
  const { code, stderr } = await killed(folder, args, 'never');
  const steps: string[] = JSON.parse(/steps: (.*)/.exec(stderr)?.[1] ?? '[]');
  expect([code, steps.length > 5], stderr).toEqual([0, true]);
  const fresh = content(join(folder, COPY));
  for (const [index, step] of everyNth(20, [...steps.entries()])) {
    const one = folderToKillIn();
    const before = content(join(one, COPY));
    expect((await killed(one, args, String(index + 1))).code).toBeNull();
    expect([before, fresh], `before step ${index + 1}: ${step}`).toContainEqual(content(join(one, COPY)));
    expect(await runInProcess(args, { folder: one, env: ENV })).toMatchObject({ code: 0 });
    expect(content(join(one, COPY))).toEqual(fresh);
  }
}, 600_000);
