import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../../src/config/read-settings.ts';
import { pagesOfThisThread } from '../../../src/dashboard/status/page-work.ts';
import { engineOf } from '../../../src/engine/folder/engine.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY = '2026-11-20T09:00:00Z';
const DAY_AFTER = '2026-11-21T09:00:00Z';

const FILES = {
  'queries/campaign_now.sql':
    'SELECT campaign.id, campaign.name, campaign_budget.id, campaign_budget.amount_micros FROM campaign',
  'queries/ad_stats.sql': `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`,
  'rules/trim.yaml': `description: Trim.
from: ad_stats
for: campaign
over: 7 days
when: clicks >= 1
currency: EUR
change: decrease budget by 10%
limits: { floor: 60, step: 10%, cooldown: 3 days }
mode: apply
`,
};

async function reported(): Promise<string> {
  const folder = tempDir();
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  await run(folder, DAY, 'report');
  return folder;
}

async function run(folder: string, at: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runInProcess([...args], { folder, env: { PACEKEEPER_NOW: at } });
  expect(code, stderr).toBe(0);
}

type Pages = ReturnType<typeof pagesOfThisThread>;

const depsIn = async (folder: string) => ({
  settings: await readSettings(folder, {}, {}),
  clock: fakeClock(DAY_AFTER),
});

/** Pages of a process that has shown none before. */
async function freshPages(folder: string): Promise<Pages> {
  vi.resetModules();
  const fresh = await import('../../../src/dashboard/status/page-work.ts');
  return fresh.pagesOfThisThread(await depsIn(folder));
}

async function look(pages: Pages, customer: string): Promise<string[]> {
  const paths = ['/', `/accounts/${customer}`, '/budgets', '/runs'];
  const queries = ['', 'from=2026-11-05&to=2026-11-18'];
  const shown: string[] = [];
  for (const path of paths)
    for (const query of queries) shown.push((await pages.render({ path, query, role: 'viewer' })).html);
  return shown;
}

function edit(folder: string, sql: string): string {
  const file = new Database(join(folder, 'data', 'state.sqlite'));
  const found = file.prepare(sql);
  const value = found.reader ? String(found.pluck().get()) : String(found.run().changes);
  file.close();
  return value;
}

const CHANGED = "SELECT min(customer_id) FROM budget_intent WHERE state = 'applied'";

describe('pages that were shown before', () => {
  it.each<[sentence: string, change: (folder: string, customer: string) => Promise<unknown>]>([
    ['a new publication', (folder) => run(folder, DAY_AFTER, 'report')],
    [
      'a change that was undone',
      async (folder) => {
        const id = edit(folder, "SELECT min(id) FROM budget_intent WHERE state = 'applied'");
        await run(folder, DAY, 'budgets', 'undo', `B${id}`, '--by', 'anna');
      },
    ],
    [
      'an account with another name',
      async (folder, customer) => edit(folder, `UPDATE account SET name = 'Renamed' WHERE customer_id = ${customer}`),
    ],
  ])('are those of a new process after %s', async (_sentence, change) => {
    const folder = await reported();
    const customer = edit(folder, CHANGED);
    const pages = pagesOfThisThread(await depsIn(folder));
    const before = await look(pages, customer);
    expect(await look(pages, customer)).toEqual(before);
    await change(folder, customer);
    const after = await look(pages, customer);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await look(await freshPages(folder), customer));
  });

  it.each<[sentence: string, lose: (state: string, older: string) => void, words: string]>([
    ['an older copy came back', (state, older) => copyFileSync(older, state), 'lacks event'],
    ['the file was lost', (state) => rmSync(state), 'There is no'],
    ['the file was emptied', (state) => truncateSync(state), 'is empty'],
  ])('are refused when %s while pages are served, and are back with the file', async (_sentence, lose, words) => {
    const folder = await reported();
    const state = join(folder, 'data', 'state.sqlite');
    const older = join(folder, 'older.sqlite');
    const newer = join(folder, 'newer.sqlite');
    edit(folder, 'PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(state, older);
    await run(folder, DAY_AFTER, 'report');
    edit(folder, 'PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(state, newer);
    const pages = await freshPages(folder);
    const ask = () => pages.render({ path: '/budgets', query: '', role: 'viewer' });
    const before = await ask();
    expect(before.status).toBe(200);
    lose(state, older);
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.html).toContain(words);
    copyFileSync(newer, state);
    expect(await ask()).toEqual(before);
  });

  it('leave the file to a process that needs it alone', async () => {
    const folder = await reported();
    const pages = await freshPages(folder);
    await pages.render({ path: '/budgets', query: '', role: 'viewer' });
    const alone = `const file = new (require('better-sqlite3'))(process.argv[1], { timeout: 1000 });
      file.pragma('locking_mode = EXCLUSIVE');
      file.exec('BEGIN IMMEDIATE; COMMIT');
      console.log('alone');`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', alone, join(folder, 'data', 'state.sqlite')]);
    expect(stdout.trim()).toBe('alone');
    expect((await pages.render({ path: '/budgets', query: '', role: 'viewer' })).status).toBe(200);
  });

  it('show a form only to the visitor who may send it', async () => {
    const folder = await reported();
    const pages = pagesOfThisThread(await depsIn(folder));
    const ask = async (form: string | undefined) =>
      (await pages.render({ path: '/inbox', query: 'act=freeze&on=', role: 'approver', form })).html;
    expect(await ask('proof-of-anna')).toContain('proof-of-anna');
    expect(await ask('proof-of-ben')).not.toContain('proof-of-anna');
    expect(await ask(undefined)).not.toContain('proof-of');
  });
});

describe('a page that is being made', () => {
  it('goes on with the publication that it began with', async () => {
    const folder = await reported();
    const { settings } = await depsIn(folder);
    const engine = await engineOf(settings);
    const path = join(settings.paths.data, 'warehouse.sqlite');
    const first = await engine.openSnapshot(1000);
    const read = async (store: typeof first) => {
      const file = await store.warehouse.openPublished(path);
      const at = await file?.newestReading(undefined);
      file?.close();
      return at;
    };
    const before = await read(first);
    await run(folder, DAY_AFTER, 'report');
    expect(await read(first)).toBe(before);
    await first.close();
    const second = await engine.openSnapshot(1000);
    expect(await read(second)).toBe(DAY_AFTER);
    await second.close();
  });
});
