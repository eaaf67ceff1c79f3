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
  it('says where two histories parted, and what of the one is not in the other although numbers are the same', async () => {
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
    expect([code, stdout]).toEqual([0, expect.stringContaining('The newest run in it is 2, begun 2026-11-20T13:00:0')]);
    expect(stdout).toContain(
      `\nThe copy and the file that was there have gone separate ways since event ${shared.events}: what has the same number in both is not the same.\nNot in the copy: run 3 and 2 events of the record. Days that`,
    );
    expect(stdout).toContain('\n1 message sent since is not in it');
    expect(stdout).not.toContain('The copy has every run');
    expect(stdout).toContain('Budgets are frozen');
  });

  it('says that nothing is missing where the copy goes on from what was there', async () => {
    expect(await used.run(['freeze', '--why', 'a trial'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await used.run(['backup', 'later.sqlite'])).toMatchObject({ code: 0 });
    rmSync(used.state);
    renameSync(used.at('copy.sqlite'), used.state);
    const { code, stdout } = await used.run(['restore', 'later.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('The copy has every run and every event that were')]);
  });

  it('tells runs of the same number apart where no budget was changed', async () => {
    expect(await used.run(['extract'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await used.run(['backup', 'other.sqlite'])).toMatchObject({ code: 0 });
    expect(await used.run(['restore', 'copy.sqlite'])).toMatchObject({ code: 0 });
    expect(await used.run(['extract'], '2026-11-20T14:00:00Z')).toMatchObject({ code: 0 });
    const { code, stdout } = await used.run(['restore', 'other.sqlite']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('have gone separate ways: what has the same number')]);
    expect(stdout).toContain('\nNot in the copy: run 3 and 1 event of the record. Days that');
    expect(stdout).toContain('so budgets are not frozen for it');
  });

  it('says that nothing is shared with the copy of a folder that began anew', async () => {
    for (const _ of [2, 3]) expect(await used.run(['extract'])).toMatchObject({ code: 0 });
    const anew = await usedFolder();
    rmSync(anew.at('data'), { recursive: true });
    expect(await anew.run(['extract'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await anew.run(['freeze', '--why', 'a trial'], '2026-11-20T13:00:00Z')).toMatchObject({ code: 0 });
    expect(await anew.run(['backup', used.at('anew.sqlite')])).toMatchObject({ code: 0 });
    const { code, stdout } = await used.run(['restore', 'anew.sqlite']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('\nThe copy and the file that was there have no event'),
    ]);
    expect(stdout).toContain('\nNot in the copy: the runs 1 to 3 and 4 events of the record. Days that');
  });
});
