import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/records/postgres/open-records.ts';
import { acquireRunLock } from '../../src/storage/records/postgres/run-lock.ts';
import { describePostgres, freshDatabase } from '../support/postgres-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';
import { commandTree } from './command-tree.ts';
import { runInProcess } from './run-in-process.ts';

const URL_AWAY = 'postgres://keeper:correct%20horse@127.0.0.1:1/away';

const ROWS = readFileSync('docs/scale-out.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));
const named = (rows: readonly string[]) =>
  rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)).sort();

const REFUSED = ['backup', 'restore'];

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  return runInProcess([...args, '--data-dir', 'data'], { folder: tempDir(), env });
}

describe('the page about PostgreSQL', () => {
  it('lists each command once, and the refused ones as refused', () => {
    const commands = commandTree().flatMap(({ name }) => (/^[a-z-]+$/.test(name) ? name : []));
    expect(named(ROWS)).toEqual(commands.sort());
    expect(named(ROWS.filter((row) => row.includes('| refused')))).toEqual(REFUSED);
  });
});

describe('with a database', () => {
  it.each(REFUSED)('%s is refused in one sentence, whatever the database does', async (name) => {
    const { code, stderr } = await run([name, 'x.sqlite'], { PACEKEEPER_STORE_URL: URL_AWAY });
    expect(code).toBe(2);
    expect(stderr).toContain(`pacekeeper ${name} does not work with PostgreSQL yet.`);
  });

  it('that is away, a freeze goes to the file FREEZE, and a report says so without the password', async () => {
    const folder = tempDir();
    const env = { PACEKEEPER_STORE_URL: URL_AWAY };
    const frozen = await runInProcess(['freeze', '--by', 'anna', '--why', 'a sale', '--data-dir', '.'], {
      folder,
      env,
    });
    expect([frozen.code, readFileSync(`${folder}/FREEZE`, 'utf8')]).toEqual([0, 'a sale (anna)\n']);
    const status = await runInProcess(['status', '--data-dir', '.'], { folder, env });
    expect(status.code).toBe(1);
    expect(status.stderr).toContain('postgres://127.0.0.1:1/away cannot be reached: connection refused.');
    expect(JSON.stringify([frozen, status])).not.toMatch(/correct( |%20)horse/);
  });

  it('whose address is wrong, commands are refused without the password', async () => {
    const { code, stderr } = await run(['status'], { PACEKEEPER_STORE_URL: 'mysql://keeper:correct%20horse@host/db' });
    expect(code).toBe(2);
    expect(stderr).toContain('Invalid store.url: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
    expect(stderr).not.toMatch(/correct( |%20)horse/);
  });

  it('on another machine needs a word about TLS', async () => {
    const at = (url: string) => run(['status'], { PACEKEEPER_STORE_URL: url });
    const { code, stderr } = await at('postgres://keeper:correct%20horse@db.invalid/ads');
    expect([code, stderr]).toEqual([2, expect.stringContaining('?sslmode=verify-full')]);
    expect(stderr).not.toMatch(/correct( |%20)horse/);
    expect((await at('postgres://keeper:correct%20horse@db.invalid/ads?sslmode=disable')).stderr).toContain(
      'db.invalid',
    );
  });

  it('config show hides the address', async () => {
    const { stdout } = await run(['config', 'show'], { PACEKEEPER_STORE_URL: URL_AWAY });
    expect(stdout).toMatch(/store\.url +set \(hidden\) +environment PACEKEEPER_STORE_URL/);
    expect(stdout).not.toMatch(/correct( |%20)horse/);
  });
});

describePostgres('a server that is there', () => {
  it('status and freeze work before the first report', async () => {
    const folder = tempDir();
    const env = { PACEKEEPER_STORE_URL: await freshDatabase() };
    const at = (args: readonly string[]) => runInProcess([...args, '--data-dir', '.'], { folder, env });
    expect(await at(['status'])).toMatchObject({ code: 0 });
    expect(await at(['freeze', '--by', 'anna', '--why', 'a sale'])).toMatchObject({ code: 0 });
    expect((await at(['status'])).stdout).toContain('a sale');
    expect(await at(['unfreeze', '--by', 'anna', '--why', 'over'])).toMatchObject({ code: 0 });
  });

  it('is used by one run at a time, and a second one says by whom', async () => {
    const url = await freshDatabase();
    const folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    await (await openPostgres({ url, waitMs: 1000 })).close();
    const lock = await acquireRunLock(url, 'pacekeeper report', '2026-11-20T12:00:00Z');
    const { code, stderr } = await runInProcess(['report'], { folder, env: { PACEKEEPER_STORE_URL: url } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /error: postgres:\/\/127\.0\.0\.1:\d+\/db_\d+ is in use by pacekeeper report, process \d+ on /,
    );
    expect(stderr).toContain('next step: Wait until it ends, or give this run another database with store.url.');
    if (lock.kind === 'acquired') await lock.release();
  });
});
