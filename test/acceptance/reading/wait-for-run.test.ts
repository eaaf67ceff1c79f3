import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountsService, STATS_QUERY } from '../../support/accounts-service.ts';
import { folderStore } from '../../support/folder-store.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON, writeFolder } from '../../support/world.ts';

it('extract --wait-for-run waits for a report of another process, and an ordinary run follows if none is on', async () => {
  const folder = tempDir();
  writeFolder(folder, 'queries', { 'one.sql': STATS_QUERY });
  mkdirSync(join(folder, 'rules'));
  const store = await folderStore(join(folder, 'data'));
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: isFollowed, resolve: follow } = Promise.withResolvers<void>();
  const service = await accountsService({
    accounts: 1,
    onStream(_customer, _response, end) {
      ask();
      void isFollowed.then(() => end([]));
    },
  });
  const env = { ...service.env, ...store.env, PACEKEEPER_NOW: NOON };
  const report = runInProcess(['report'], { folder, env });
  await isAsked;
  const following = await runInProcess(['extract', '--wait-for-run', '--format', 'json'], {
    folder,
    env,
    onWrite: (_, text) => text.includes('Following run 1 (pacekeeper report, process ') && follow(),
  });
  expect([following.code, following.stdout, (await report).code]).toEqual([0, '', 0]);
  const ordinary = await runInProcess(['extract', '--wait-for-run'], { folder, env });
  expect([ordinary.code, ordinary.stderr.includes('Following')]).toEqual([0, false]);
  expect(store.rows('SELECT id, command, state FROM run ORDER BY id')).toEqual([
    { id: 1, command: 'report', state: 'done' },
    { id: 2, command: 'extract', state: 'done' },
  ]);
});
