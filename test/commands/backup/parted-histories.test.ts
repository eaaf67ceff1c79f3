import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { messageSince } from '../../support/message-since.ts';
import { type UsedFolder, usedFolder } from '../../support/used-folder.ts';

let used: UsedFolder;

beforeEach(async () => {
  used = await usedFolder();
  expect(await used.run(['backup', 'copy.sqlite'])).toMatchObject({ code: 0 });
});

describe('pacekeeper restore', () => {
  it('says where two histories diverge, and what the copy lacks although numbers are equal', async () => {
    const record = async (now: string, ...commands: (readonly string[])[]) => {
      for (const args of commands) expect([args, await used.run(args, now)]).toMatchObject([args, { code: 0 }]);
    };
    const [shared] = used.rows('SELECT count(*) AS events FROM budget_event') as [{ events: number }];
    await record('2026-11-20T13:00:00Z', ['freeze', '--why', 'one way'], ['extract'], ['backup', 'other.sqlite']);
    await record('2026-11-20T14:00:00Z', ['restore', 'copy.sqlite'], ['extract']);
    used.execute(messageSince('lost', '2026-11-20T14:01:00Z'));
    const other = new Database(used.at('other.sqlite'));
    other.exec(messageSince('other', '2026-11-20T13:01:00Z')).close();
    const { code, stdout } = await used.run(['restore', 'other.sqlite'], '2026-11-20T15:00:00Z');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('The newest run in it is 2, started 2026-11-20 13:00 UTC.'),
    ]);
    expect(stdout).toContain(
      `\nThe copy and the old file diverged after event ${shared.events}: the same event number stands for different events.\nNot in the copy: run 3 and 2 events of the record. Run pacekeeper extract`,
    );
    expect(stdout).toContain('\n1 message sent since is not in the copy');
    expect(stdout).not.toContain('The copy has every run');
    expect(stdout).toContain('Budgets are frozen');
  });

  it('says that nothing is missing if the copy continues the old file', async () => {
    expect(await used.run(['freeze', '--why', 'a trial'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await used.run(['backup', 'later.sqlite'])).toMatchObject({ code: 0 });
    rmSync(used.state);
    renameSync(used.at('copy.sqlite'), used.state);
    const { code, stdout } = await used.run(['restore', 'later.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('The copy has every run and event of the old file.')]);
  });

  it('distinguishes runs of the same number when no budget changed', async () => {
    expect(await used.run(['extract'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await used.run(['backup', 'other.sqlite'])).toMatchObject({ code: 0 });
    expect(await used.run(['restore', 'copy.sqlite'])).toMatchObject({ code: 0 });
    expect(await used.run(['extract'], '2026-11-20T14:00:00Z')).toMatchObject({ code: 0 });
    const { code, stdout } = await used.run(['restore', 'other.sqlite']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('diverged: the same event number stands for different events.'),
    ]);
    expect(stdout).toContain('\nNot in the copy: run 3 and 1 event of the record. Run pacekeeper extract');
    expect(stdout).toContain('so the restore freezes no budgets');
  });

  it('says that the copy of a new folder shares nothing with the old file', async () => {
    for (const _ of [2, 3]) expect(await used.run(['extract'])).toMatchObject({ code: 0 });
    const anew = await usedFolder();
    rmSync(anew.at('data'), { recursive: true });
    expect(await anew.run(['extract'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await anew.run(['freeze', '--why', 'a trial'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await anew.run(['backup', used.at('anew.sqlite')])).toMatchObject({ code: 0 });
    const { code, stdout } = await used.run(['restore', 'anew.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('\nThe copy and the old file have no event')]);
    expect(stdout).toContain('\nNot in the copy: runs 1 to 3 and 4 events of the record. Run pacekeeper extract');
  });
});
