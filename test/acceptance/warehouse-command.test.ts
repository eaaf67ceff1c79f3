import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { accountsService, STATS_QUERY, statsRow } from '../support/accounts-service.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writeFolder } from '../support/world.ts';

async function scene() {
  const folder = tempDir();
  writeFolder(folder, 'queries', { 'stats.sql': STATS_QUERY });
  writeFolder(folder, 'rules', {});
  const { env } = await accountsService({
    accounts: 2,
    onStream: (_customer, _response, end) => end([statsRow('2026-11-18', 7), statsRow('2026-11-19', 8)]),
  });
  const run = (...args: string[]) =>
    runInProcess(args, { folder, env: { ...env, PACEKEEPER_NOW: '2026-11-20T12:00:00Z' }, columns: 100 });
  return { folder, run };
}

describe('pacekeeper warehouse rebuild', () => {
  it('takes the rows away and names the command that brings them back, which does', async () => {
    const { run } = await scene();
    await run('extract');
    const { code, stdout } = await run('warehouse', 'rebuild', 'stats');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'Table stats was made anew for its query; 4 rows were taken away.\n' +
        'next step: pacekeeper extract --query stats --from 2026-11-13 --to 2026-11-19\n',
    });
    expect((await run('coverage')).stdout).toBe('No day was read yet.\n');
    const again = await run('extract', '--query', 'stats', '--from', '2026-11-13', '--to', '2026-11-19');
    expect(again.stdout).toContain('Done: 4 rows read.');
  });

  it('refuses a name that no query has, and a folder without a state file', async () => {
    const { run } = await scene();
    expect((await run('warehouse', 'rebuild', 'stats')).stderr).toMatch(/There is no .*state\.sqlite/);
    await run('extract');
    const { code, stderr } = await run('warehouse', 'rebuild', 'nothing');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no query nothing; there are stats.');
  });

  it('makes way for a query whose column has become of another type', async () => {
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
