import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../support/effort.ts';
import { fileOfVersion } from '../../support/state-of-version.ts';
import { tablesOf, type UsedFolder, usedFolder } from '../../support/used-folder.ts';

const FORCED = ['backup', 'copy.sqlite', '--force'];

let used: UsedFolder;

beforeEach(async () => {
  used = await usedFolder();
});

describe('a state.sqlite with a missing part', () => {
  const PARTS = [
    ['DROP TRIGGER budget_event_goes_on', 'trigger budget_event_goes_on is missing'],
    ['DROP TABLE silence', 'table silence is missing'],
    ['DROP INDEX budget_intent_once_a_day', 'index budget_intent_once_a_day is missing'],
    ['ALTER TABLE reply RENAME COLUMN answer TO reply', 'column answer of table reply is missing'],
  ] as const;
  // Each kind of part is looked for in test/store/sqlite/schema-fault.test.ts; the commands do the same for all.
  const LOOKED_AT = PARTS.slice(0, byEffort({ quick: 1, thorough: PARTS.length }));

  it.each(LOOKED_AT)(
    'after %s is damaged for doctor, backup and report, and no budget changes',
    async (statement, reason) => {
      expect(await used.run(FORCED)).toMatchObject({ code: 0 });
      const before = readFileSync(used.at('copy.sqlite'));
      used.execute(statement);
      const doctor = await used.run(['doctor', '--offline']);
      expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`damaged: ${reason}`)]);
      const backup = await used.run(FORCED);
      expect([backup.code, backup.stdout]).toEqual([1, '']);
      expect(backup.stderr).toMatch(new RegExp(`state\\.sqlite is damaged: ${reason}\\. Nothing was copied\\.`));
      expect(readFileSync(used.at('copy.sqlite')).equals(before)).toBe(true);
      const state = tablesOf(used.state);
      const sandbox = tablesOf(used.at('data', 'sandbox.sqlite'));
      const report = await used.run(['report'], '2026-11-21T12:00:00Z');
      expect([report.code, report.stdout]).toEqual([2, '']);
      expect(report.stderr).toContain(`state.sqlite cannot be used as a database: ${reason}.`);
      expect(report.stderr).toMatch(/next step: .*ut a copy back with pacekeeper restore FILE\./);
      expect([tablesOf(used.state), tablesOf(used.at('data', 'sandbox.sqlite'))]).toEqual([state, sandbox]);
      expect(await used.run(['restore', 'copy.sqlite'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Budgets are frozen'),
      });
      expect((await used.run(['report'], '2026-11-21T12:00:00Z')).code).toBe(0);
    },
  );

  it.each(LOOKED_AT)('after %s is not restored', async (statement, reason) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    new Database(used.at('copy.sqlite')).exec(statement).close();
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(['restore', 'copy.sqlite']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`copy\\.sqlite is damaged: ${reason}\\. Nothing was changed\\.\nnext step: Restore another copy`),
      ),
    ]);
    expect(tablesOf(used.state)).toEqual(before);
  });

  it('is not restored from an earlier version either', async () => {
    await fileOfVersion(3, used.at('older.sqlite'));
    new Database(used.at('older.sqlite')).exec('DROP TABLE target').close();
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(['restore', 'older.sqlite']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /older\.sqlite cannot be used as a database: no such table: target\. Nothing was changed\./,
      ),
    ]);
    expect(stderr).toContain('next step: Restore another copy.');
    // The copy in the making is gone by now.
    expect(stderr).not.toContain('.next');
    expect(tablesOf(used.state)).toEqual(before);
  });
});

/** Takes the state file away with its journals. */
function removeState(): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${used.state}${ending}`, { force: true });
}

const WITHOUT_A_COPY = 'Without a copy, run pacekeeper adopt to take over the record of warehouse.sqlite.';

describe('a state.sqlite that is not a file', () => {
  const STRAYS = [
    [
      'a link to nothing',
      () => symlinkSync('/nowhere/x', used.state),
      'is a link, but its target /nowhere/x does not exist',
    ],
    ['a link to nothing in a folder', () => symlinkSync(used.at('x'), used.state), '/x does not exist'],
    ['a circular link', () => symlinkSync(used.state, used.state), '/state.sqlite does not exist'],
    ['a folder', () => mkdirSync(used.state), 'is a folder'],
  ] as const;

  it.each(STRAYS)('%s is named by doctor and every command, and nothing is created', async (_words, make, reason) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    removeState();
    make();
    const before = readdirSync(used.folder);
    const { code, stdout } = await used.run(['doctor', '--offline', '--format', 'json']);
    const checks = JSON.parse(stdout) as Record<string, string>[];
    expect(code).toBe(1);
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([
      expect.objectContaining({
        check: 'state.sqlite',
        found: expect.stringContaining(reason),
        next_step: expect.stringContaining(WITHOUT_A_COPY),
      }),
    ]);
    expect(checks.map(({ check }) => check)).not.toContain('state.sqlite mode');
    const commands = [
      ['report'],
      ['status'],
      ['budgets', 'list'],
      ['backup', 'copy.sqlite', '--force'],
      ['restore', 'copy.sqlite'],
      ['freeze', '--why', 'x'],
    ];
    for (const args of commands) {
      const { code, stderr } = await used.run(args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/state\.sqlite is a (link|folder)/)]);
      expect(stderr).toContain(reason);
      expect(stderr).toContain(WITHOUT_A_COPY);
    }
    expect(readdirSync(used.folder)).toEqual(before);
    expect(lstatSync(used.state).isFile()).toBe(false);
  });
});

describe('an empty state.sqlite', () => {
  const LOOKS = [
    ['budgets', 'list'],
    ['budgets', 'history'],
    ['alerts', 'list'],
    ['coverage'],
    ['pacing'],
    ['rules', 'evaluate'],
    ['audit', 'verify'],
    ['audit', 'verify', '--offline'],
    ['publish'],
  ];

  it.each([
    ['of no bytes', () => writeFileSync(used.state, '')],
    ['of a page and no table', () => void new Database(used.state).pragma('journal_mode = WAL')],
  ])('%s stays empty after read-only commands', async (_words, make) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    // A folder in which nothing was ever done.
    rmSync(used.at('data'), { recursive: true });
    mkdirSync(used.at('data'));
    make();
    const { size } = statSync(used.state);
    for (const args of LOOKS) {
      const { code, stderr } = await used.run(args);
      expect([args, code, stderr]).toEqual([
        args,
        2,
        expect.stringContaining('state.sqlite is empty: it has no pacekeeper tables.'),
      ]);
      expect(stderr).toContain('next step: If it held data, put a copy back with pacekeeper restore FILE.');
    }
    expect(await used.run(['status'])).toMatchObject({ code: 0 });
    const doctor = await used.run(['doctor', '--offline']);
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/state\.sqlite +warning +empty/) });
    expect(statSync(used.state).size).toBe(size);
    expect(await used.run(FORCED)).toMatchObject({ code: 1, stderr: expect.stringContaining('is empty') });
    expect((await used.run(['report'])).code).toBe(0);
  });
});

describe('doctor', () => {
  it('prints the whole list when a group of checks cannot run', async () => {
    const schedule = used.at('data', 'schedule.sqlite');
    rmSync(schedule, { force: true });
    writeFileSync(schedule, 'no database, whatever else it may be'.repeat(40));
    appendFileSync(used.at('pacekeeper.yaml'), 'schedule: [{ name: daily, cron: "0 5 * * *", job: report }]\n');
    const { code, stdout } = await used.run(['doctor', '--offline', '--format', 'json']);
    const checks = JSON.parse(stdout) as Record<string, string>[];
    expect([code, checks.filter(({ state }) => state === 'failed')]).toEqual([
      1,
      [
        expect.objectContaining({ check: 'schedule.sqlite' }),
        expect.objectContaining({ check: 'schedule', next_step: expect.stringMatching(/./) }),
      ],
    ]);
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['state.sqlite', 'last report', 'disk']));
  });
});
