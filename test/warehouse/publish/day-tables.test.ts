import { describe, expect, it } from 'vitest';
import type { StateFile } from '../../../src/storage/records/sqlite/open-state.ts';
import { ACCOUNT, publish, stateFile } from '../published.ts';

const AT = '2026-11-20T05:30:00Z';

/** A run with as many slices as there are readings. */
function addSlices(state: StateFile, count: number): void {
  state.connection.exec(`INSERT INTO run (command, target, target_kind, mode, dry_run, state, started_at)
    VALUES ('report', 't', 'sandbox', 'apply', 0, 'done', '${AT}')`);
  for (let index = 0; index < count; index += 1) {
    state.connection.exec(`INSERT INTO slice (run_id, query, query_text, customer_id, state, ended_at)
      VALUES (1, 'stats', 'q', ${ACCOUNT}, 'done', '${AT}')`);
  }
}

function addDay(state: StateFile, date: string, kind: string): void {
  state.connection
    .prepare("INSERT INTO account_day VALUES ('stats', ?, ?, 'q', ?, 5, '{}', 1, ?)")
    .run(ACCOUNT, date, kind, AT);
}

function addReading(state: StateFile, date: string, slice: number, totals: object): void {
  state.connection
    .prepare("INSERT INTO day_reading VALUES ('stats', ?, ?, ?, ?, ?, 5, ?)")
    .run(ACCOUNT, date, slice, AT, slice, JSON.stringify(totals));
}

describe('account_day', () => {
  it("lists days never read, from the first day until the account's own yesterday", async () => {
    const state = await stateFile();
    addSlices(state, 1);
    addDay(state, '2026-11-16', 'settled');
    addDay(state, '2026-11-18', 'provisional');
    const days = async (now: string) => {
      const { rows } = await publish(state, Date.parse(now));
      return rows('SELECT date, state, rows FROM account_day').map(({ date, state: word, rows }) => [date, word, rows]);
    };
    const read = [
      ['2026-11-16', 'settled', 5],
      ['2026-11-17', 'missing', null],
      ['2026-11-18', 'provisional', 5],
    ];
    // Berlin is an hour ahead: its 20th begins at 23:00 UTC of the 19th.
    expect(await days('2026-11-19T22:59:00Z')).toEqual(read);
    expect(await days('2026-11-19T23:00:00Z')).toEqual([...read, ['2026-11-19', 'missing', null]]);
  });

  it('ends with the last day read if the time zone is unknown, and keeps an unfinished day', async () => {
    const state = await stateFile();
    state.connection.exec("UPDATE account SET time_zone = 'Mars/Olympus'");
    addSlices(state, 1);
    addDay(state, '2026-11-16', 'settled');
    addDay(state, '2026-11-20', 'provisional');
    const { rows } = await publish(state);
    expect(rows('SELECT count(*) AS days, max(date) AS last FROM account_day')).toEqual([
      { days: 5, last: '2026-11-20' },
    ]);
  });
});

describe('day_reading', () => {
  it('numbers the readings of a day and shows the sums of each, int64 exact', async () => {
    const state = await stateFile();
    addSlices(state, 2);
    addReading(state, '2026-11-16', 1, { clicks: 10, cost_micros: 2_000_000 });
    state.connection.exec(`INSERT INTO day_reading VALUES ('stats', ${ACCOUNT}, '2026-11-16', 2, '${AT}', 2, 5,
      '{"clicks":11,"cost_micros":9223372036854775807}')`);
    const { exact } = await publish(state);
    expect(exact('SELECT reading, days_after, impressions, clicks, cost_micros, currency FROM day_reading')).toEqual([
      [1n, 1n, null, 10n, 2_000_000n, 'EUR'],
      [2n, 2n, null, 11n, 2n ** 63n - 1n, 'EUR'],
    ]);
  });
});
