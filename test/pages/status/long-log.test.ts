import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, expect, it } from 'vitest';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { recordFreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { recordHead } from '../../../src/storage/records/budgets/record-head.ts';
import { endRun, noteProof } from '../../../src/storage/records/runs/run-table.ts';
import { type Served, serveFolder } from '../../browser/served.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { beginRun, NOW_MS, someIntent, stateIn } from '../../support/state.ts';
import { NOON } from '../../support/world.ts';

const LINES = 10_000;
const CHANGES = 6_000;
const PERSONS = 500;
const PAGE_BYTES_MAX = 1_000_000;
const ENTRIES_MAX = 200;
/** As long as a service allows. */
const NAME = '<b>Регенкуртки</b> & "söhne" '.repeat(11).slice(0, 300);

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
let serving: Promise<Served> | undefined;
afterAll(async () => {
  await (await serving)?.close();
  rmSync(folder, { recursive: true });
});

/** Changes of 500 accounts, then freezes by 500 persons, a minute each. A run verified all but the last 100 events. */
async function serve(): Promise<Served> {
  const state = await stateIn(join(folder, 'data'));
  const startMs = NOW_MS - LINES * 60_000;
  const run = await beginRun(state.db);
  await state.db.transaction().execute(async (trx) => {
    for (let line = 0; line < LINES; line += 1) {
      const nowMs = startMs + line * 60_000;
      const person = `${NAME.slice(0, 70)} ${line % PERSONS}`;
      const account = customerId(String(1_000_000_000 + (line % 500)));
      const change = { customerId: account, budgetId: budgetId(String(line + 1)), campaignName: NAME };
      if (line < CHANGES) await insertIntent(trx, undefined, someIntent(change), nowMs);
      else await recordFreeze(trx, { by: person, why: NAME }, nowMs);
      if (line === LINES - 101) await noteProof(trx, run, { head: await recordHead(trx), proven: 'whole' });
    }
  });
  const nothing = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, failures: [] };
  await endRun(state.db, run, { state: 'done', nowMs: NOW_MS, ...nothing });
  await state.close();
  return serveFolder(folder, { PACEKEEPER_NOW: NOON }, 'approver');
}

async function get(path: string): Promise<string> {
  serving ??= serve();
  const { address, token } = await serving;
  const answer = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const idsIn = (page: string) => [...page.matchAll(/<li id="e(\d+)">/g)].map(([, id]) => Number(id));
const linkIn = (page: string, words: string) =>
  new RegExp(`href="\\.(/log[^"]*)"[^>]*>${words}<`).exec(page)?.[1]?.replaceAll('&amp;', '&');

it('of 10,000 entries is a valid page of at most 1 MB that says how many it shows', async () => {
  const page = await get('/log');
  expect(idsIn(page)).toHaveLength(ENTRIES_MAX);
  expect(page).toContain('10,000 entries, 200 on this page.');
  expect(page).toContain('This page verified the newest 100.');
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
  expect(await htmlFindings(page)).toEqual([]);
  const long = await get(`/log?kind=change`);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
  expect(long).toContain(`${CHANGES.toLocaleString('en-US')} entries`);
});

it('leads with links to all entries, once each, and back', async () => {
  const first = await get('/log');
  const ids: number[] = [];
  let page = first;
  for (let pages = 1; ; pages += 1) {
    ids.push(...idsIn(page));
    const next = linkIn(page, 'Older');
    if (next === undefined) {
      expect(pages).toBe(LINES / ENTRIES_MAX);
      break;
    }
    page = await get(next);
  }
  expect(ids).toEqual(Array.from({ length: LINES }, (_, index) => LINES - index));
  const back = await get(linkIn(page, 'Newer') ?? '');
  expect(idsIn(back).at(-1)).toBe(ENTRIES_MAX + 1);
  expect(idsIn(await get(linkIn(back, 'Newest') ?? ''))).toEqual(idsIn(first));
});

it('downloads all entries, or those of the filter', async () => {
  // A slow machine reads so long that the server closes an idle connection.
  const whole = await get('/log?format=csv');
  const one = await get('/log?format=csv&customer=1000000007');
  const all = parse<Record<string, string>>(whole, { columns: true });
  expect(all).toHaveLength(LINES);
  expect(all.filter(({ row }) => row === 'change')).toHaveLength(CHANGES);
  expect(all.reduce((sum, { to_micros: to }) => sum + BigInt(to || 0), 0n)).toBe(BigInt(CHANGES) * someIntent().to);
  expect(parse(one, { columns: true })).toHaveLength(CHANGES / 500);
});
