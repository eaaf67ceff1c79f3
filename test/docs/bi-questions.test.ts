import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openState } from '../../src/store/sqlite/open-state.ts';
import { publishWarehouse } from '../../src/warehouse/sqlite/publish.ts';
import { isThorough } from '../support/effort.ts';
import { TRIM_RULES } from '../support/trim-rule.ts';
import { createWorld, type World, type WorldOptions } from '../support/world.ts';
import { questionsOf } from './bi-page.ts';

type Answer = Record<string, unknown>[];
const numbers = (rows: Answer, column: string) => rows.map((row) => Number(row[column]));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** What an answer must hold to be one; `rows` asks the file itself. */
const EXPECTED: Readonly<Record<number, (answer: Answer, rows: (sql: string) => Answer) => void>> = {
  1: (answer, rows) => {
    const [all] = rows('SELECT sum(cost_micros) / 1e6 AS cost FROM keyword_stats');
    expect(sum(numbers(answer, 'cost'))).toBeCloseTo(Number(all?.cost), 0);
    expect(new Set(answer.map(({ name }) => name)).size).toBe(4);
    expect(Math.max(...numbers(answer, 'days'))).toBe(7);
  },
  2: (answer) => {
    expect(answer).toHaveLength(10);
    expect(numbers(answer, 'percent')[0]).toBeGreaterThan(10);
    expect(numbers(answer, 'percent')).toEqual([...numbers(answer, 'percent')].sort((a, b) => b - a));
  },
  3: (answer) => {
    expect(answer.filter(({ change_percent }) => change_percent === null)).toHaveLength(4);
    expect(Math.min(...numbers(answer, 'cpc'))).toBeGreaterThan(0);
  },
  4: (answer, rows) => {
    expect(answer).toHaveLength(20);
    expect(numbers(answer, 'impressions')[0]).toBeGreaterThan(5);
    const [first] = answer;
    const clicks = `SELECT sum(clicks) AS clicks FROM keyword_stats JOIN account USING (customer_id) WHERE account.name = '${first?.name}'
      AND ad_group_name = '${first?.ad_group}' AND ad_group_criterion_keyword_text = '${first?.keyword}' AND date > '2026-10-20'`;
    expect(rows(clicks)).toEqual([{ clicks: 0 }]);
  },
  5: (answer, rows) => {
    expect(answer.map(({ weekday_name }) => weekday_name).slice(0, 2)).toEqual(['Monday', 'Tuesday']);
    expect(answer).toHaveLength(7);
    expect(rows('SELECT count(DISTINCT date) AS days FROM keyword_stats')).toEqual([
      { days: sum(numbers(answer, 'days')) },
    ]);
  },
  6: (answer, rows) => {
    expect(answer).toHaveLength(4);
    const days = (from: string, to: string) =>
      rows(`SELECT sum(cost_micros) / 1e6 AS cost FROM keyword_stats WHERE date BETWEEN '${from}' AND '${to}'`)[0]
        ?.cost;
    expect(sum(numbers(answer, 'this_month'))).toBeCloseTo(Number(days('2026-11-01', '2026-11-19')), 2);
    expect(sum(numbers(answer, 'last_month'))).toBeCloseTo(Number(days('2026-10-01', '2026-10-19')), 2);
  },
  7: (answer) => {
    expect(answer.map(({ date, state }) => [date, state])).toEqual(
      expect.arrayContaining([
        ['2026-11-05', 'missing'],
        ['2026-11-19', 'provisional'],
      ]),
    );
    expect(answer.every(({ state }) => state !== 'settled')).toBe(true);
  },
  8: (answer) => {
    expect(answer).toContainEqual(
      expect.objectContaining({
        date: '2026-11-04',
        restatements: 2,
        days_after: 3,
        clicks_change: -2,
        cost_change: -1.5,
        currency: 'EUR',
      }),
    );
  },
  9: (answer) => {
    expect(answer.length).toBeGreaterThan(2);
    const byTheRule = { campaign_name: 'Generisch - Wanderschuhe', from_amount: 60, to_amount: 51 };
    const byTheShippedRule = { campaign_name: 'Generisch - Zelte', from_amount: 72.25, to_amount: 61.42 };
    expect(answer).toContainEqual(
      expect.objectContaining({
        ...(isThorough ? byTheShippedRule : byTheRule),
        currency: 'EUR',
        command: 'report',
        reason: expect.stringContaining(isThorough ? 'conversions (0) = 0' : 'cost / clicks'),
      }),
    );
  },
  10: (answer) => {
    expect(answer).toEqual([
      expect.objectContaining({
        as_of: '2026-11-20 12:00:00.000',
        last_run: 'done',
        newest_day: '2026-11-19',
        accounts_not_read: 'Alpenkontor Outdoor GmbH: failed, The account is suspended.',
      }),
    ]);
  },
};

/** The shipped table with two weeks of some keywords, and a rule for so few clicks: a tenth of the rows answers as well. */
function fewRows(): WorldOptions {
  const shipped = readFileSync('queries/keyword_stats.sql', 'utf8').replace('LAST_30_DAYS', 'LAST_14_DAYS');
  const { 'trim.yaml': rule } = TRIM_RULES;
  return {
    queries: { 'keyword_stats.sql': `${shipped} AND ad_group_criterion.keyword.match_type = EXACT` },
    rules: { 'trim.yaml': rule.replace('from: stats', 'from: keyword_stats').replace('clicks >= 30', 'clicks >= 5') },
  };
}

/** Reads twice, a month apart; then a day was missed, one may still change, one was restated and an account failed. */
async function eventfulWorld(): Promise<World> {
  const world = await createWorld({ now: '2026-10-20T12:00:00Z', ...(isThorough ? {} : fewRows()) });
  await world.report();
  world.clock.set('2026-11-20T12:00:00Z');
  await world.report();
  const state = await openState(join(world.dataDir, 'state.sqlite'));
  const day = "('keyword_stats', 4081725530,";
  state.connection.exec(`DELETE FROM account_day; DELETE FROM day_reading; DELETE FROM run_account;
    INSERT INTO account_day VALUES
    ${day} '2026-11-04', 'q', 'settled', 9, '{}', 1, '2026-11-07T05:30:00Z'),
    ${day} '2026-11-19', 'q', 'provisional', 9, '{}', 1, '2026-11-20T05:30:00Z');
    INSERT INTO day_reading VALUES
    ${day} '2026-11-03', 1, '2026-11-04T05:30:00Z', 1, 9, '{"clicks":9,"cost_micros":9000000}'),
    ${day} '2026-11-04', 1, '2026-11-05T05:30:00Z', 1, 9, '{"clicks":12,"cost_micros":8000000}'),
    ${day} '2026-11-04', 2, '2026-11-06T05:30:00Z', 2, 9, '{"clicks":11,"cost_micros":7000000}'),
    ${day} '2026-11-04', 3, '2026-11-07T05:30:00Z', 3, 9, '{"clicks":10,"cost_micros":6500000}');
    INSERT INTO run_account SELECT max(id), 4081725530, 'failed', 'The account is suspended.', NULL FROM run`);
  const path = join(world.dataDir, 'warehouse.sqlite');
  await publishWarehouse(state, { path, nowMs: world.clock.now(), describe: () => undefined });
  await state.close();
  return world;
}

describe('the analyst’s ten questions', () => {
  it('are answered by the SQL in docs/bi.md', async () => {
    const asked = questionsOf('Ten questions');
    expect([...asked.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const world = await eventfulWorld();
    const rows = (sql: string) => world.rows('warehouse', sql);
    const wrong: unknown[] = [];
    for (const [number, sql] of asked) {
      try {
        EXPECTED[number]?.(rows(sql), rows);
      } catch (error) {
        wrong.push([number, error instanceof Error ? error.message : error, rows(sql).slice(0, 3)]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
