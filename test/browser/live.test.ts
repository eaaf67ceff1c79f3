import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { upsertAccounts } from '../../src/storage/records/runs/account-table.ts';
import { endRun, startRun } from '../../src/storage/records/runs/run-table.ts';
import { endSlice, insertSlices, type PlannedSlice } from '../../src/storage/records/runs/slice-table.ts';
import { openState, type StateFile } from '../../src/storage/records/sqlite/open-state.ts';
import { acquireRunLock } from '../../src/storage/records/sqlite/run-lock.ts';
import { logIn, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const NOW = '2026-11-20T12:00:00Z';
const NOW_MS = Date.parse(NOW);
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-browser-'));
let served: Served;
let state: StateFile;
let lock: ReturnType<typeof acquireRunLock>;

beforeAll(async () => {
  served = await serveFolder(folder, { PACEKEEPER_NOW: NOW });
  state = await openState(join(folder, 'data', 'state.sqlite'));
  lock = acquireRunLock(join(folder, 'data'), 'report', NOW);
});
afterAll(async () => {
  await served.close();
  await state.close();
  if (lock.kind === 'acquired') lock.release();
  rmSync(folder, { recursive: true });
});

/** The page that asks for the token has the status 401, which the console repeats. */
const isUnexpected = (text: string) => !/status of 401/.test(text);

/** Begins a run that has two slices to read. */
async function begin(): Promise<{ readonly runId: bigint; readonly slices: readonly PlannedSlice[] }> {
  const { db } = state;
  const start = { target: 'sandbox', targetKind: 'sandbox', mode: 'propose', dryRun: false, nowMs: NOW_MS } as const;
  const runId = await startRun(db, { command: 'report', ...start });
  const id = customerId('1234567890');
  await upsertAccounts(db, [{ customerId: id, name: undefined, currency: undefined, timeZone: undefined }], NOW_MS);
  const slice = { runId, query: 'q', queryText: '', customerId: id, days: undefined, expected: true };
  return { runId, slices: await insertSlices(db, [slice, slice]) };
}

async function read(slice: PlannedSlice | undefined): Promise<void> {
  if (slice) await endSlice(state.db, slice.id, { state: 'done', startedMs: NOW_MS, endedMs: NOW_MS, rows: 1500n });
}

async function end(runId: bigint): Promise<void> {
  const numbers = { accounts: 1, rowsRead: 3000n, budgetChanges: 0, messagesSent: 0, operations: 0, failures: [] };
  await endRun(state.db, runId, { state: 'done', nowMs: NOW_MS, ...numbers });
}

describe('the line about a run in progress', () => {
  it('changes and ends with JavaScript, without a reload, a violation or a complaint', async () => {
    const { address, token } = served;
    const { page, complaints, elsewhere, close } = await visit(address, { javaScriptEnabled: true });
    const { runId, slices } = await begin();
    await logIn(page, address, token);
    for (const path of ['/', `/runs/${runId}`]) {
      await page.goto(address + path);
      expect(await page.locator('h1').count()).toBe(1);
    }
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    const line = page.getByRole('status');
    await page.getByText(`Run ${runId} (report) in progress: 0 of 2 slices read, 0 rows.`).waitFor();
    await read(slices[0]);
    await page.getByText(`Run ${runId} (report) in progress: 1 of 2 slices read, 1,500 rows.`).waitFor();
    await end(runId);
    await page.getByText(`Run ${runId} (report) ended: done.`).waitFor();
    const link = line.getByRole('link', { name: 'Show the run' });
    expect(await link.getAttribute('href')).toBe(`${address}/runs/${runId}`);
    expect([loads, complaints.filter(isUnexpected), elsewhere]).toEqual([0, [], []]);
    await line.getByRole('button', { name: 'Show new figures' }).click();
    // The new page has the run's figures, so the line has nothing to tell.
    await page.waitForFunction("document.querySelector('.live').textContent === ''");
    await expect.poll(() => loads).toBe(1);
    await close();
  });

  it('offers new figures on a page that was hidden during the whole run, and changes none by itself', async () => {
    const { address, token } = served;
    const { page, close } = await visit(address, { javaScriptEnabled: true });
    await logIn(page, address, token);
    await page.goto(`${address}/runs`);
    const body = await page.locator('main').innerHTML();
    const hide = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hide(true);
    const { runId } = await begin();
    await end(runId);
    await hide(false);
    await page.getByText(`Run ${runId} (report) ended: done.`).waitFor();
    expect(await page.locator('main').innerHTML()).toBe(body);
    await page.getByRole('button', { name: 'Show new figures' }).click();
    await page.getByRole('link', { name: `Run ${runId}, report` }).waitFor();
    await close();
  });

  it('appears on an open page when a run starts', async () => {
    const { address, token } = served;
    const { page, complaints, close } = await visit(address, { javaScriptEnabled: true });
    await logIn(page, address, token);
    expect(await page.getByRole('status').textContent()).toBe('');
    const { runId } = await begin();
    await page.getByText(`Run ${runId} (report) in progress: 0 of 2 slices read, 0 rows.`).waitFor();
    await end(runId);
    expect(complaints.filter(isUnexpected)).toEqual([]);
    await close();
  });

  it('is there without JavaScript, and says how to get news', async () => {
    const { address, token } = served;
    const { runId } = await begin();
    const { page, asked, close } = await visit(address);
    await logIn(page, address, token);
    const words = `Run ${runId} (report) in progress: 0 of 2 slices read, 0 rows. Reload for news.`;
    expect(await page.getByRole('status').textContent()).toBe(words);
    expect(asked.some((url) => url.includes('/live'))).toBe(false);
    await end(runId);
    await close();
  });

  it('has no violation that axe-core finds', async () => {
    const { address, token } = served;
    const { runId } = await begin();
    // The policy of the page forbids the script of the checker.
    const { page, close } = await visit(address, { javaScriptEnabled: true, bypassCSP: true });
    await logIn(page, address, token);
    await page.getByText('slices read').waitFor();
    const check = async () => {
      await page.addScriptTag({ path: AXE });
      const { violations } = (await page.evaluate('axe.run()')) as { readonly violations: readonly { id: string }[] };
      expect(violations.map(({ id }) => id)).toEqual([]);
    };
    await check();
    await end(runId);
    await page.getByText('ended: done.').waitFor();
    await check();
    await close();
  });
});
