import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MIGRATION_NAMES } from '../../../src/storage/records/migrations.ts';
import { damageTable, leaveBehind } from '../../support/damage.ts';
import { fileOfVersion } from '../../support/state-of-version.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { tablesOf, usedFolder } from '../../support/used-folder.ts';
import { runInProcess } from '../run-in-process.ts';

const VERSION = MIGRATION_NAMES.at(-1)?.slice(0, 4);
const COPY = 'backups/state-2026-11-20T120000Z.sqlite';

describe('pacekeeper backup', () => {
  it('makes one file for its owner only, with all committed data, while another program writes', async () => {
    const used = await usedFolder();
    const before = tablesOf(used.state);
    const writer = new Database(used.state);
    onTestFinished(() => void writer.close());
    writer.exec("BEGIN IMMEDIATE; UPDATE run SET error = 'not committed'");
    const { code, stdout, stderr } = await used.run(['backup', 'backups/']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(
        `^${COPY}: [\\d,]+ bytes, all pages and indexes intact, version ${VERSION}\\.\npacekeeper verified its record of budget changes: 4 events in one unbroken chain, last hash [0-9a-f]{12}\\.\nThe newest run in it is 1, started 2026-11-20 12:00 UTC\\.\nNot included: your settings, queries, rules, \\.env, and answers`,
      ),
    );
    expect(readdirSync(used.at('backups'))).toEqual(['state-2026-11-20T120000Z.sqlite']);
    expect(statSync(used.at(COPY)).mode & 0o777).toBe(0o600);
    expect(tablesOf(used.at(COPY))).toEqual(before);
  });

  it('replaces a file only with --force, and leaves nothing else behind', async () => {
    const used = await usedFolder();
    writeFileSync(used.at('copy.sqlite'), 'something else');
    const refused = await used.run(['backup', 'copy.sqlite']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('copy.sqlite already exists')]);
    expect(readFileSync(used.at('copy.sqlite'), 'utf8')).toBe('something else');
    expect(await used.run(['backup', 'copy.sqlite', '--force'])).toMatchObject({ code: 0 });
    expect(tablesOf(used.at('copy.sqlite'))).toEqual(tablesOf(used.state));
    expect(readdirSync(used.folder).filter((name) => /copy/.test(name))).toEqual(['copy.sqlite']);
  });

  it.each(['wal', 'journal'] as const)('ignores the %s of another tool beside the copy', async (kind) => {
    const used = await usedFolder();
    const before = tablesOf(used.state);
    expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    leaveBehind(used.at('copy.sqlite'), kind);
    expect(await used.run(['backup', 'copy.sqlite', '--force'])).toMatchObject({ code: 0 });
    expect(tablesOf(used.at('copy.sqlite'))).toEqual(before);

    leaveBehind(used.at('copy.sqlite'), kind);
    rmSync(used.at('copy.sqlite'));
    const refused = await used.run(['backup', 'copy.sqlite']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`copy.sqlite-${kind} is left over from another file`),
    ]);
    expect(existsSync(used.at('copy.sqlite'))).toBe(false);

    mkdirSync(used.at('backups'));
    writeFileSync(used.at(`${COPY}-${kind}`), 'of another file');
    expect(await used.run(['backup', 'backups/'])).toMatchObject({ code: 0 });
    expect(tablesOf(used.at(COPY.replace('.sqlite', '-2.sqlite')))).toEqual(before);
  });

  it.each(['data/state.sqlite', 'data/../data/warehouse.sqlite', 'data/copy.sqlite'])(
    'never overwrites a file of the data folder: %s',
    async (path) => {
      const used = await usedFolder();
      const before = tablesOf(used.state);
      const { code, stderr } = await used.run(['backup', path, '--force']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is in the data folder')]);
      expect(tablesOf(used.state)).toEqual(before);
    },
  );

  it('keeps the old copy if the file is damaged, and names the damaged table', async () => {
    const used = await usedFolder();
    expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    const before = readFileSync(used.at('copy.sqlite'));
    damageTable(used.state, 'stats');
    const { code, stdout, stderr } = await used.run(['backup', 'copy.sqlite', '--force']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /state\.sqlite is damaged: in stats: .*Nothing was copied\..*\nnext step: Run pacekeeper doctor/,
    );
    expect(readFileSync(used.at('copy.sqlite')).equals(before)).toBe(true);
    expect(readdirSync(used.folder).filter((name) => /copy/.test(name))).toEqual(['copy.sqlite']);
  });

  it('copies an altered record, says so and ends with 1', async () => {
    const used = await usedFolder();
    const [guard] = used.rows(`SELECT sql FROM sqlite_schema WHERE name = 'budget_event_is_not_changed'`);
    const alter = `UPDATE budget_event SET actor = 'x' WHERE id = 2`;
    used.execute('DROP TRIGGER budget_event_is_not_changed', alter, String(guard?.sql));
    const { code, stdout } = await used.run(['backup', 'copy.sqlite']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/NOT sound: .*event 2/i)]);
    expect(existsSync(used.at('copy.sqlite'))).toBe(true);
  });

  it('copies a file of an earlier version unchanged, for before an upgrade', async () => {
    const folder = tempDir();
    const state = join(folder, 'data', 'state.sqlite');
    mkdirSync(join(folder, 'data'));
    await fileOfVersion(2, state);
    const { code, stdout } = await runInProcess(['backup', 'copy.sqlite'], { folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('version 0002.\nThe copy has another version')]);
    expect(tablesOf(join(folder, 'copy.sqlite'))).toEqual(tablesOf(state));
  });

  it('refuses a path below a file, and leaves the file alone', async () => {
    const used = await usedFolder();
    writeFileSync(used.at('file'), 'of somebody');
    const before = readdirSync(used.folder);
    const { code, stdout, stderr } = await used.run(['backup', 'file/copy.sqlite']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/file is a file, expected a folder\.\nnext step: Choose another path\.\n$/);
    expect([readdirSync(used.folder), readFileSync(used.at('file'), 'utf8')]).toEqual([before, 'of somebody']);
  });

  it('says that nothing was read yet, and creates nothing', async () => {
    const folder = tempDir();
    const { code, stderr } = await runInProcess(['backup', 'copy.sqlite'], { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('No run has read data yet')]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
