import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { NOON, writeFolder } from '../support/world.ts';

const SPEND = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`;

const CLIENT = `description: Two countries have one amount.
currency: EUR
amount: 9000
members: [{ account: 4081725530, where: "campaign_name LIKE 'Generisch%'" }, { account: 7350926148 }]
limits: { floor: 5 }
`;

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-play-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function shown(...args: readonly string[]) {
  const { stdout } = await runInProcess([...args, '--format', 'json'], { folder, env: { PACEKEEPER_NOW: NOON } });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  writeFolder(folder, 'queries', { 'campaign_days.sql': SPEND });
  writeFolder(folder, 'rules', {});
  writeFolder(folder, 'targets', { 'client.yaml': CLIENT });
  writeFileSync(join(folder, 'exchange_rates.csv'), 'date,from,to,rate\n2026-11-16,GBP,EUR,1.17\n');
  expect((await runInProcess(['extract'], { folder, env: { PACEKEEPER_NOW: NOON } })).code).toBe(0);
});

describe('a target', () => {
  it('is in the list of rules, with its currency and its accounts', async () => {
    const { rules } = await shown('rules', 'list');
    expect(rules).toMatchObject([
      {
        name: 'client',
        currency: 'EUR',
        where: null,
        limits: 'floor 5.00 EUR',
        accounts: ["4081725530 where campaign_name LIKE 'Generisch%'", '7350926148'],
      },
    ]);
  });

  it('is evaluated with the rules, and explained in each of its accounts', async () => {
    const { decisions } = await shown('rules', 'evaluate');
    expect(new Set(decisions.map((one: { rule: string }) => one.rule))).toEqual(new Set(['client']));
    const { rule, subjects } = await shown('rules', 'explain', 'client');
    expect(rule.name).toBe('client');
    expect(subjects.map((one: { customer_id: string }) => one.customer_id)).toEqual(['4081725530', '7350926148']);
    const explained = subjects.flatMap((one: { decisions: readonly object[] }) => one.decisions);
    expect(explained).toHaveLength(decisions.length);
    expect(subjects[1].explanation).toMatch(/1\.17 EUR.*2026-11-16/);
  });

  it('does not explain a campaign of an account that is no member', async () => {
    const stranger = seededMarket(1).accounts.find(({ customerId }) => customerId === '6193047821')?.campaigns[0]?.id;
    const { subjects, notes } = await shown('rules', 'explain', 'client', '--campaign', String(stranger));
    expect(subjects).toEqual([]);
    expect(notes).toEqual([`Target client does not cover campaign ${stranger}: account 6193047821 is no member.`]);
  });

  it('is tried on past days in all of its accounts, with the rate known on each day', async () => {
    const { results, rows } = await shown('rules', 'backtest', 'client', '--from', '2026-11-14', '--to', '2026-11-19');
    for (const { evaluated, not_evaluated } of results) {
      expect(evaluated).toBe(4);
      expect(not_evaluated).toEqual([
        { from: '2026-11-14', to: '2026-11-15', reason: 'no exchange rate of GBP to EUR is known' },
      ]);
    }
    expect(results.map((one: { customer_id: string }) => one.customer_id)).toEqual(['4081725530', '7350926148']);
    expect(new Set(rows.map((one: { currency: string }) => one.currency))).toEqual(new Set(['EUR', 'GBP']));
    // On the first day, both accounts together get what is left: (9,000 EUR - spent) / 14 days.
    const first = rows.filter((one: { date: string }) => one.date === '2026-11-16');
    const spent = /([\d,.]+) of [\d,.]+ ideal/.exec(first[0].reason)?.[1]?.replaceAll(',', '');
    const after = first
      .map((one: { currency: string; to_micros: number }) => one.to_micros * (one.currency === 'GBP' ? 1.17 : 1))
      .reduce((sum: number, one: number) => sum + one, 0);
    const left = Math.max(0, 9000 - Number(spent)) / 15;
    expect(after / 1_000_000).toBeLessThanOrEqual(left);
  });

  it.each([['explain'], ['backtest']])('has a name that rules %s suggests', async (command) => {
    const { stderr, code } = await runInProcess(['rules', command, 'clent'], { folder, env: { PACEKEEPER_NOW: NOON } });
    expect(code).toBe(2);
    expect(stderr).toContain('No such rule: found clent, expected one of client.');
  });
});
