import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type UsedFolder, usedFolder } from '../../support/used-folder.ts';

const FORCED = ['backup', 'copy.sqlite', '--force'];

let used: UsedFolder;

beforeEach(async () => {
  used = await usedFolder();
});

describe('pacekeeper backup', () => {
  it.each([
    ['that stays', 'copy.sqlite', 'is unchanged'],
    ['that was not made', 'new.sqlite', 'was not created'],
  ])('names the full disk and the copy %s', async (_words, name, sentence) => {
    mkdirSync(used.at('far'));
    expect(await used.run(['backup', 'far/copy.sqlite'])).toMatchObject({ code: 0 });
    const before = readFileSync(used.at('far', 'copy.sqlite'));
    fillDisk();
    const { code, stdout, stderr } = await used.run(['backup', `far/${name}`, '--force']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error: The disk of ${used.at('far')} is full: ${used.at('far', name)} ${sentence}.`);
    expect(stderr).toContain(`\nnext step: Free space on the disk of ${used.at('far')}, and run again.\n`);
    expect(stderr).not.toMatch(/\.next|data folder/);
    expect(readFileSync(used.at('far', 'copy.sqlite')).equals(before)).toBe(true);
    expect(readdirSync(used.at('far'))).toEqual(['copy.sqlite']);
  });

  it('never replaces a copy with events by one without', async () => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    const before = readFileSync(used.at('copy.sqlite'));
    rmSync(used.at('data'), { recursive: true });
    expect(await used.run(['extract'])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await used.run(FORCED);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /copy\.sqlite holds \d events of the record of budget changes, but .*state\.sqlite has none\.\nnext step: Name another file/,
    );
    expect(readFileSync(used.at('copy.sqlite')).equals(before)).toBe(true);
    expect(readdirSync(used.folder).filter((name) => /copy/.test(name))).toEqual(['copy.sqlite']);
    expect(await used.run(['backup', 'other.sqlite'])).toMatchObject({ code: 0 });
    expect(await used.run(['backup', 'other.sqlite', '--force'])).toMatchObject({ code: 0 });
  });

  it.each(['', ' '])('refuses an empty path: %j', async (where) => {
    const before = readdirSync(used.folder);
    const { code, stdout, stderr } = await used.run(['backup', where]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: The backup path is empty\. Is the variable set\?\nnext step: .* backups\//);
    expect(readdirSync(used.folder)).toEqual(before);
  });
});

/** SQLite's own disk-full, while a copy is written, with what it leaves. Undone when the test ends. */
function fillDisk(): void {
  vi.spyOn(Database.prototype, 'backup').mockImplementation(async (path) => {
    const copy = new Database(path);
    try {
      copy.pragma('max_page_count = 3');
      copy.exec('CREATE TABLE page (a); INSERT INTO page VALUES (1); CREATE TABLE b (a); CREATE TABLE c (a)');
    } finally {
      copy.close();
    }
    throw new Error('There was room.');
  });
  onTestFinished(() => void vi.restoreAllMocks());
}
