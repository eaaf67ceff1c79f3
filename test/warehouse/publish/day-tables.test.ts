import { describe, expect, it } from 'vitest';
import { dayRecords } from '../../support/day-records.ts';
import { ACCOUNT, publish, stateFile } from '../published.ts';

const AT = '2026-11-20T05:30:00Z';

describe('account_day', () => {
  it("lists days never read, from the first day until the account's own yesterday", async () => {
    const state = await stateFile();
    const { addDay } = dayRecords(state, AT);
    addDay(ACCOUNT, '2026-11-16', 'settled');
    addDay(ACCOUNT, '2026-11-18', 'provisional');
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
    const { addDay } = dayRecords(state, AT);
    addDay(ACCOUNT, '2026-11-16', 'settled');
    addDay(ACCOUNT, '2026-11-20', 'provisional');
    const { rows } = await publish(state);
    expect(rows('SELECT count(*) AS days, max(date) AS last FROM account_day')).toEqual([
      { days: 5, last: '2026-11-20' },
    ]);
  });
});

describe('day_reading', () => {
  it('numbers the readings of a day and shows the sums of each, int64 exact', async () => {
    const state = await stateFile();
    const { addReading } = dayRecords(state, AT);
    addReading(ACCOUNT, '2026-11-16', 1, '{"clicks":10,"cost_micros":2000000}');
    addReading(ACCOUNT, '2026-11-16', 2, '{"clicks":11,"cost_micros":9223372036854775807}');
    const { exact } = await publish(state);
    expect(exact('SELECT reading, days_after, impressions, clicks, cost_micros, currency FROM day_reading')).toEqual([
      [1n, 1n, null, 10n, 2_000_000n, 'EUR'],
      [2n, 2n, null, 11n, 2n ** 63n - 1n, 'EUR'],
    ]);
  });
});
