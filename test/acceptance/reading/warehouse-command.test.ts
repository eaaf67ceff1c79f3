import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../commands/run-in-process.ts';
import { accountsService, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { folderStore } from '../../support/folder-store.ts';
import { byEngine } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { writeFolder } from '../../support/world.ts';

async function scene() {
  const folder = tempDir();
  writeFolder(folder, 'queries', { 'stats.sql': STATS_QUERY });
  writeFolder(folder, 'rules', {});
  const { env } = await accountsService({
    accounts: 2,
    onStream: (_customer, _response, end) => end([statsRow('2026-11-18', 7), statsRow('2026-11-19', 8)]),
  });
  const store = await folderStore(join(folder, 'data'));
  const run = (...args: string[]) =>
    runInProcess(args, { folder, env: { ...env, ...store.env, PACEKEEPER_NOW: '2026-11-20T12:00:00Z' }, columns: 100 });
  return { folder, run, store, published: () => store.rows('SELECT clicks FROM stats', 'warehouse').length };
}

const AGAIN = byEngine({
  sqlite: 'warehouse.sqlite was published again.',
  postgres: 'The views in warehouse were published again.',
});

const NO_RECORDS = byEngine({ sqlite: /File not found: .*state\.sqlite/, postgres: /has no tables of pacekeeper/ });

describe('pacekeeper warehouse rebuild', () => {
  it('removes the rows and names the command that restores them, which works', async () => {
    const { run, published } = await scene();
    await run('extract');
    const { code, stdout } = await run('warehouse', 'rebuild', 'stats');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        `Table stats was rebuilt for its query; 4 rows were deleted. ${AGAIN}\n` +
        'next step: pacekeeper extract --query stats --from 2026-11-13 --to 2026-11-19\n',
    });
    expect((await run('coverage')).stdout).toBe('No days read yet. Run pacekeeper extract.\n');
    expect(published()).toBe(0);
    const again = await run('extract', '--query', 'stats', '--from', '2026-11-13', '--to', '2026-11-19');
    expect(again.stdout).toContain('Done: 4 rows read.');
  });

  it('only says what it would do in a dry run', async () => {
    const { run, published } = await scene();
    await run('extract');
    const before = await run('coverage');
    expect(await run('warehouse', 'rebuild', 'stats', '--dry-run')).toMatchObject({
      code: 0,
      stdout:
        'Table stats would be rebuilt for its query; 4 rows would be deleted. Dry run: nothing was changed.\n' +
        'next step: pacekeeper extract --query stats --from 2026-11-13 --to 2026-11-19\n',
    });
    expect(await run('coverage')).toEqual(before);
    expect(published()).toBe(4);
  });

  it('drops a table whose query file is gone, even if other query files are invalid', async () => {
    const { run, folder, published } = await scene();
    await run('extract');
    renameSync(join(folder, 'queries', 'stats.sql'), join(folder, 'queries', 'clicks.sql'));
    writeFileSync(join(folder, 'queries', 'broken.sql'), 'SELECT');
    const { code, stdout } = await run('warehouse', 'rebuild', 'stats');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Table stats was dropped: its query file no longer exists; 4 rows were deleted. ${AGAIN}\n`,
    });
    expect(published).toThrow(/stats/);
    rmSync(join(folder, 'queries', 'broken.sql'));
    expect((await run('warehouse', 'rebuild', 'stats')).stderr).toContain(
      'Unknown query: found stats, expected one of clicks.',
    );
  });

  it('creates the table of a query that never had one', async () => {
    const { run, folder } = await scene();
    await run('extract');
    writeFileSync(join(folder, 'queries', 'more.sql'), STATS_QUERY);
    expect((await run('warehouse', 'rebuild', 'more')).stdout).toContain(
      'Table more was rebuilt for its query; the table did not exist before.',
    );
  });

  it('names only days that the service still keeps', async () => {
    const { run, store } = await scene();
    await run('extract');
    for (const date of ['2020-01-01', '2026-01-01', '2026-05-04'])
      store.execute(`INSERT INTO account_day SELECT query, customer_id, '${date}', query_text, state, rows, totals,
        slice_id, read_at FROM account_day WHERE date = '2026-11-13' LIMIT 1`);
    const { stdout } = await run('warehouse', 'rebuild', 'stats');
    expect(stdout.split('\n').slice(1)).toEqual([
      'next step: pacekeeper extract --query stats --from 2026-01-01 --to 2026-11-19',
      '',
    ]);
  });

  it('refuses an unknown query and a folder without records', async () => {
    const { run } = await scene();
    expect((await run('warehouse', 'rebuild', 'stats')).stderr).toMatch(NO_RECORDS);
    await run('extract');
    const { code, stderr } = await run('warehouse', 'rebuild', 'nothing');
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown query: found nothing, expected one of stats.');
  });

  it('lets a query load after the type of a column has changed', async () => {
    const { run, folder } = await scene();
    await run('extract');
    const other = STATS_QUERY.replace('metrics.clicks', 'metrics.ctr AS clicks');
    writeFileSync(join(folder, 'queries', 'stats.sql'), other);
    const refused = await run('extract');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('pacekeeper warehouse rebuild stats');
    expect((await run('warehouse', 'rebuild', 'stats')).code).toBe(0);
    expect((await run('extract')).code).toBe(0);
  });
});
