import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dropQueryTable, ensureQueryTable } from '../../../src/storage/warehouse/evolve-table.ts';
import { byEffort } from '../../support/effort.ts';
import type { OpenedState } from '../../support/state.ts';
import {
  contentsOf,
  freshState,
  integrityOf,
  load,
  NOW_MS,
  publishedWhole,
  publishTo,
  QUERIES,
  type QueryName,
  type SmallLoad,
  setAccount,
  writesOf,
} from '../renewed.ts';

type Step =
  | { readonly kind: 'load'; readonly load: SmallLoad }
  | { readonly kind: 'account'; readonly account: number; readonly currency: string | null }
  | { readonly kind: 'rebuild'; readonly query: QueryName }
  | { readonly kind: 'days pass' };

const names = Object.keys(QUERIES) as QueryName[];
const small = (max: number) => fc.integer({ min: 0, max });
const loads: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('load' as const),
  load: fc
    .record({
      query: fc.constantFrom(...names),
      account: small(2),
      day: small(8),
      days: fc.integer({ min: 1, max: 3 }),
      state: fc.constantFrom('settled' as const, 'provisional' as const),
      rows: fc.array(fc.record({ offset: small(12), thing: small(7), name: small(4), clicks: small(3) }), {
        maxLength: 10,
      }),
    })
    // Now and then a day comes that was not asked for.
    .map(({ rows, ...rest }) => ({
      ...rest,
      rows: rows.map(({ offset, ...row }) => ({ ...row, day: rest.day + (offset === 12 ? 5 : offset % rest.days) })),
    })),
});
const steps = fc.oneof(
  { weight: 12, arbitrary: loads },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('account' as const),
      account: small(2),
      currency: fc.constantFrom('EUR', 'USD', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const), query: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'days pass' as const }) },
);

async function take(state: OpenedState, step: Exclude<Step, { kind: 'days pass' }>): Promise<void> {
  if (step.kind === 'load') return load(state, step.load);
  if (step.kind === 'account') return setAccount(state, step.account, step.currency);
  await dropQueryTable(state, step.query);
  await ensureQueryTable(state, QUERIES[step.query]);
}

/** The same every time where they are few: among others there may be hardly one in which a file is carried on. */
const HISTORIES = byEffort<{ readonly numRuns: number; readonly seed?: number }>({
  quick: { numRuns: 5, seed: 11 },
  thorough: { numRuns: 30 },
});
const CARRIED_ON_MIN = byEffort({ quick: 10, thorough: 20 });

describe('a file updated in place', () => {
  it('equals a fully rewritten file after any loads, renames and removals', async () => {
    let carriedOn = 0;
    const rounds = fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rounds, async (played) => {
        const state = await freshState();
        for (const account of [0, 1]) setAccount(state, account, 'EUR');
        let nowMs = NOW_MS;
        let writes = 0;
        for (const round of played) {
          for (const step of round) {
            if (step.kind === 'days pass') nowMs += 2 * 86_400_000;
            else await take(state, step);
          }
          await publishTo(state, state.published, nowMs);
          expect(contentsOf(state.published)).toEqual(await publishedWhole(state, nowMs));
          expect(integrityOf(state.published)).toBe('ok');
          if (writesOf(state.published) > writes && writes > 0) carriedOn += 1;
          writes = writesOf(state.published);
        }
        await state.close();
      }),
      HISTORIES,
    );
    expect(carriedOn).toBeGreaterThan(CARRIED_ON_MIN);
  });

  it('does not grow when the same days are loaded again', async () => {
    const state = await withHistory();
    await publishTo(state, state.published);
    const bytes = statSync(state.published).size;
    for (let round = 1; round <= 30; round += 1) {
      await load(state, { ...LOAD, day: 1 + (round % 5), rows: rowsOn(1 + (round % 5), round) });
      await publishTo(state, state.published);
    }
    expect(writesOf(state.published)).toBeGreaterThan(30);
    expect(statSync(state.published).size).toBeLessThan(bytes * 1.5);
  });

  it.each<[string, (state: Awaited<ReturnType<typeof withHistory>>) => void | Promise<void>, number, unknown]>([
    [
      'a day becomes complete, although its rows stay',
      (state) => load(state, { ...LOAD, day: 7, rows: rowsOn(7, 1) }),
      0,
      { days: 1, days_complete: 1 },
    ],
    [
      'a day without rows becomes complete',
      (state) => load(state, { ...LOAD, day: 8, rows: [] }),
      0,
      { days: 2, days_complete: 1 },
    ],
    ['days pass without a reading', () => undefined, 5, { days: 5, days_complete: 0 }],
  ])('counts the days of a week again if %s', async (_, happens, daysPassed, expected) => {
    const state = await withHistory();
    await load(state, { ...LOAD, day: 7, rows: rowsOn(7, 1), state: 'provisional' });
    // The history ends on Monday, 2 November, which was read on that day.
    const nowMs = Date.parse('2026-11-02T12:00:00Z');
    await publishTo(state, state.published, nowMs);
    const writes = writesOf(state.published);
    await happens(state);
    const laterMs = nowMs + daysPassed * 86_400_000;
    await publishTo(state, state.published, laterMs);
    expect(writesOf(state.published)).toBeGreaterThan(writes);
    expect(contentsOf(state.published)).toEqual(await publishedWhole(state, laterMs));
    const file = new Database(state.published, { readonly: true });
    const counted = file.prepare("SELECT DISTINCT days, days_complete FROM words_by_week WHERE week = '2026-11-02'");
    expect(counted.all()).toEqual([expected]);
    file.close();
  });

  it('is complete for a reader of the previous file', async () => {
    const state = await withHistory();
    await publishTo(state, state.published);
    const reader = new Database(state.published, { readonly: true });
    const clicks = () => reader.prepare('SELECT sum(clicks), count(*) FROM words').raw().get();
    const before = clicks();
    await load(state, { ...LOAD, day: 3, rows: rowsOn(3, 9) });
    await publishTo(state, state.published);
    expect(clicks()).toEqual(before);
    expect(reader.pragma('integrity_check', { simple: true })).toBe('ok');
    reader.close();
  });
});

const LOAD: SmallLoad = { query: 'words', account: 0, day: 1, days: 1, rows: [] };
const rowsOn = (day: number, clicks: number) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((thing) => ({ day, thing, name: 1, clicks }));

/** Seven days of keywords, so that one more changes little. */
async function withHistory() {
  const state = await freshState();
  setAccount(state, 0, 'EUR');
  for (let day = 1; day <= 7; day += 1) await load(state, { ...LOAD, day, rows: rowsOn(day, 1) });
  return state;
}

describe('a full rewrite', () => {
  /** Publishes, lets `between` happen and a day change, and publishes again. */
  async function publishTwice(between: (state: Awaited<ReturnType<typeof withHistory>>) => void | Promise<void>) {
    const state = await withHistory();
    await publishTo(state, state.published);
    const writes = writesOf(state.published);
    await between(state);
    await load(state, { ...LOAD, day: 3, rows: rowsOn(3, 9) });
    await publishTo(state, state.published);
    expect(contentsOf(state.published)).toEqual(await publishedWhole(state));
    return writesOf(state.published) > writes ? 'carried on' : 'whole';
  }

  it.each<[string, (state: Awaited<ReturnType<typeof withHistory>>) => void | Promise<void>]>([
    ['follows a missing previous file', ({ published: warehouse }) => rmSync(warehouse)],
    ['follows a foreign object under its name', ({ published: warehouse }) => writeFileSync(warehouse, 'no database')],
    [
      'follows a change to the previous file',
      ({ published: warehouse }) => {
        const file = new Database(warehouse);
        file.exec('UPDATE words SET clicks = 1000');
        file.close();
      },
    ],
    [
      'follows another file of the same size and time',
      ({ connection }) => connection.exec("UPDATE publication SET token = 'another'"),
    ],
    [
      'follows tables created in another way',
      ({ connection }) => connection.exec("UPDATE publication SET fingerprint = ''"),
    ],
    [
      'follows a table that was deleted and created again',
      async (state) => {
        await dropQueryTable(state, 'devices');
        await ensureQueryTable(state, QUERIES.devices);
      },
    ],
    ['follows a newly known currency of an account', (state) => setAccount(state, 0, 'USD')],
    [
      'follows a change of most rows',
      async (state) => {
        for (let day = 1; day <= 7; day += 1) await load(state, { ...LOAD, day, rows: rowsOn(day, 5) });
        state.connection.exec('UPDATE account_day SET rows = 8');
      },
    ],
    [
      'follows a publication interrupted before the rename',
      async (state) => {
        // A folder cannot be written over by a file: all is done but the rename.
        const aside = `${state.published}.aside`;
        renameSync(state.published, aside);
        mkdirSync(state.published);
        await load(state, { ...LOAD, day: 2, rows: rowsOn(2, 7) });
        await expect(publishTo(state, state.published)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
        rmSync(state.published, { recursive: true });
        renameSync(aside, state.published);
      },
    ],
    [
      'follows a publication during another write to the state file',
      async (state) => {
        const writer = new Database(state.path);
        writer.exec('BEGIN IMMEDIATE');
        await publishTo(state, state.published);
        writer.exec('ROLLBACK');
        writer.close();
      },
    ],
  ])('%s', async (_, between) => {
    expect(await publishTwice(between)).toBe('whole');
  });

  it('is not needed without these events, or after a try that failed early', async () => {
    expect(await publishTwice(() => {})).toBe('carried on');
    const failing = publishTwice(async (state) => {
      state.connection.exec('ALTER TABLE run RENAME TO run_aside');
      await load(state, { ...LOAD, day: 2, rows: rowsOn(2, 7) }).catch(() => {});
      await expect(publishTo(state, state.published)).rejects.toThrow('no such table');
      state.connection.exec('ALTER TABLE run_aside RENAME TO run');
    });
    expect(await failing).toBe('carried on');
  });
});
