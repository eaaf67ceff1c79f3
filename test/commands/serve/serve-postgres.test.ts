import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { describePostgres, onDatabase, ownPostgres, urlOf } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

const PAGES = sample([
  '/',
  '/inbox',
  '/budgets',
  '/alerts',
  '/coverage',
  '/runs',
  '/runs/1',
  '/explore',
  '/inbox?act=freeze',
]);
const SECRET = 'an-app-secret';

const eachWith = (status: number) => PAGES.map((path) => [path, status]);

describePostgres('pacekeeper serve with PostgreSQL', () => {
  it('shows each page and keeps webhooks; while the server is away it says so, and then goes on', async () => {
    const server = await ownPostgres();
    const url = urlOf(server, 'postgres');
    const env = { PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: '2026-11-20T12:00:00Z', GRAPH_APP_SECRET: SECRET };
    const folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', {});
    const served = await serveInProcess(folder, env);
    const { address } = served.ready;
    const { stdout: token } = await runInProcess(['serve', 'token'], { folder, env });
    const headers = { authorization: `Bearer ${token.trim()}` };
    const textOf = async (path: string) => (await fetch(address + path, { headers })).text();
    const statuses = async () => {
      const answers: unknown[] = [];
      for (const path of PAGES) answers.push([path, (await fetch(address + path, { headers })).status]);
      return answers;
    };
    const webhook = async (id: string) => {
      const body = JSON.stringify({ object: 'page', entry: [{ id }] });
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      const init = { method: 'POST', body, headers: { 'x-hub-signature-256': signature } };
      return (await fetch(`${address}/webhooks/graph`, init)).status;
    };
    // Before the first run.
    expect((await fetch(`${address}/runs`, { headers })).status).toBe(200);
    expect((await runInProcess(['report', '--dry-run'], { folder, env })).code).toBe(0);
    expect(await statuses()).toEqual(eachWith(200));
    expect(await textOf('/runs/1')).toContain('dry run');
    expect(await textOf('/metrics')).toMatch(/pacekeeper_state_readable 1\n[\s\S]*pacekeeper_runs\{/);
    expect([await webhook('1'), await webhook('1')]).toEqual([200, 200]);
    await served.until(/kept as webhook_event 1/);

    server.stop();
    expect(await statuses()).toEqual(eachWith(503));
    expect(await textOf('/')).toContain('cannot be reached');
    expect(await textOf('/metrics')).toContain('pacekeeper_state_readable 0\n');
    expect((await fetch(`${address}/health`)).status).toBe(503);
    expect(await webhook('2')).toBe(503);

    server.start();
    expect(await webhook('2')).toBe(200);
    expect((await fetch(`${address}/`, { headers })).status).toBe(200);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    // Numbers of PostgreSQL have gaps.
    await served.until(/(kept as webhook_event \d+[\s\S]*){2}/);
    expect(await served.stop()).toBe(0);
    expect(await onDatabase(url, 'SELECT outcome FROM pacekeeper.webhook_event')).toEqual([['kept'], ['kept']]);
    expect(served.stderr()).not.toContain('correct-horse');
  });
});
