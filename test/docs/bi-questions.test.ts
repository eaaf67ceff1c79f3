import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { customerId as checkedId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { describePostgres, freshDatabase } from '../support/postgres-server.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, liveEnvironment, type World } from '../support/world.ts';
import { questionsOf } from './bi-page.ts';
import { mondayOf, type ServiceRow, serviceRows, sumsBy } from './service-sums.ts';

type Answer = Record<string, unknown>[];
const numbers = (rows: Answer, column: string) => rows.map((row) => Number(row[column]));
const cents = (micros: number) => Math.round(micros / 1e4) / 100;
const at = <Sum>(sums: ReadonlyMap<string, Sum>, key: string): Sum => {
  const sum = sums.get(key);
  if (sum === undefined) throw new Error(`The service knows no ${key}.`);
  return sum;
};

/** What the service answered when each day was last read. */
interface Served {
  readonly campaigns: readonly ServiceRow[];
  readonly keywords: readonly ServiceRow[];
}

const isComplete = ({ date }: ServiceRow) => date < '2026-11-20';
const between = (from: string, to: string) => (row: ServiceRow) => row.date >= from && row.date <= to;
const byAccount = ({ account }: ServiceRow) => account;
const perWeek = ({ account, date }: ServiceRow) => `${mondayOf(date)} ${account}`;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Compares the figures of an answer with sums of what the service itself answers, added up here. */
const EXPECTED: Readonly<Record<number, (answer: Answer, served: Served) => void>> = {
  1: (answer, { campaigns }) => {
    const sums = sumsBy(campaigns, perWeek);
    expect(answer.map(({ week, name, cost, days }) => [`${week} ${name}`, cost, days])).toEqual(
      [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => [key, cents(sum.costMicros), sum.days.size]),
    );
    // Today was read, and is not complete.
    expect(answer.map(({ days_complete, complete }) => [days_complete, complete])).toEqual(
      answer.map(({ week, days }) => [Number(days) - (week === '2026-11-16' ? 1 : 0), days === 7 ? 1 : 0]),
    );
  },
  2: (answer, { campaigns }) => {
    const month = campaigns.filter(between('2026-11-01', '2026-11-30'));
    const spent = sumsBy(month, byAccount);
    const shares = [...sumsBy(month, ({ account, name }) => `${account}: ${name}`)].map(([key, { costMicros }]) => {
      const share = (100 * costMicros) / at(spent, key.split(': ')[0] ?? '').costMicros;
      return [key, costMicros / 1e6, Math.round(share * 10) / 10] as const;
    });
    expect(answer).toHaveLength(10);
    expect(
      answer.map(({ name, campaign_name, cost, percent }) => [`${name}: ${campaign_name}`, cost, percent]),
    ).toEqual(shares.sort(([, , a], [, , b]) => b - a).slice(0, 10));
  },
  3: (answer, { campaigns }) => {
    const sums = sumsBy(campaigns, perWeek);
    expect(answer).toHaveLength(sums.size);
    for (const { name, week, cpc, change_percent: change } of answer) {
      const priceOf = ({ costMicros, clicks }: { costMicros: number; clicks: number }) => costMicros / 1e6 / clicks;
      const price = priceOf(at(sums, `${week} ${name}`));
      const [before] = new Date(Date.parse(`${week}T00:00:00Z`) - 7 * 86_400_000).toISOString().split('T');
      const earlier = sums.get(`${before} ${name}`);
      expect(cpc).toBeCloseTo(price, 2);
      if (earlier === undefined) expect(change).toBeNull();
      else expect(change).toBeCloseTo(100 * (price / priceOf(earlier) - 1), 0);
    }
  },
  4: (answer, { keywords }) => {
    const sums = sumsBy(keywords.filter(between('2026-10-21', '2026-11-19')), ({ account, id }) => `${account} ${id}`);
    const shown = [...sums.values()].filter(({ clicks }) => clicks === 0);
    const figures = shown
      .map(({ costMicros, impressions }) => [costMicros / 1e6, impressions] as const)
      .sort(([a, b], [c, d]) => c - a || d - b);
    expect(answer).toHaveLength(20);
    expect(answer.map(({ cost, impressions }) => [cost, impressions])).toEqual(figures.slice(0, 20));
  },
  5: (answer, { campaigns }) => {
    const sums = sumsBy(campaigns.filter(isComplete), ({ date }) => String(new Date(date).getUTCDay()));
    const expected = [1, 2, 3, 4, 5, 6, 0].map((day) => {
      const { days, clicks, impressions } = at(sums, String(day));
      const ctr = Math.round((10_000 * clicks) / impressions) / 100;
      return [WEEKDAYS[day], days.size, Math.floor(clicks / days.size), ctr];
    });
    expect(answer.map((row) => [row.weekday_name, row.days, row.clicks_per_day, row.ctr_percent])).toEqual(expected);
  },
  6: (answer, { campaigns }) => {
    const now = sumsBy(campaigns.filter(between('2026-11-01', '2026-11-19')), byAccount);
    const then = sumsBy(campaigns.filter(between('2026-10-01', '2026-10-19')), byAccount);
    expect(answer.map(({ name, this_month, last_month }) => [name, this_month, last_month])).toEqual(
      [...now.keys()].sort().map((name) => [name, at(now, name).costMicros / 1e6, at(then, name).costMicros / 1e6]),
    );
    expect(numbers(answer, 'change_percent')).toEqual(
      answer.map((row) => Math.round(1000 * (Number(row.this_month) / Number(row.last_month)) - 1000) / 10),
    );
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
    expect(answer).toContainEqual(
      expect.objectContaining({
        campaign_name: 'Generisch - Zelte',
        from_amount: 72.25,
        to_amount: 61.42,
        currency: 'EUR',
        command: 'report',
        reason: expect.stringContaining('conversions (0) = 0'),
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

/** Reads twice, a month apart; then a day was missed, one may still change, one was restated and an account failed. */
async function eventfulWorld(): Promise<{ readonly world: World; readonly served: Served }> {
  const world = await createWorld({ now: '2026-10-20T12:00:00Z' });
  const { sandbox } = world;
  await world.report();
  const earlier = await serviceRows(sandbox, 'campaign', ['2026-09-14', '2026-10-14']);
  world.clock.set('2026-11-20T12:00:00Z');
  await world.report();
  const served = {
    campaigns: [...earlier, ...(await serviceRows(sandbox, 'campaign', ['2026-10-15', '2026-11-20']))],
    keywords: await serviceRows(sandbox, 'keyword_view', ['2026-10-21', '2026-11-19']),
  };
  const state = await openState(join(world.dataDir, 'state.sqlite'));
  const day = "('keyword_stats', 4081725530,";
  state.connection.exec(`DELETE FROM account_day WHERE query = 'keyword_stats'; DELETE FROM day_reading; DELETE FROM run_account;
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
  return { world, served };
}

describe('the analyst’s ten questions', () => {
  it('are answered by the SQL in docs/bi.md with the service’s own sums', async () => {
    const asked = questionsOf('Ten questions');
    expect([...asked.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { world, served } = await eventfulWorld();
    const wrong: unknown[] = [];
    for (const [number, sql] of asked) {
      const answer = world.rows('warehouse', sql);
      try {
        EXPECTED[number]?.(answer, served);
      } catch (error) {
        wrong.push([number, error instanceof Error ? error.message : error, answer.slice(0, 3)]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('compare no month with a part of the last one', async () => {
    const world = await createWorld({ queries: { 'campaign_spend.sql': SPEND }, rules: {} });
    await world.report();
    const answer = world.rows('warehouse', questionsOf('Ten questions').get(6) ?? '');
    expect(answer.map(({ last_month, change_percent }) => [last_month, change_percent])).toEqual(
      answer.map(() => [null, null]),
    );
    const sums = sumsBy(await serviceRows(world.sandbox, 'campaign', ['2026-11-01', '2026-11-19']), byAccount);
    expect(answer.map(({ name, this_month }) => [name, this_month])).toEqual(
      [...sums.keys()].sort().map((name) => [name, at(sums, name).costMicros / 1e6]),
    );
  });
});

const SPEND = readFileSync('queries/campaign_spend.sql', 'utf8');

describePostgres('with PostgreSQL, the file of publish --to sqlite', () => {
  it('answers all thirteen questions, and those about sums alike', async () => {
    const env = { PACEKEEPER_STORE_URL: await freshDatabase() };
    const keywords = readFileSync('queries/keyword_stats.sql', 'utf8');
    const queries = { 'campaign_spend.sql': SPEND, 'keyword_stats.sql': keywords };
    const world = await createWorld({ queries, rules: {}, env });
    await world.report();
    const served = {
      campaigns: await serviceRows(world.sandbox, 'campaign', ['2026-10-15', '2026-11-20']),
      keywords: await serviceRows(world.sandbox, 'keyword_view', ['2026-10-21', '2026-11-19']),
    };
    const path = join(world.folder, 'asked.sqlite');
    const args = ['publish', '--to', 'sqlite', path, '--data-dir', world.dataDir];
    const published = await runInProcess(args, {
      folder: world.folder,
      env: { ...liveEnvironment(world.sandbox), ...env, PACEKEEPER_NOW: '2026-11-20T12:00:00Z' },
    });
    expect(published).toMatchObject({ code: 0, stderr: '' });
    const file = new Database(path, { readonly: true });
    onTestFinished(() => void file.close());
    for (const section of ['Ten questions', 'Three questions from finance']) {
      for (const [number, sql] of questionsOf(section)) {
        const answer = file.prepare(sql).all() as Answer;
        if (number <= 5) EXPECTED[number]?.(answer, served);
      }
    }
  });
});

describe('the questions of finance about the sandbox', () => {
  it('give the amounts that the service itself had before and after', async () => {
    const { customerId, budgetId, campaignName } = TRIMMED;
    const rules = { 'trim.yaml': TRIM_RULES['trim.yaml'] };
    const world = await createWorld({ now: '2026-11-18T12:00:00Z', config: APPLY, queries: TRIM_QUERIES, rules });
    const { sandbox, clock } = world;
    const amount = (budget: string) => Number(sandbox.budgetAmount(customerId, budget)) / 1e6;
    const report = () => world.report({ customers: [checkedId(customerId)] });
    const amounts = [amount(budgetId)];
    await report();
    amounts.push(amount(budgetId));
    const other = sandbox.market.accounts
      .find((account) => account.customerId === customerId)
      ?.budgets.find((budget) => budget.budgetId !== budgetId);
    if (other === undefined) throw new Error('The account has one budget only.');
    const earlier = amount(other.budgetId);
    sandbox.setBudget(customerId, other.budgetId, micros(77_770_000n));
    clock.set('2026-11-19T12:00:00Z');
    await report();
    amounts.push(amount(budgetId));
    clock.set('2026-11-20T12:00:00Z');
    world.fault = ({ kind, validateOnly }) =>
      kind === 'mutate' && !validateOnly ? { kind: 'reset_after' } : undefined;
    await report();
    amounts.push(amount(budgetId));
    expect(new Set(amounts).size).toBe(4);

    const asked = questionsOf('Three questions from finance');
    const answer = (number: number) => world.rows('warehouse', asked.get(number) ?? '');
    const [start, first, second, third] = amounts;
    expect(answer(11).map(({ budget, from_amount, to_amount }) => [budget, from_amount, to_amount])).toEqual([
      [campaignName, start, first],
      [campaignName, first, second],
    ]);
    expect(answer(11).map(({ difference }) => difference)).toEqual(
      [Number(first) - Number(start), Number(second) - Number(first)].map((one) => expect.closeTo(one, 6)),
    );
    expect(answer(12).map((row) => [row.budget, row.from_amount, row.to_amount, row.at_most])).toEqual([
      [campaignName, second, third, second],
    ]);
    expect(answer(13).map((row) => [row.budget, row.expected_amount, row.found_amount, row.difference])).toEqual([
      [`budget ${other.budgetId}`, earlier, 77.77, expect.closeTo(77.77 - earlier, 6)],
    ]);
  });
});
