import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileOfVersion } from '../support/state-of-version.ts';
import { tablesOf, type UsedFolder, usedFolder } from '../support/used-folder.ts';

const FORCED = ['backup', 'copy.sqlite', '--force'];

let used: UsedFolder;

beforeEach(async () => {
  used = await usedFolder();
});

describe('a state.sqlite that lacks a part', () => {
  const PARTS = [
    ['DROP TABLE silence', 'table silence is missing'],
    ['DROP INDEX budget_intent_once_a_day', 'index budget_intent_once_a_day is missing'],
    ['DROP TRIGGER budget_event_goes_on', 'trigger budget_event_goes_on is missing'],
    ['ALTER TABLE reply RENAME COLUMN answer TO reply', 'column answer of table reply is missing'],
  ] as const;

  it.each(PARTS)(
    'by %s is damaged for doctor, backup and report, which changes no budget',
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
      const [state, sandbox] = [tablesOf(used.state), tablesOf(used.at('data', 'sandbox.sqlite'))];
      const report = await used.run(['report'], '2026-11-21T12:00:00Z');
      expect([report.code, report.stdout]).toEqual([2, '']);
      expect(report.stderr).toContain(`state.sqlite cannot be used as a database: ${reason}.`);
      expect(report.stderr).toContain('next step: Put a copy back with pacekeeper restore FILE.');
      expect([tablesOf(used.state), tablesOf(used.at('data', 'sandbox.sqlite'))]).toEqual([state, sandbox]);
      expect(await used.run(['restore', 'copy.sqlite'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Budgets are frozen'),
      });
      expect((await used.run(['report'], '2026-11-21T12:00:00Z')).code).toBe(0);
    },
  );

  it.each(PARTS)('by %s is not put in place', async (statement, reason) => {
    expect(await used.run(FORCED)).toMatchObject({ code: 0 });
    new Database(used.at('copy.sqlite')).exec(statement).close();
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(['restore', 'copy.sqlite']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`copy\\.sqlite is damaged: ${reason}\\. Nothing was changed\\.\nnext step: Put another`),
      ),
    ]);
    expect(tablesOf(used.state)).toEqual(before);
  });

  it('is not put in place when it is of an earlier version either', async () => {
    await fileOfVersion(3, used.at('older.sqlite'));
    new Database(used.at('older.sqlite')).exec('DROP TABLE target').close();
    const before = tablesOf(used.state);
    const { code, stderr } = await used.run(['restore', 'older.sqlite']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /older\.sqlite cannot be used as a database: table target is missing\. Nothing was changed\./,
      ),
    ]);
    expect(stderr).toContain('next step: Put another copy back.');
    expect(tablesOf(used.state)).toEqual(before);
  });
});
