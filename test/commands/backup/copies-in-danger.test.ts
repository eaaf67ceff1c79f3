import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { messageSince } from '../../support/message-since.ts';
import { tablesOf, type UsedFolder, usedFolder } from '../../support/used-folder.ts';
import { runInProcess } from '../run-in-process.ts';

const FORCED = ['backup', 'copy.sqlite', '--force'];

let used: UsedFolder;

beforeEach(async () => {
  used = await usedFolder();
});

const copies = (folder = '.') =>
  readdirSync(used.at(folder))
    .filter((name) => /copy|state/.test(name))
    .sort();

describe('pacekeeper backup', () => {
  it('makes complete copies when several start in the same second, with the same name', async () => {
    const commands = [FORCED, FORCED, FORCED, ['backup', 'backups/'], ['backup', 'backups/']];
    const results = await Promise.all(commands.map((args) => used.run(args)));
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
    expect(copies()).toEqual(['copy.sqlite']);
    const made = ['state-2026-11-20T120000Z-2.sqlite', 'state-2026-11-20T120000Z.sqlite'];
    expect(readdirSync(used.at('backups')).sort()).toEqual(made);
    for (const path of ['copy.sqlite', ...made.map((name) => join('backups', name))]) {
      expect([path, tablesOf(used.at(path))]).toEqual([path, tablesOf(used.state)]);
    }
  });

  it('gives a name to only one of two simultaneous copies', async () => {
    const results = await Promise.all([1, 2].map(() => used.run(['backup', 'copy.sqlite'])));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 2]);
    expect(results.map(({ stderr }) => stderr).join('')).toMatch(/copy\.sqlite already exists/);
    expect(copies()).toEqual(['copy.sqlite']);
  });

  it.each([
    ['of no bytes', (path: string) => writeFileSync(path, '')],
    ['without our tables', (path: string) => new Database(path).exec('CREATE TABLE other (a)').close()],
  ])('copies no file %s, and keeps the old copy', async (_words, make) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    const before = readFileSync(used.at('copy.sqlite'));
    rmSync(used.state);
    make(used.state);
    const { code, stdout, stderr } = await used.run(FORCED);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/state\.sqlite is empty: .*Nothing was copied.*\nnext step: Run pacekeeper doctor/);
    expect(readFileSync(used.at('copy.sqlite')).equals(before)).toBe(true);
    expect(copies()).toEqual(['copy.sqlite']);
    const doctor = await used.run(['doctor', '--offline']);
    expect(doctor.stdout).toMatch(/state\.sqlite is empty, but the data folder was used before/);
  });

  it.each([
    ['half its bytes', (size: number) => Math.floor(size / 2)],
    ['50 bytes', () => 50],
  ])('reports a state.sqlite that keeps only %s as damaged', async (_words, left) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    const before = readFileSync(used.at('copy.sqlite'));
    truncateSync(used.state, left(statSync(used.state).size));
    const { code, stdout, stderr } = await used.run(FORCED);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`data/state.sqlite is damaged: database disk image is malformed. Nothing was copied.`);
    expect(stderr).toMatch(/\nnext step: Run pacekeeper doctor --offline to find/);
    expect(stderr).not.toContain('.next');
    expect(readFileSync(used.at('copy.sqlite')).equals(before)).toBe(true);
    expect(copies()).toEqual(['copy.sqlite']);
  });

  it('replaces the file behind a link, and leaves the link', async () => {
    mkdirSync(used.at('far'));
    writeFileSync(used.at('far', 'real.sqlite'), 'an old one');
    symlinkSync(used.at('far', 'real.sqlite'), used.at('copy.sqlite'));
    expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 2 });
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    expect(lstatSync(used.at('copy.sqlite')).isSymbolicLink()).toBe(true);
    expect(tablesOf(used.at('far', 'real.sqlite'))).toEqual(tablesOf(used.state));
    expect(readdirSync(used.at('far'))).toEqual(['real.sqlite']);
  });

  it.each([
    ['a device', '/dev/null', / is not a file\./],
    [
      'a link to nothing',
      '/nowhere/at-all.sqlite',
      /is a link, but its target \/nowhere\/at-all\.sqlite does not exist/,
    ],
    ['a link to the file in use', 'data/state.sqlite', /is in the data folder/],
  ])('refuses %s, also with --force', async (_words, target, sentence) => {
    symlinkSync(target, used.at('copy.sqlite'));
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(FORCED);
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
    expect(lstatSync(used.at('copy.sqlite')).isSymbolicLink()).toBe(true);
    expect(tablesOf(used.state)).toEqual(before);
  });

  it.skipIf(!existsSync('/proc/version'))('ends if the system refuses to create folders', async () => {
    const { code, stderr } = await used.run(['backup', '/proc/pacekeeper/copies/']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Cannot create /proc/pacekeeper/copies: ')]);
  });

  it('creates folders for their owner only, whatever the umask, and leaves an existing one alone', async () => {
    // A worker may not set its umask; 0777 less that of the machine is more than 0700 all the same.
    expect(await used.run(['backup', 'new/deep/'])).toMatchObject({ code: 0 });
    const modes = ['new', 'new/deep'].map((path) => statSync(used.at(path)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700]);
    mkdirSync(used.at('old'));
    chmodSync(used.at('old'), 0o750);
    expect(await used.run(['backup', 'old/'])).toMatchObject({ code: 0 });
    expect(statSync(used.at('old')).mode & 0o777).toBe(0o750);
  });

  it('removes old leftovers of killed backups, and nothing fresh, in use or foreign', async () => {
    const left = (id: string, of = 'state-2026-11-01T060000Z.sqlite') => `.${of}.${id.repeat(12)}.next`;
    const gone = left('a');
    const journal = `${left('b')}-journal`;
    const fresh = left('c');
    const held = left('d');
    const other = left('e', 'photos.sqlite');
    const named = '.state-2026.sqlite.next';
    mkdirSync(used.at('backups'));
    for (const name of [gone, journal, fresh, other, named])
      writeFileSync(used.at('backups', name), 'a part of a copy');
    const holder = new Database(used.at('backups', held));
    onTestFinished(() => void holder.close());
    holder.exec('CREATE TABLE a (b); BEGIN EXCLUSIVE');
    for (const name of [gone, journal, held, other, named]) utimesSync(used.at('backups', name), 1, 1);
    expect(await used.run(['backup', 'backups/'])).toMatchObject({ code: 0 });
    expect(
      readdirSync(used.at('backups'))
        .filter((name) => name.startsWith('.') && !name.endsWith('l'))
        .sort(),
    ).toEqual([fresh, held, other, named].sort());
    expect(existsSync(used.at('backups', journal))).toBe(false);
  });

  it('prints at most 80 columns, as restore does', async () => {
    const run = (...args: string[]) =>
      runInProcess(args, {
        folder: used.folder,
        userName: 'anna',
        width: 80,
        env: { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' },
      });
    for (const args of [
      ['backup', 'copy.sqlite'],
      ['restore', 'copy.sqlite'],
      ['sandbox', '--help'],
    ]) {
      const { stdout } = await run(...args);
      expect(stdout.split('\n').length).toBeGreaterThan(4);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

describe('pacekeeper restore', () => {
  beforeEach(async () => {
    expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
  });

  it('says which messages may be sent again, and which codes no longer work', async () => {
    used.execute(messageSince('r1', '2026-11-20T12:01:00Z'), 'PRAGMA foreign_keys = OFF', proposalSince(used));
    const { code, stdout } = await used.run(['restore', 'copy.sqlite']);
    expect(code).toBe(0);
    expect(stdout).toContain('\n1 message sent since is not in the copy: it may be sent again.\n');
    expect(stdout).toContain('\nThis approval code no longer works: 7K3Q.\n');
  });

  it('says so in general if the old file cannot be read', async () => {
    rmSync(used.state);
    const { stdout } = await used.run(['restore', 'copy.sqlite']);
    expect(stdout).toContain('may be sent again. Approval codes sent after the copy no longer work.');
  });

  it('mentions no days or messages if there were none since', async () => {
    const { stdout } = await used.run(['restore', 'copy.sqlite']);
    expect(stdout).toContain('The copy has every run and event of the old file.\n');
    expect(stdout).not.toMatch(/sent again|days of those runs|no longer work/);
  });

  it.each(['outbox', 'budget_event'])('recovers a folder whose file lost its table %s', async (table) => {
    used.execute('PRAGMA foreign_keys = OFF', `DROP TABLE ${table}`);
    const { code, stdout } = await used.run(['restore', 'copy.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('The old file could not be read')]);
    expect(stdout).toContain('Budgets are frozen');
    expect(await used.run(['audit', 'verify', '--offline'])).toMatchObject({ code: 0 });
  });

  it('restores the file behind a link', async () => {
    mkdirSync(used.at('far'));
    new Database(used.state).pragma('journal_mode = DELETE');
    renameSync(used.state, used.at('far', 'real.sqlite'));
    symlinkSync(used.at('far', 'real.sqlite'), used.state);
    const { code, stdout } = await used.run(['restore', 'copy.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('kept as far/state-before-restore-')]);
    expect(lstatSync(used.state).isSymbolicLink()).toBe(true);
    expect(copies('far')).toEqual(['state-before-restore-2026-11-20T120000Z.sqlite']);
    expect(tablesOf(used.at('far', 'real.sqlite')).run).toHaveLength(1);
  });

  it.each([
    ['data', /data is a folder, expected a copy of state\.sqlite\./],
    ['', /^error: The backup path is empty\. Is the variable set\?/],
    ['/dev/null', /is not a file, expected a copy of state\.sqlite\./],
  ])('refuses %j and says what it is', async (file, sentence) => {
    const { code, stderr } = await used.run(['restore', file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  });
});

describe('a data folder', () => {
  it('with a damaged lock.sqlite: every command and doctor say to remove it', async () => {
    expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
    const path = used.at('data', 'lock.sqlite');
    writeFileSync(path, 'no database, whatever else it may be'.repeat(40));
    for (const args of [['report'], ['restore', 'copy.sqlite']]) {
      const { code, stderr } = await used.run(args);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('next step: Remove it. It only records which process uses'),
      ]);
      expect(stderr).not.toContain('pacekeeper restore');
    }
    writeFileSync(used.at('data', 'sandbox.sqlite'), 'no database, whatever else it may be'.repeat(40));
    const { code, stdout } = await used.run(['doctor', '--offline', '--format', 'json']);
    const failed = (JSON.parse(stdout) as { check: string; state: string; next_step: string }[]).filter(
      ({ state }) => state === 'failed',
    );
    expect([code, failed.map(({ check }) => check)]).toEqual([1, ['lock.sqlite', 'sandbox.sqlite']]);
    for (const { next_step } of failed) expect(next_step).toMatch(/^Remove the file\. /);
    rmSync(path);
    expect(await used.run(['restore', 'copy.sqlite'])).toMatchObject({ code: 0 });
  });

  it('writable by others: doctor reports it and its files, and the lock becomes private', async () => {
    for (const name of ['lock.sqlite', 'sandbox.sqlite']) chmodSync(used.at('data', name), 0o666);
    chmodSync(dirname(used.state), 0o777);
    const doctor = async () => (await used.run(['doctor', '--offline'])).stdout;
    expect(await doctor()).toMatch(
      /folder mode +warning +mode 777[\s\S]*chmod go-w [\s\S]*lock\.sqlite mode[\s\S]*sandbox\.sqlite mode/,
    );
    expect(await used.run(['extract'])).toMatchObject({ code: 0 });
    expect(statSync(used.at('data', 'lock.sqlite')).mode & 0o777).toBe(0o600);
    chmodSync(dirname(used.state), 0o755);
    expect(await doctor()).not.toMatch(/folder mode|lock\.sqlite mode/);
  });
});

/** One that asked for an answer after the copy was made, like the change that is in the file. */
function proposalSince({ state }: UsedFolder): string {
  const file = new Database(state, { readonly: true });
  try {
    const names = (table: string) =>
      file.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    const shared = names('budget_proposal').filter(
      (name) => names('budget_intent').includes(name) && !['state', 'code', 'created_at'].includes(name),
    );
    return `INSERT INTO budget_proposal (${shared.join()}, code, state, created_at, expires_at)
      SELECT ${shared.join()}, '7K3Q', 'open', '2026-11-20T12:01:00Z', '2026-11-20T18:00:00Z' FROM budget_intent LIMIT 1`;
  } finally {
    file.close();
  }
}
