import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { liveNews } from '../../../src/dashboard/live/live-run.ts';
import { statusLive, statusPage } from '../../../src/dashboard/status/status-page.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { PAGES } from '../../../src/domain/pages.ts';
import { upsertAccounts } from '../../../src/storage/records/runs/account-table.ts';
import { endRun, startRun } from '../../../src/storage/records/runs/run-table.ts';
import { endSlice, insertSlices } from '../../../src/storage/records/runs/slice-table.ts';
import { acquireRunLock } from '../../../src/storage/records/sqlite/run-lock.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { NOW_MS, stateIn } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { NOON } from '../../support/world.ts';

const NOW = '2026-11-20T12:00:00Z';
const CUSTOMER = customerId('1234567890');
const IDS: Readonly<Record<string, string>> = { customer: CUSTOMER, id: '1' };
/** Every page but that of a budget, which this folder lacks, and the page of a run that does not exist. */
const PATHS = Object.values(PAGES)
  .map(({ path }) => path.replaceAll(/:(\w+)/g, (whole, id: string) => IDS[id] ?? whole))
  .filter((path) => !path.includes(':'))
  .concat('/runs/99');

function depsIn(folder: string) {
  return { settings: settingsFrom(folder, {}, {}, ''), clock: fakeClock(NOON) };
}

/** A run that has planned four slices, cut one of them in two, and read two. */
async function runningRun() {
  const folder = tempDir();
  const data = join(folder, 'data');
  const state = await stateIn(data);
  onTestFinished(() => state.close());
  const lock = acquireRunLock(data, 'report', NOW);
  if (lock.kind !== 'acquired') throw new Error('The lock is held.');
  onTestFinished(() => lock.release());
  const { db } = state;
  const start = { target: 'sandbox', targetKind: 'sandbox', mode: 'propose', dryRun: false, nowMs: NOW_MS } as const;
  const runId = await startRun(db, { command: 'report', ...start });
  await upsertAccounts(
    db,
    [{ customerId: CUSTOMER, name: undefined, currency: undefined, timeZone: undefined }],
    NOW_MS,
  );
  const slice = { runId, query: 'q', queryText: '', customerId: CUSTOMER, days: undefined, expected: true };
  const slices = await insertSlices(db, [slice, slice, slice, slice, slice, slice]);
  const states = ['done', 'failed', 'cut'] as const;
  for (const [index, ended] of states.entries()) {
    const one = slices[index];
    if (one) await endSlice(db, one.id, { state: ended, startedMs: NOW_MS, endedMs: NOW_MS, rows: 1500n });
  }
  return { folder, lock, db, runId };
}

const wordsOf = async (folder: string) => {
  const run = await statusLive(depsIn(folder));
  return run && (JSON.parse(liveNews(run)) as unknown);
};

const linesOf = (folder: string) =>
  Promise.all(
    PATHS.map(async (path) => {
      const { html } = await statusPage(depsIn(folder), { path, query: '', role: 'viewer' });
      return /<p class="live" role="status"(?: data-ended="\d+")?>(.*)<\/p>/.exec(html)?.[1];
    }),
  );

describe('the progress of a run', () => {
  it('counts slices that were cut as their parts', async () => {
    const { folder } = await runningRun();
    const text = 'Run 1 (report) in progress: 2 of 5 slices read, 3,000 rows.';
    expect(await wordsOf(folder)).toEqual({ run: '1', ended: false, text });
  });

  it('is on every page, which says that only a reload brings news without JavaScript', async () => {
    const { folder } = await runningRun();
    const line = 'Run 1 (report) in progress: 2 of 5 slices read, 3,000 rows.<noscript> Reload for news.</noscript>';
    expect(await linesOf(folder)).toEqual(PATHS.map((path) => (['/runs/99', '/links'].includes(path) ? '' : line)));
  });

  it.each<[sentence: string, end: (run: Awaited<ReturnType<typeof runningRun>>) => unknown, word: string]>([
    ['its process died', ({ lock }) => lock.release(), 'died'],
    [
      'another command holds the folder now',
      ({ lock, folder }) => {
        lock.release();
        const other = acquireRunLock(join(folder, 'data'), 'budgets approve', '2026-11-20T12:00:01Z');
        if (other.kind === 'acquired') onTestFinished(() => other.release());
      },
      'died',
    ],
    [
      'it has ended',
      ({ db, runId }) => {
        const numbers = { accounts: 1, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, failures: [] };
        return endRun(db, runId, { state: 'done', nowMs: NOW_MS, ...numbers });
      },
      'done',
    ],
  ])('is on no page if %s', async (_sentence, end, word) => {
    const run = await runningRun();
    await end(run);
    expect(new Set(await linesOf(run.folder))).toEqual(new Set(['']));
    expect(await wordsOf(run.folder)).toEqual({ run: '1', ended: true, text: `Run 1 (report) ended: ${word}.` });
  });

  it('is unknown without a run', async () => {
    const folder = tempDir();
    expect(await wordsOf(folder)).toBeUndefined();
    mkdirSync(join(folder, 'data'));
    await (await stateIn(join(folder, 'data'))).close();
    expect(await wordsOf(folder)).toBeUndefined();
  });

  it('is seen while a run reads the sandbox', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'queries'));
    mkdirSync(join(folder, 'rules'));
    copyFileSync('queries/campaign_spend.sql', join(folder, 'queries', 'campaign_spend.sql'));
    const seen: ReturnType<typeof statusLive>[] = [];
    const { code } = await runInProcess(['extract'], {
      folder,
      env: { PACEKEEPER_NOW: NOON },
      onWrite: (stream) => stream === 'stderr' && seen.push(statusLive(depsIn(folder))),
    });
    expect(code).toBe(0);
    const found = await Promise.all(seen);
    const running = found.filter((run) => run?.state === 'running' && run.slicesRead > 0 && run.rowsRead > 0n);
    expect(running.length).toBeGreaterThan(0);
    expect(await wordsOf(folder)).toMatchObject({ text: 'Run 1 (extract) ended: done.' });
  });
});
