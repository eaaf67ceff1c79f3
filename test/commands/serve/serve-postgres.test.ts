import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { groupAtWork } from '../../support/group-at-work.ts';
import { describePostgres, freshDatabase, onDatabase, ownPostgres, urlOf } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';
import { writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

const SECRET = 'an-app-secret';

async function serve(url: string) {
  const env = { PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: '2026-11-20T12:00:00Z', GRAPH_APP_SECRET: SECRET };
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  const served = await serveInProcess(folder, env);
  const { address } = served.ready;
  const { stdout: token } = await runInProcess(['serve', 'token'], { folder, env });
  const headers = { authorization: `Bearer ${token.trim()}` };
  return {
    ...served,
    status: (format: string) => runInProcess(['status', '--format', format], { folder, env, columns: 80 }),
    report: () => runInProcess(['report', '--dry-run'], { folder, env }),
    look: async (path: string) => {
      const answer = await fetch(address + path, { headers });
      return { status: answer.status, text: await answer.text() };
    },
    webhook: async (id: string) => {
      const body = JSON.stringify({ object: 'page', entry: [{ id }] });
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      const init = { method: 'POST', body, headers: { 'x-hub-signature-256': signature } };
      return (await fetch(`${address}/webhooks/graph`, init)).status;
    },
  };
}

describePostgres('pacekeeper serve with PostgreSQL', () => {
  it('shows each page and the metrics', async () => {
    const { report, look, stop } = await serve(await freshDatabase());
    expect((await look('/runs')).status).toBe(200);
    expect((await report()).code).toBe(0);
    for (const path of ['/runs/1', '/inbox', '/budgets', '/', '/alerts', '/coverage', '/inbox?act=freeze']) {
      expect([path, (await look(path)).status]).toEqual([path, 200]);
    }
    for (const path of ['/', '/budgets']) {
      expect((await look(`${path}?campaign=WANDER`)).text).toMatch(/\d+ campaigns? ha(?:s|ve) “WANDER” in the name/);
    }
    expect((await look('/metrics')).text).toMatch(/pacekeeper_state_readable 1\n[\s\S]*pacekeeper_runs\{/);
    expect(await stop()).toBe(0);
  });

  it('shows the workers on the first page, in the metrics and in status', async () => {
    const url = await freshDatabase();
    const { report, status, look, stop } = await serve(url);
    expect((await report()).code).toBe(0);
    expect((await look('/metrics')).text).not.toMatch(/pacekeeper_(?:worker|task)/);
    expect([(await look('/')).text.includes('Workers'), (await status('table')).stdout.includes('Workers')]).toEqual([
      false,
      false,
    ]);

    await (await groupAtWork(url)).work('HTTP 403 <b>');
    const line = 'Workers: 1 live, 1 task waiting, 1 in work, 1 failed in the last day';
    expect((await look('/')).text).toMatch(
      new RegExp(
        `<summary>${line}</summary><p>Failed: read account 1000000001 on \\d+@.+, [-\\d]+ [\\d:]+ UTC: HTTP 403 &lt;b&gt;</p>`,
      ),
    );
    expect((await status('table')).stdout).toContain(`${line}\nFailed: read account 1000000001 on `);
    expect(JSON.parse((await status('json')).stdout).workers).toEqual({
      live: 1,
      live_workers: [expect.stringMatching(/^\d+@./)],
      tasks_waiting: 1,
      tasks_in_work: 1,
      tasks_failed: 1,
      failed_tasks: [
        {
          kind: 'read',
          customer_id: '1000000001',
          failed_at: expect.any(String),
          worker: expect.any(String),
          reason: 'HTTP 403 <b>',
        },
      ],
    });
    const metrics = (await look('/metrics')).text;
    expect(metrics).toContain('pacekeeper_workers_live 1\n');
    expect(metrics).toMatch(/pacekeeper_worker_heartbeat_timestamp_seconds\{worker="\d+@.+",group="group"\} \d+\n/);
    for (const state of ['waiting', 'in_work', 'failed']) {
      expect(metrics).toContain(`pacekeeper_tasks{kind="read",state="${state}"} 1\n`);
    }
    expect(await stop()).toBe(0);
  });

  it('keeps webhooks; while the server is away it says so, and then goes on', async () => {
    const server = await ownPostgres();
    const url = urlOf(server, 'postgres');
    const { webhook, look, until, stop, stderr } = await serve(url);
    expect([await webhook('1'), await webhook('1'), (await look('/health')).status]).toEqual([200, 200, 200]);
    await until(/kept as webhook_event 1/);

    expect((await look('/runs')).status).toBe(200);
    server.stop();
    expect(await look('/runs')).toMatchObject({ status: 503, text: expect.stringContaining('cannot be reached') });
    expect((await look('/metrics')).text).toContain('pacekeeper_state_readable 0\n');
    expect([await webhook('2'), (await look('/health')).status]).toEqual([503, 503]);

    server.start();
    expect([await webhook('2'), (await look('/health')).status, (await look('/runs')).status]).toEqual([200, 200, 200]);
    // Numbers of PostgreSQL have gaps.
    await until(/(kept as webhook_event \d+[\s\S]*){2}/);
    expect(await stop()).toBe(0);
    expect(await onDatabase(url, 'SELECT outcome FROM pacekeeper.webhook_event')).toEqual([['kept'], ['kept']]);
    expect(stderr()).not.toContain('correct-horse');
  });
});
