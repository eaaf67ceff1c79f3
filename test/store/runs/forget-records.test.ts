import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../../src/domain/chunks.ts';
import {
  addDays,
  type CivilDate,
  type DateRange,
  daysOf,
  instantOf,
  instantText,
  startOfDayMs,
} from '../../../src/domain/civil-date.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { RecordStore } from '../../../src/storage/records/record-store.ts';
import { type AskedQuery, knownDays, recordReading } from '../../../src/storage/records/runs/account-days.ts';
import {
  type DayInstantsOf,
  forgetRun,
  runsToForget,
  settleUndone,
} from '../../../src/storage/records/runs/forget-records.ts';
import { endRun } from '../../../src/storage/records/runs/run-table.ts';
import { endSlice, insertSlices, unfinishedSlices } from '../../../src/storage/records/runs/slice-table.ts';
import type { StateFile } from '../../../src/storage/records/sqlite/open-state.ts';
import { freshStore } from '../../support/both-engines.ts';
import { byEffort, isThorough } from '../../support/effort.ts';
import { describePostgres } from '../../support/postgres-server.ts';
import { beginRun, freshState } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { BEGIN, CHANGED, CUSTOMERS, LATER, MIDDLE, pastRuns, STATS, ZONES } from '../past-runs.ts';
import { answers, CLOSES_AT, tables } from '../record-readers.ts';

const MANY = 1_000_000n;

/** What each history leaves: to live through one takes longer than what most tests do with it. */
const histories = new Map<number, Promise<Buffer>>();
const ONE_FOR_ALL = 1;
const HISTORIES = byEffort({ quick: [ONE_FOR_ALL], thorough: [ONE_FOR_ALL, 2, 3] });

async function fileAfter(seed: number): Promise<Buffer> {
  const state = await freshState();
  await pastRuns(state, seed);
  return state.connection.serialize();
}

/** A state file of the test's own with all runs of a history, which in the thorough run is the test's own too. */
async function stateAfter(own: number): Promise<StateFile> {
  const seed = isThorough ? own : ONE_FOR_ALL;
  const file = histories.get(seed) ?? fileAfter(seed);
  histories.set(seed, file);
  const path = join(tempDir(), 'state.sqlite');
  writeFileSync(path, await file, { mode: 0o600 });
  const state = await freshState(path);
  state.connection.pragma('synchronous = OFF');
  return state;
}

const dayOf: DayInstantsOf = (customer, day: CivilDate) => {
  const zone = ZONES[String(customer) as keyof typeof ZONES];
  if (zone === undefined) return undefined;
  return {
    begins: instantText(startOfDayMs(day, zone)),
    closed: instantText(instantOf(day, CLOSES_AT, zone)),
    ends: instantText(startOfDayMs(addDays(day, 1), zone)),
  };
};

/** As a report does; ends after as many transactions as that. */
async function forget(state: RecordStore, before: string, steps = Number.POSITIVE_INFINITY): Promise<boolean> {
  let left = steps;
  await settleUndone(state.db, before);
  for (const run of await runsToForget(state.db, before, MANY)) {
    const through = await forgetRun(state, run, dayOf, () => {
      left -= 1;
      return left >= 0;
    });
    if (!through) return false;
  }
  return true;
}

/** A file in which runs read one account, each time with the same numbers. */
async function freshWithRuns() {
  const state = await freshState();
  let at = Date.parse(BEGIN);
  const run = async (command: string, days: DateRange, end: 'done' | 'failed') => {
    at += 3_600_000;
    const runId = await beginRun(state.db, { command, nowMs: at });
    const asked = { query: STATS.name, queryText: STATS.text, customerId: customerId('11') };
    const [slice] = await insertSlices(state.db, [{ ...asked, runId, days, expected: false }]);
    const sliceId = slice?.id ?? 0n;
    const day = { state: 'settled' as const, rows: 1n, totals: '{"clicks":"7"}', daysAfter: 1 };
    const read = daysOf(days).map((date) => ({ ...day, date }));
    if (end === 'done') await recordReading(state.db, { ...asked, sliceId, readMs: at, days: read });
    await endSlice(state.db, sliceId, { state: end, startedMs: at, endedMs: at, days });
    const counts = { accounts: 1, rowsRead: 1n, budgetChanges: 0, messagesSent: 0, operations: 1, failures: [] };
    await endRun(state.db, runId, { ...counts, state: 'done', nowMs: at });
  };
  return { state, run };
}

const countOf = ({ connection }: StateFile, table: string): number =>
  Number(connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

const KEPT_WHOLE = ['run', 'account', 'account_day'];

describe('forgotten records', () => {
  it.each(HISTORIES)('change no answer of a reader (history %i)', async (seed) => {
    const state = await stateAfter(seed);
    const before = answers(state, MIDDLE);
    const whole = await tables(state, KEPT_WHOLE);
    const slices = countOf(state, 'slice');
    const readings = countOf(state, 'day_reading');
    await forget(state, MIDDLE);
    expect(await answers(state, MIDDLE)).toEqual(await before);
    const half = [countOf(state, 'slice'), countOf(state, 'day_reading')];
    await forget(state, LATER);
    const after = await answers(state, LATER);
    expect({ ...after, recent: undefined }).toEqual({ ...(await before), recent: undefined });
    expect(await tables(state, KEPT_WHOLE)).toEqual(whole);
    expect(state.connection.pragma('foreign_key_check')).toEqual([]);
    expect(state.connection.pragma('foreign_keys', { simple: true })).toBe(1n);
    // Most of it: hourly runs are what there are most of.
    expect(half[0]).toBeLessThan(slices * 0.7);
    expect(countOf(state, 'slice')).toBeLessThan(slices * 0.35);
    expect(countOf(state, 'day_reading')).toBeLessThan(readings * 0.75);
    expect(countOf(state, 'run_account')).toBe(0);
  });

  it('end the same wherever forgetting stops or is killed, and are never half deleted', async () => {
    const state = await stateAfter(7);
    const before = await answers(state, MIDDLE);
    await forget(state, MIDDLE);
    const whole = await tables(state, ['slice', 'day_reading', 'run_account']);
    const other = await stateAfter(7);
    for (let steps = 1; !(await forget(other, MIDDLE, steps)); steps += 17) {
      expect(await answers(other, MIDDLE)).toEqual(before);
      expect(other.connection.pragma('foreign_key_check')).toEqual([]);
    }
    expect(await tables(other, ['slice', 'day_reading', 'run_account'])).toEqual(whole);
  });

  it('are examined once and never queried again', async () => {
    const state = await stateAfter(8);
    await forget(state, MIDDLE);
    const again = await runsToForget(state.db, MIDDLE, MANY);
    expect(again.length).toBeLessThan(5);
    await forget(state, LATER);
    expect(await runsToForget(state.db, MIDDLE, 1n)).toEqual([]);
  });

  it('never include the current run or a running one', async () => {
    const state = await stateAfter(9);
    const own = state.connection.prepare('SELECT max(id) FROM run').pluck().get() as bigint;
    expect(await runsToForget(state.db, LATER, own)).not.toContain(own);
    state.connection.prepare("UPDATE run SET state = 'running', ended_at = NULL WHERE id = ?").run(own - 1n);
    expect(await runsToForget(state.db, LATER, own)).not.toContain(own - 1n);
  });
});

describePostgres('forgotten records on both engines', () => {
  it.each(HISTORIES)('leave the same rows and answers (history %i)', async (seed) => {
    const sqlite = await stateAfter(seed);
    const postgres = await freshStore();
    const names = ['run', 'account', 'slice', 'account_day', 'day_reading', 'run_account'];
    const db = postgres.db.withoutPlugins().withTables<Record<string, Record<string, unknown>>>();
    for (const [table, rows] of Object.entries(await tables(sqlite, names))) {
      for (const some of chunksOf(rows, 1000)) await db.insertInto(table).values(some).execute();
    }
    for (const before of [MIDDLE, LATER]) {
      for (const state of [sqlite, postgres]) await forget(state, before);
      expect(await tables(postgres, names)).toEqual(await tables(sqlite, names));
      expect(await answers(postgres, before)).toEqual(await answers(sqlite, before));
    }
    expect((await tables(postgres, ['run_account'])).run_account).toEqual([]);
  });
});

describe('a failed transaction', () => {
  it('leaves everything unchanged, and SQLite still checks references', async () => {
    const state = await stateAfter(10);
    const before = await tables(state, ['slice', 'day_reading', 'run_account']);
    // The second of those that go together.
    state.connection.exec(`CREATE TRIGGER full BEFORE DELETE ON slice
      WHEN (SELECT count(*) FROM slice) < ${countOf(state, 'slice')} BEGIN SELECT RAISE(ROLLBACK, 'disk full'); END`);
    await expect(forget(state, LATER)).rejects.toThrow('disk full');
    state.connection.exec('DROP TRIGGER full');
    const cut = (rows: readonly Readonly<Record<string, unknown>>[] = []) => rows.map(({ id }) => id);
    expect(cut((await tables(state, ['slice'])).slice)).toEqual(cut(before.slice));
    expect(await tables(state, ['day_reading', 'run_account'])).toEqual({
      day_reading: before.day_reading,
      run_account: before.run_account,
    });
    expect(state.connection.pragma('foreign_keys', { simple: true })).toBe(1n);
    expect(await answers(state, MIDDLE)).toBeDefined();
    await forget(state, LATER);
    expect(countOf(state, 'run_account')).toBe(0);
  });
});

it('a day corrected by a later reading stays corrected after that reading’s record is gone', async () => {
  const { state, run } = await freshWithRuns();
  const days = { from: civilDate('2026-03-23'), to: civilDate('2026-03-24') };
  await run('report', days, 'done');
  await run('extract', days, 'failed');
  await run('report', days, 'done');
  await run('report', { from: days.from, to: days.from }, 'done');
  await run('report', { from: days.to, to: days.to }, 'done');
  expect(await unfinishedSlices(state.db, 'extract')).toEqual([]);
  await forget(state, LATER);
  expect(state.connection.prepare('SELECT id FROM slice ORDER BY id').pluck().all()).not.toContain(3n);
  expect(await unfinishedSlices(state.db, 'extract')).toEqual([]);
});

describe('kept records', () => {
  it('include days an extraction must still read, and the first expected day', async () => {
    const state = await stateAfter(11);
    const unfinished = await unfinishedSlices(state.db, 'extract');
    const customer = CUSTOMERS[0];
    if (customer === undefined) throw new Error('No account.');
    const firstDayOf = async (query: AskedQuery) =>
      (await knownDays(state.db, query, [customer])).get(customer)?.firstDay;
    expect(unfinished.length).toBeGreaterThan(0);
    const firstDay = await firstDayOf(STATS);
    expect(firstDay).toBeDefined();
    await forget(state, LATER);
    expect(await unfinishedSlices(state.db, 'extract')).toEqual(unfinished);
    expect(await firstDayOf(STATS)).toBe(firstDay);
    expect(await firstDayOf(CHANGED)).toBeDefined();
  });

  it('include the newest reading of each day, for the next comparison', async () => {
    const state = await stateAfter(12);
    await forget(state, LATER);
    const newest = state.connection
      .prepare(
        `SELECT account_day.* FROM account_day JOIN slice ON slice.id = slice_id
          WHERE account_day.query_text = ? ORDER BY date DESC LIMIT 1`,
      )
      .get(CHANGED.text) as { customer_id: bigint; date: CivilDate; totals: string; rows: bigint };
    const readings = countOf(state, 'day_reading');
    const customer = CUSTOMERS.find((id) => id === String(newest.customer_id));
    if (customer === undefined) throw new Error('No account.');
    const days = { from: newest.date, to: newest.date };
    const asked = { query: 'stats', queryText: CHANGED.text, customerId: customer };
    const [slice] = await insertSlices(state.db, [{ ...asked, runId: 1n, days, expected: true }]);
    const day = {
      date: newest.date,
      state: 'settled' as const,
      rows: newest.rows,
      totals: newest.totals,
      daysAfter: 9,
    };
    await recordReading(state.db, { ...asked, sliceId: slice?.id ?? 0n, readMs: Date.parse(LATER), days: [day] });
    expect(countOf(state, 'day_reading')).toBe(readings);
  });
});
