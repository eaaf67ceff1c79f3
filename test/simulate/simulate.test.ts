import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SimulationOrder } from '../../src/commands/simulate/run-simulate.ts';
import { addDays, daysOf, weekdayOf } from '../../src/domain/civil-date.ts';
import { InputError } from '../../src/domain/errors.ts';
import { customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { SimulationResult } from '../../src/language/results/simulation-result.ts';
import { jsonListing } from '../../src/views/kit/json.ts';
import { SIMULATE } from '../../src/views/simulate.ts';
import { tempDir } from '../support/temp-dir.ts';
import { CAMPAIGN_DAYS, inputsOf, simulateIn } from './simulate-in.ts';

const CUT = `description: Cuts what is dear.
from: stats
for: campaign
over: 7 days
when: clicks >= 10 AND cost / clicks > 2.00
currency: EUR
change: decrease budget by 20%
limits: { floor: 12, cooldown: 2 days }
alert: { text: "{campaign_name}: {cost / clicks} a click" }
`;
const tells = (subject: string, when = 'clicks >= 1', more = '') =>
  `description: Tells.\nfrom: stats\nfor: ${subject}\nover: yesterday\nwhen: ${when}\n${more}alert: { text: "{clicks}" }\n`;

const json = (result: SimulationResult) => jsonListing(SIMULATE, result);

it('plays the weekdays of its days; only rules that read today have an hour', async () => {
  const rules = {
    'monday.yaml': tells('account', "clicks >= 1 AND weekday = 'Monday'"),
    'early.yaml': tells('account', 'clicks >= 1 AND hour >= 0'),
    'late.yaml': tells('account', 'clicks on today >= 0 AND hour = 18'),
  };
  const queries = {
    'stats.sql': CAMPAIGN_DAYS['stats.sql'].replace('DURING LAST_30_DAYS', 'BETWEEN :today-30 AND :today'),
  };
  const { days, alerts, notes } = await simulateIn(inputsOf(rules, queries), { days: 14 });
  const mondays = alerts.filter(({ rule, kind }) => rule === 'monday' && kind !== 'resolved').map(({ day }) => day);
  expect(mondays).toEqual(daysOf(days).filter((day) => weekdayOf(day) === 1));
  expect(alerts.filter(({ rule }) => rule === 'early')).toEqual([]);
  expect(alerts.filter(({ rule }) => rule === 'late').length).toBeGreaterThan(0);
  expect(notes).toContain('early uses the hour, which is unknown on a day that is played as a whole.');
});

it('knows labels by their names', async () => {
  const queries = {
    'stats.sql': CAMPAIGN_DAYS['stats.sql'].replace('campaign.name,', 'campaign.name, campaign.labels,'),
  };
  const rules = {
    'pilot.yaml': tells('campaign', "clicks >= 0 AND 'pilot' IN campaign_labels"),
    'none.yaml': tells('campaign', "clicks >= 0 AND 'none' IN campaign_labels"),
  };
  const { alerts } = await simulateIn(inputsOf(rules, queries), { days: 2 });
  expect(new Set(alerts.map(({ rule }) => rule))).toEqual(new Set(['pilot']));
  expect(new Set(alerts.map(({ subject }) => subject)).size).toBe(2);
});

describe('a simulation', () => {
  const inputs = inputsOf({ 'cut.yaml': CUT });
  let result: SimulationResult;
  beforeAll(async () => {
    result = await simulateIn(inputs, { days: 30 });
  });

  it('gives the same bytes for the same seed, and different ones for another', async () => {
    expect(json(await simulateIn(inputs, { days: 30 }))).toBe(json(result));
    expect(json(await simulateIn(inputs, { days: 30, seed: 2 }))).not.toBe(json(result));
  });

  it('starts like a longer one', async () => {
    const longer = await simulateIn(inputs, { days: 40 });
    expect(longer.byDay.slice(0, 30)).toEqual(result.byDay);
    expect(longer.changes.slice(0, result.changes.length)).toEqual(result.changes);
  });

  it('has totals that equal the sums of its days, budgets and changes', () => {
    for (const side of ['with', 'without'] as const) {
      const days = result.byDay.map((day) => day[side]);
      for (const parts of [days, result.budgets.map((budget) => budget[side])]) {
        expect(parts.reduce((sum, { spendMicros }) => sum + spendMicros, 0n)).toBe(result[side].spendMicros);
        expect(parts.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(result[side].clicks);
        expect(parts.reduce((sum, { impressions }) => sum + impressions, 0)).toBe(result[side].impressions);
      }
      expect(days.at(-1)?.budgetMicros).toBe(result[side].budgetMicrosEnd);
    }
    expect(result.changes.length).toBeGreaterThan(5);
    expect(result.with.changes).toBe(result.changes.length);
    expect(result.with.alerts).toBe(result.alerts.length);
    const moved = result.changes.reduce((sum, { fromMicros, toMicros }) => sum + toMicros - fromMicros, 0n);
    expect(result.with.budgetMicrosEnd - result.without.budgetMicrosEnd).toBe(moved);
  });

  it('applies a change from its own day on', () => {
    const first = result.changes[0];
    const day = result.byDay.find(({ date }) => date === first?.day);
    expect(day?.with.budgetMicros).toBeLessThan(day?.without.budgetMicros ?? 0n);
  });

  it('keeps every change within the limits of its rule', () => {
    const days = new Map<string, string>();
    for (const { budgetId, day, fromMicros, toMicros } of result.changes) {
      expect(toMicros).toBeGreaterThanOrEqual(12_000_000n);
      expect(toMicros).toBeGreaterThanOrEqual((fromMicros * 8n) / 10n);
      const before = days.get(budgetId);
      if (before !== undefined) expect(addDays(civilDate(before), 2) <= day).toBe(true);
      days.set(budgetId, day);
    }
  });

  it('reports a change once with the text of its rule, without a second alert', () => {
    const changes = result.alerts.filter(({ kind }) => kind === 'change');
    expect(changes).toHaveLength(result.changes.length);
    const others = result.alerts.filter(({ kind }) => kind !== 'change').map(({ day, subject }) => `${day} ${subject}`);
    expect(changes.filter(({ day, subject }) => others.includes(`${day} ${subject}`))).toEqual([]);
    expect(changes[0]?.text).toMatch(/: [\d.]+ EUR a click$/);
  });

  it('is the same on both sides where there is no rule', async () => {
    const alone = await simulateIn({ ...inputs, rules: [] });
    expect(alone.with).toEqual(alone.without);
    expect(alone.byDay.every((day) => day.with.spendMicros === day.without.spendMicros)).toBe(true);
  });

  it('respects the bounds of the account', async () => {
    const feed = inputsOf({
      'feed.yaml': CUT.replace('decrease budget by 20%', 'increase budget by 20%').replace('floor: 12, ', ''),
    });
    const free = await simulateIn(feed);
    const dailyTotalMax = micros(free.without.budgetMicrosEnd);
    const held = await simulateIn(feed, { boundsOf: () => ({ dailyTotalMax, dailyExposureMax: undefined }) });
    expect(free.changes.length).toBeGreaterThan(0);
    expect(held.changes).toEqual([]);
    expect(held.rules[0]?.refusedBy[0]?.[0]).toBe('ACCOUNT_TOTAL');
  });
});

describe('the note on the real effect of the changes', () => {
  const note = 'The simulation makes all changes and ignores the modes of the rules. In real runs, ';
  it.each<[what: string, modes: readonly string[], widest: SimulationOrder['mode'], expected: string | undefined]>([
    ['is absent for rules that act', ['apply', 'apply'], 'apply', undefined],
    ['names a rule that only suggests', ['apply', 'propose'], 'apply', 'changes of b would only be suggested.'],
    ['names a rule that asks for approval', ['approve', 'apply'], 'apply', 'changes of a would await approval.'],
    [
      'names both kinds separately',
      ['propose', 'approve'],
      'apply',
      'changes of a would only be suggested, and changes of b would await approval.',
    ],
    [
      'uses the stricter mode of the settings',
      ['apply', 'propose'],
      'propose',
      'changes of a, b would only be suggested (automation.mode of the settings is propose).',
    ],
  ])('%s', async (_what, modes, mode, expected) => {
    const files = modes.map((one, place) => [`${place === 0 ? 'a' : 'b'}.yaml`, `${CUT}mode: ${one}\n`]);
    const { notes } = await simulateIn(inputsOf(Object.fromEntries(files)), { days: 1, campaigns: 1, mode });
    expect(notes.find((one) => one.startsWith('The simulation makes all changes'))).toBe(
      expected && `${note}${expected}`,
    );
  });
});

describe('a holiday in the settings', () => {
  it('is skipped by a rule that compares weekdays, as in a report', async () => {
    const inputs = inputsOf({ 'watch.yaml': tells('campaign', 'cost > mean(cost) same weekday over 2 weeks') });
    const holidaysOf = () => new Set([civilDate('2026-01-03'), civilDate('2026-01-06')]);
    const { rules } = await simulateIn(inputs, { holidaysOf });
    expect(rules[0]).toMatchObject({
      notEvaluated: 2,
      notEvaluatedWhy: '2026-01-03 is a holiday, and rules do not compare holidays with other days',
    });
    const { rules: free } = await simulateIn(inputs);
    expect(free[0]).toMatchObject({ notEvaluated: 0 });
  });
});

describe('an alert', () => {
  it('is told when it begins, a day later while it is still true, and when it is over', async () => {
    const inputs = inputsOf({ 'watch.yaml': tells('account', 'cost > 1.05 * cost over previous 1 days') });
    const { alerts } = await simulateIn(inputs, { days: 20, campaigns: 4 });
    expect(new Set(alerts.map(({ kind }) => kind))).toEqual(new Set(['first', 'repeat', 'resolved']));
    const kinds = alerts.map(({ kind }) => kind);
    for (const [place, kind] of kinds.entries()) {
      const before = kinds[place - 1];
      expect(before === undefined || before === 'resolved' ? 'first' : 'told').toBe(
        kind === 'first' ? 'first' : 'told',
      );
    }
  });
});

describe('the data of a rule', () => {
  const GRAINS = {
    'stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
      ad_group_criterion.status, metrics.clicks, metrics.impressions, metrics.cost_micros, segments.date
      FROM keyword_view WHERE segments.date DURING LAST_30_DAYS AND ad_group_criterion.status = 'ENABLED' AND metrics.clicks > 0`,
  };

  it('exists for every kind of subject, limited to the query', async () => {
    const subjects = ['account', 'budget', 'campaign', 'ad_group', 'keyword'];
    const inputs = inputsOf(
      {
        ...Object.fromEntries(subjects.map((one) => [`${one}.yaml`, tells(one)])),
        'paused.yaml': tells('keyword').replace('over:', `where: ad_group_criterion_status = 'PAUSED'\nover:`),
        'none.yaml': tells('keyword', 'clicks = 0'),
      },
      GRAINS,
    );
    const { rules } = await simulateIn(inputs, { days: 1, campaigns: undefined, shocks: false });
    const fired: Record<string, number> = Object.fromEntries(rules.map((one) => [one.rule, one.fired]));
    // One campaign of the twelve is paused, three share a budget, and an ad group is a term of the plan.
    expect(fired).toMatchObject({ account: 1, budget: 9, campaign: 11, paused: 0, none: 0 });
    expect(fired.ad_group).toBeGreaterThan(35);
    expect(fired.keyword).toBeGreaterThan(fired.ad_group ?? 0);
  });

  it.each<[why: string, rule: string, queries: Record<string, string>, reason: RegExp]>([
    [
      'is for another currency',
      CUT.replace('EUR', 'USD'),
      CAMPAIGN_DAYS,
      /^it is for accounts in USD, but this one is in EUR$/,
    ],
    [
      'reads a metric that the market lacks',
      tells('campaign', 'interactions = 0'),
      { 'stats.sql': CAMPAIGN_DAYS['stats.sql'].replace('metrics.clicks', 'metrics.clicks, metrics.interactions') },
      /^the simulation has no values for metrics\.interactions$/,
    ],
    [
      'reads a query with a filter on a field that the market lacks',
      tells('campaign'),
      { 'stats.sql': `${CAMPAIGN_DAYS['stats.sql']} AND campaign.serving_status = 'SERVING'` },
      /^the simulation has no values for campaign\.serving_status$/,
    ],
    [
      'reads a query from a resource that the market lacks',
      tells('campaign'),
      { 'stats.sql': CAMPAIGN_DAYS['stats.sql'].replace('FROM campaign', 'FROM ad_group') },
      /^stats reads FROM ad_group, but the simulation does not cover ad_group$/,
    ],
    [
      'compares hours',
      tells('campaign', 'clicks on yesterday until now >= 0'),
      {
        'stats.sql': CAMPAIGN_DAYS['stats.sql']
          .replace('segments.date', 'segments.hour, segments.date')
          .replace('DURING LAST_30_DAYS', 'BETWEEN :today-30 AND :today'),
      },
      /^it compares hours, and the simulation plays whole days$/,
    ],
  ])('names and skips a rule that %s', async (_why, rule, queries, reason) => {
    const { rules } = await simulateIn(inputsOf({ 'one.yaml': rule }, queries), { days: 2 });
    expect(rules).toMatchObject([{ rule: 'one', fired: 0, changes: 0, leftOut: expect.stringMatching(reason) }]);
  });
});

describe('a market file', () => {
  const days = (count: number) => Array.from({ length: count }, (_, day) => addDays(civilDate('2024-03-01'), day));
  const write = (count: number): string => {
    const file = join(tempDir(), 'history.csv');
    const rows = days(count).flatMap((day) => [`${day},1,100,20,40.00`, `${day},2,50,5,1.00`]);
    writeFileSync(file, ['date,keyword_id,impressions,clicks,cost', ...rows].join('\n'));
    return file;
  };

  it('sets the demand, and budgets limit the spend', async () => {
    const cut = inputsOf({ 'cut.yaml': CUT.replace('2.00', '1.00') });
    const {
      with: ruled,
      without,
      days: simulated,
      warmupCount,
    } = await simulateIn(cut, { days: 20, campaigns: undefined, marketFile: write(60) });
    expect(warmupCount).toBe(40);
    expect(simulated).toEqual({ from: '2024-04-10', to: '2024-04-29' });
    // What the file has is spent as it stands where the budgets, a fifth above the average, do not hold it.
    expect(without.spendMicros).toBe(20n * 41_000_000n);
    expect(ruled.changes).toBeGreaterThan(0);
    expect(ruled.spendMicros).toBeLessThan(without.spendMicros);
  });

  it('may be too short to fill the windows: rules wait, and a note says so', async () => {
    const inputs = inputsOf({ 'cut.yaml': CUT });
    const { rules, notes } = await simulateIn(inputs, { days: 12, campaigns: undefined, marketFile: write(12) });
    expect(rules[0]).toMatchObject({
      notEvaluated: 7,
      notEvaluatedWhy: expect.stringMatching(/stats has no complete data/),
    });
    expect(notes[1]).toBe('There is no data before 2024-03-01. A rule starts once every day of its windows has data.');
  });

  it.each<[why: string, options: Partial<SimulationOrder>, message: RegExp]>([
    ['more days than it has', { days: 61 }, /found --days 61, but the .* has only 60 days/],
    ['days before its first', { from: civilDate('2024-02-29') }, /found 2024-02-29 to 2024-03-09, but/],
    ['another account', { customerId: customerId('4081725530') }, /found 4081725530, expected one of 9000000001/],
    ['--campaigns with a file', { campaigns: 3 }, /--market and --campaigns each name an account/],
  ])('refuses %s with a reason', async (_why, options, message) => {
    const run = simulateIn({ queries: [], rules: [] }, { campaigns: undefined, marketFile: write(60), ...options });
    await expect(run).rejects.toThrow(InputError);
    await expect(run).rejects.toThrow(message);
  });
});
