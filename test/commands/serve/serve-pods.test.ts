import { expect, it } from 'vitest';
import { describePostgres, freshDatabase, onDatabase, readerOf } from '../../support/postgres-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES } from '../../support/trim-rule.ts';
import { NOON, writeFolder } from '../../support/world.ts';
import { runInProcess } from '../run-in-process.ts';
import { type Served, serveInProcess } from './serve-in-process.ts';

/** Each has a data folder of its own, and nothing in common but the database. */
async function pod(url: string): Promise<Served> {
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  return serveInProcess(folder, envOf(url));
}

const envOf = (url: string) => ({ PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: NOON });

const tokenOf = async (url: string) => {
  const args = ['serve', 'token', '--role', 'approver', '--name', 'anna'];
  return (await runInProcess(args, { folder: tempDir(), env: envOf(url) })).stdout.trim();
};

async function send(at: Served, path: string, cookie: string, fields?: Readonly<Record<string, string>>) {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const form = fields && { method: 'POST', body: new URLSearchParams(fields) };
  const answer = await fetch(at.ready.address + path, { headers, redirect: 'manual', ...form });
  const set = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: answer.status, text: await answer.text(), cookie: set };
}

async function loggedIn(at: Served, token: string): Promise<string> {
  return (await send(at, '/login', '', { token })).cookie;
}

const FREEZE = '/inbox?act=freeze&on=';

describePostgres('two pods with one database', () => {
  it('share a login, its form, which counts once, and its end', async () => {
    const url = await freshDatabase();
    const one = await pod(url);
    const other = await pod(url);
    const cookie = await loggedIn(one, await tokenOf(url));
    const page = await send(one, FREEZE, cookie);
    const fields = [...page.text.matchAll(/name="(act|on|seen|form)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const form = { ...Object.fromEntries(fields), why: 'a sale' };
    expect((await send(other, '/inbox', cookie, form)).status).toBe(200);
    for (const at of [one, other]) {
      const again = await send(at, '/inbox', cookie, form);
      expect([again.status, again.text]).toEqual([409, expect.stringContaining('already sent')]);
    }
    expect(await onDatabase(url, 'SELECT kind, detail FROM pacekeeper.budget_event')).toHaveLength(1);
    expect((await send(one, '/logout', cookie, {})).status).toBe(303);
    expect((await send(other, '/runs', cookie)).status).toBe(401);
  });

  it('hide tokens and forms from a role that reads the published tables', async () => {
    const url = await freshDatabase();
    await tokenOf(url);
    const reader = await readerOf(url);
    for (const table of ['access_token', 'spent_id']) {
      const reading = onDatabase(reader, `SELECT * FROM pacekeeper.${table}`);
      await expect(reading).rejects.toThrow('permission denied for schema pacekeeper');
    }
  });
});
