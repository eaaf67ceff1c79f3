import { addDays, type CivilDate, daysBetween, daysOf, instantText } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { accountToday } from '../../src/engine/read/day-state.ts';
import { recordReading } from '../../src/storage/records/runs/account-days.ts';
import { upsertAccounts } from '../../src/storage/records/runs/account-table.ts';
import { recordRunAccounts } from '../../src/storage/records/runs/run-account-table.ts';
import { endRun } from '../../src/storage/records/runs/run-table.ts';
import { endSlice, insertSlices } from '../../src/storage/records/runs/slice-table.ts';
import type { StateFile } from '../../src/storage/records/sqlite/open-state.ts';
import { beginRun } from '../support/state.ts';

export const BEGIN = '2026-03-24T00:30:00Z';
export const DAYS = 7;
/** The clocks go forward on the 29th in the first; the last one's calendar is not known. */
export const ZONES = { '11': 'Europe/Berlin', '12': 'America/Los_Angeles', '13': undefined } as const;
export const CUSTOMERS = ['11', '12', '13'].map(customerId);
export const STATS = { name: 'stats', text: 'SELECT clicks' };
export const CHANGED = { name: 'stats', text: 'SELECT clicks, cost' };
const LIST = { name: 'list', text: 'SELECT name' };
const HOUR_MS = 3_600_000;
const NONE = { accounts: 3, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0 };

/** Numbers from 0 to below 1 that are the same for a seed. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Runs of some days as the program leaves them: most hours one, some over midnight or the hour at which days close, some that failed or died;
 * today's numbers grow, those of days before move for a while; the query changes once.
 */
export async function pastRuns(state: StateFile, seed: number): Promise<void> {
  const chance = chances(seed);
  state.connection.pragma('synchronous = OFF');
  const accounts = CUSTOMERS.map((id) => ({
    customerId: id,
    name: undefined,
    currency: 'EUR',
    timeZone: ZONES[id as keyof typeof ZONES],
  }));
  await upsertAccounts(state.db, accounts, Date.parse(BEGIN));
  const changedAfter = Math.floor(DAYS * 24 * (0.4 + chance() / 4));
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    if (chance() < 0.25) continue;
    const nowMs = Date.parse(BEGIN) + hour * HOUR_MS + Math.floor(chance() * 40) * 60_000;
    await oneRun(state, nowMs, hour > changedAfter ? CHANGED : STATS, chance);
  }
}

async function oneRun(state: StateFile, nowMs: number, stats: typeof STATS, chance: () => number): Promise<void> {
  const { db } = state;
  const command = chance() < 0.2 ? 'extract' : 'report';
  const runId = await beginRun(db, { command, nowMs });
  let atMs = nowMs;
  for (const customer of CUSTOMERS) {
    const timeZone = ZONES[customer as keyof typeof ZONES];
    const today = accountToday(timeZone, nowMs);
    const days = { from: addDays(today, -1 - Math.floor(chance() * 3)), to: today };
    const parts =
      chance() < 0.3
        ? [
            { from: days.from, to: days.from },
            { from: addDays(days.from, 1), to: today },
          ]
        : [days];
    const about = { runId, customerId: customer, expected: command === 'report' || chance() < 0.5 };
    const slices = await insertSlices(db, [
      ...parts.map((part) => ({ ...about, query: stats.name, queryText: stats.text, days: part })),
      { ...about, query: LIST.name, queryText: LIST.text, days: undefined },
    ]);
    for (const slice of slices) {
      // Half an hour at times.
      atMs += chance() < 0.1 ? 25 * 60_000 : 1000;
      const end = { startedMs: atMs, endedMs: atMs + 1000 };
      const lot = chance();
      if (lot < 0.06) continue;
      if (lot < 0.12) await endSlice(db, slice.id, { ...end, state: 'failed', error: 'HTTP 500' });
      else if (lot < 0.14) await endSlice(db, slice.id, { ...end, state: 'cut' });
      else {
        if (slice.days) {
          const readDays = daysOf(slice.days).map((date) => readDay(date, accountToday(timeZone, atMs), chance));
          const asked = { query: slice.query, queryText: slice.queryText, customerId: customer };
          await recordReading(db, { ...asked, sliceId: slice.id, readMs: atMs, days: readDays });
        }
        await endSlice(db, slice.id, { ...end, state: 'done', rows: 1n, ...(slice.days && { days: slice.days }) });
      }
    }
  }
  // Now and then the process ends before the run does.
  if (chance() < 0.05) return;
  const failed = chance() < 0.2;
  if (failed && chance() < 0.5) return endRun(db, runId, { ...NONE, state: 'failed', nowMs: atMs, failures: ['x'] });
  await recordRunAccounts(
    db,
    runId,
    CUSTOMERS.map((customer) => ({ customerId: customer, state: 'read' as const, reason: undefined })),
  );
  await endRun(db, runId, { ...NONE, state: failed ? 'failed' : 'done', nowMs: atMs, failures: failed ? ['x'] : [] });
}

function readDay(date: CivilDate, today: CivilDate, chance: () => number) {
  const daysAfter = daysBetween(date, today);
  const moves = daysAfter === 0 ? 0.8 : 0.2 / daysAfter;
  const clicks = chance() < moves ? Math.floor(chance() * 50) : 7;
  const state = daysAfter > 0 ? ('settled' as const) : ('provisional' as const);
  return { date, state, rows: 1n, totals: `{"clicks":"${clicks}"}`, daysAfter };
}

/** After all of them. */
export const LATER = instantText(Date.parse(BEGIN) + (DAYS + 2) * 24 * HOUR_MS);
/** In the middle of them. */
export const MIDDLE = instantText(Date.parse(BEGIN) + (DAYS - 3) * 24 * HOUR_MS);
export const ALL_DAYS = { from: civilDate('2026-03-01'), to: civilDate('2026-04-30') };
