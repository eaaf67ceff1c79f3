import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { compare, rational } from '../../../src/domain/rational.ts';
import type { Verdict } from '../../../src/language/rules/decide/decision.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { daysUntilComplete, type Rule } from '../../../src/language/rules/rule.ts';
import { accountOf, budgetOf, evaluateAll, row, type TableRow, TODAY } from '../evaluated.ts';
import { queryNamed } from '../rule-fixtures.ts';

const QUERIES = new Map(
  ['keyword_stats', 'campaign_spend'].map((name) => [
    name,
    queryNamed(name, readFileSync(`queries/${name}.sql`, 'utf8')),
  ]),
);
const FILES = readdirSync('rules').filter((file) => file.endsWith('.yaml'));

function shipped(name: string): Rule {
  const source = readFileSync(`rules/${name}.yaml`, 'utf8');
  const { rule, diagnostics } = checkRuleFile(name, source, QUERIES, new Set(), { version: '0123456789ab' });
  expect(diagnostics).toEqual([]);
  if (!rule) throw new Error(`${name} is no rule`);
  return rule;
}

/** What the rule makes of the only campaign and its budget, of today too. */
function verdictOf(name: string, rows: readonly TableRow[], budget = '50'): Verdict | undefined {
  const rule = shipped(name);
  const waitDays = daysUntilComplete(rule, { table: 0, conversions: 7 });
  const lastSettled = addDays(TODAY, -1 - waitDays);
  const account = accountOf({ 1: budgetOf(71, budget) }, { readToday: true, lastSettled });
  const [evaluation] = evaluateAll([rule], rows, account);
  if (evaluation?.kind !== 'evaluated') throw new Error(evaluation?.reason);
  return evaluation.verdicts[0];
}

/** What it says, and the alert it sends. */
function said(name: string, rows: readonly TableRow[], budget = '50'): readonly (string | undefined)[] {
  const verdict = verdictOf(name, rows, budget);
  return [verdict?.truth, ...(verdict?.alertText() === undefined ? [] : [verdict.alertText()])];
}

const days = (agos: readonly number[], changes: TableRow): TableRow[] => agos.map((ago) => row({ ago, ...changes }));
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);
const week = (first: number) => from(first, 7);
const amount = (units: number) => BigInt(units * 1_000_000);

describe('the shipped rules', () => {
  it('cover the most common needs', () => {
    const names = [
      ...'budget-unused conversions-stopped ctr-collapse cut-without-conversions feed-limited-winners'.split(' '),
      ...'month-pacing runaway-spend-today stopped-spending weekday-anomaly'.split(' '),
    ];
    expect(FILES).toEqual(names.map((name) => `${name}.yaml`));
  });

  it('cut what spent 200 without a conversion in a complete fortnight, and no test campaign', () => {
    const fortnight = (conversions: number, changes: TableRow = {}) =>
      days(from(8, 14), { clicks: 5n, cost_micros: amount(15), conversions, ...changes });
    expect(said('cut-without-conversions', fortnight(0))).toEqual(['true']);
    expect(said('cut-without-conversions', fortnight(0.1))).toEqual(['false']);
    expect(said('cut-without-conversions', fortnight(0, { cost_micros: amount(14) }))).toEqual(['false']);
    expect(said('cut-without-conversions', fortnight(0, { campaign_name: 'Test shoes' }))).toEqual([undefined]);
    // Conversions of the last week may still arrive.
    const withLast = [...fortnight(0), ...days(week(1), { clicks: 50n, cost_micros: amount(90), conversions: 0 })];
    expect(verdictOf('cut-without-conversions', withLast)?.explain()).toContain('cost (210.00) >= 200');
    expect(said('cut-without-conversions', days(week(1), { cost_micros: amount(90), conversions: 0 }))).toEqual([
      undefined,
    ]);
  });

  it('raise a campaign with a good return that loses a fifth of its impressions to the budget', () => {
    const fortnight = (changes: TableRow) =>
      days(from(8, 14), {
        impressions: 500n,
        cost_micros: amount(10),
        conversions: 3,
        conversions_value: 41,
        search_impression_share: 0.5,
        search_budget_lost_impression_share: 0.21,
        ...changes,
      });
    expect(said('feed-limited-winners', fortnight({}))).toEqual(['true']);
    expect(said('feed-limited-winners', fortnight({ conversions_value: 40 }))).toEqual(['false']);
    expect(said('feed-limited-winners', fortnight({ search_budget_lost_impression_share: 0.2 }))).toEqual(['false']);
    // Below a tenth the service gives no exact share.
    expect(said('feed-limited-winners', fortnight({ search_impression_share: 0.0999 }))).toEqual(['unknown']);
    expect(said('feed-limited-winners', fortnight({ search_impression_share: null }))).toEqual(['unknown']);
  });

  it('cannot ratchet: months without a change of the numbers end at the drift', () => {
    for (const [name, share] of [
      ['cut-without-conversions', rational(3n, 10n)],
      ['feed-limited-winners', rational(1n, 2n)],
    ] as const) {
      const { limits, over, usesConversions, mode } = shipped(name);
      expect([usesConversions, mode]).toEqual([true, 'apply']);
      expect(limits.drift).toMatchObject({ days: 365 });
      expect(compare(limits.drift?.share ?? rational(0n), share)).toBe(0);
      // The window and the lag of conversions, so that a decision sees only days with the newest budget.
      expect(over).toEqual({ kind: 'days', days: 14 });
      expect(limits.cooldownDays).toBeGreaterThanOrEqual(14 + 7 + 1);
      expect(limits.minimum.length).toBe(1);
    }
  });

  it('alert on a campaign with clicks all week and no row, or no cost, yesterday', () => {
    const before = days(week(2), { clicks: 3n, cost_micros: amount(2) });
    const text = 'Shoes cost nothing yesterday, after 14.00 EUR in the week before';
    expect(said('stopped-spending', before)).toEqual(['true', text]);
    expect(said('stopped-spending', [...before, row({ clicks: 0n, cost_micros: 0n })])).toEqual(['true', text]);
    expect(said('stopped-spending', [...before, row({ clicks: 1n, cost_micros: 1n })])).toEqual(['false']);
  });

  it('alert on clicks that bring no conversions any more, but not if few were due or the clicks stopped too', () => {
    // Three days with a day to wait are two to four days ago.
    const earlier = (conversions: number) => days(from(5, 14), { clicks: 100n, conversions });
    const now = (clicks: bigint) => days([2, 3, 4], { clicks, conversions: 0 });
    expect(said('conversions-stopped', [...earlier(4), ...now(100n)])).toEqual([
      'true',
      'Shoes: no conversion from 300 clicks in three days, 56 from 1,400 clicks before',
    ]);
    expect(said('conversions-stopped', [...earlier(4), ...now(66n)])).toEqual(['false']);
    expect(said('conversions-stopped', [...earlier(4), ...now(67n)])).toMatchObject(['true', expect.anything()]);
    expect(said('conversions-stopped', [...earlier(4), ...now(0n)])).toEqual(['false']);
    expect(said('conversions-stopped', [...earlier(4), ...now(100n), row({ ago: 2, conversions: 0.1 })])).toEqual([
      'false',
    ]);
    expect(said('conversions-stopped', [...earlier(2), ...now(100n)])).toEqual(['false']);
    // Yesterday does not count yet: its conversions may still arrive.
    expect(said('conversions-stopped', [...earlier(4), ...now(100n), row({ conversions: 9 })])[0]).toBe('true');
    expect(said('conversions-stopped', earlier(4))).toEqual(['unknown']);
    expect(said('conversions-stopped', now(100n))).toEqual(['unknown']);
  });

  it('alert on unusual clicks on two consecutive days, by weekday and by the days before', () => {
    const usual = days(week(3), { clicks: 100n });
    const weeks = [...usual, ...[15, 16, 22, 23, 29, 30].map((ago) => row({ ago, clicks: BigInt(100 + (ago % 5)) }))];
    const lately = (yesterday: number, dayBefore: number) => [
      ...weeks,
      row({ clicks: BigInt(yesterday) }),
      row({ ago: 2, clicks: BigInt(dayBefore) }),
    ];
    expect(said('weekday-anomaly', lately(55, 50))).toEqual([
      'true',
      'Shoes: 55 clicks yesterday, 101 on that weekday before',
    ]);
    expect(said('weekday-anomaly', lately(190, 180))).toMatchObject(['true', expect.anything()]);
    expect(said('weekday-anomaly', lately(65, 50))).toEqual(['false']);
    expect(said('weekday-anomaly', lately(5, 100))).toEqual(['false']);
    expect(said('weekday-anomaly', weeks)).toEqual(['unknown']);
    // A campaign that has grown for a week is not told again and again until four weekdays know it.
    const grown = [...lately(180, 180), ...days(week(3), { clicks: 180n })].filter(
      ({ clicks, ago = 1 }) => ago > 9 || clicks === 180n,
    );
    expect(said('weekday-anomaly', grown)).toEqual(['false']);
  });

  it('alert during the day on a budget that spends faster than its weekday, but not on a small one', () => {
    const before = days([7, 14, 21, 28], { cost_micros: amount(20) });
    const sofar = (units: number) => [...before, row({ ago: 0, cost_micros: amount(units) })];
    expect(said('runaway-spend-today', sofar(31))).toEqual([
      'true',
      '31.00 EUR spent today so far, 20.00 EUR on the average weekday, budget 50.00 EUR a day',
    ]);
    expect(said('runaway-spend-today', sofar(30))).toEqual(['false']);
    expect(said('runaway-spend-today', sofar(31), '63')).toEqual(['false']);
    expect(said('runaway-spend-today', [row({ ago: 0, cost_micros: amount(31) })])).toEqual(['unknown']);
    expect(said('runaway-spend-today', days(from(1, 28), { cost_micros: amount(99) }))).toEqual(['unknown']);
  });

  it('alert on a click rate that halved for days, but not on one bad day or a few clicks', () => {
    const before = days(from(4, 14), { impressions: 1000n, clicks: 40n });
    const now = (agos: readonly number[], clicks: bigint) => days(agos, { impressions: 1000n, clicks });
    expect(said('ctr-collapse', [...before, ...now([1, 2, 3], 19n)])).toEqual([
      'true',
      'Shoes: 1.9% of the impressions were clicked in three days, 4% before',
    ]);
    expect(said('ctr-collapse', [...before, ...now([1, 2, 3], 20n)])).toEqual(['false']);
    expect(said('ctr-collapse', [...before, ...now([1], 0n), ...now([2, 3], 40n)])).toEqual(['false']);
    expect(said('ctr-collapse', [...before, ...days([1], { impressions: 749n, clicks: 0n })])).toEqual(['false']);
    expect(said('ctr-collapse', now([1, 2, 3], 0n))).toEqual(['unknown']);
  });

  it('suggest a smaller budget if 65% are unspent, with room for the best day', () => {
    const spent = (units: number) => days(from(1, 28), { clicks: 5n, cost_micros: amount(units) });
    expect(said('budget-unused', spent(17.49))).toEqual(['true']);
    expect(said('budget-unused', spent(17.5))).toEqual(['false']);
    expect(said('budget-unused', days(from(1, 28), { clicks: 1n, cost_micros: amount(1) }))).toEqual(['false']);
    const [request] = verdictOf('budget-unused', spent(10))?.requests() ?? [];
    expect(compare(request?.target ?? rational(0n), rational(20_000_000n))).toBe(0);
  });

  it('pace only the named campaigns of a target', () => {
    const spent = (units: number, name: string) =>
      days(from(1, 30), { campaign_name: name, clicks: 5n, cost_micros: amount(units) });
    // Nineteen days of November at 60 are 1,140 of 1,800; eleven more at a budget of 90 would be too much, at 60 they fit.
    expect(said('month-pacing', spent(60, 'Regenjacken'), '90')).toEqual(['true']);
    expect(said('month-pacing', spent(60, 'Regenjacken'), '60')).toEqual(['false']);
    expect(verdictOf('month-pacing', spent(60, 'Zelte'), '90')?.requests() ?? []).toEqual([]);
    expect(verdictOf('month-pacing', spent(60, 'Regenjacken'), '90')?.explain()).toContain('paced to 1,800.00 EUR in');
  });
});
