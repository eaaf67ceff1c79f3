import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { accountOf, budgetOf, row, type TableRow, TODAY, verdictOf } from '../evaluated.ts';
import { checkText, ruleText } from '../rule-fixtures.ts';

const COMPLETE = accountOf({ 1: budgetOf(71, '20') }, { lastSettled: addDays(TODAY, -8) });
const cost = (units: number) => BigInt(Math.round(units * 1_000_000));

/** One of the seven complete days: 100 EUR, 5 conversions of 40 each, unless told otherwise. */
const day = (ago: number, changes: TableRow = {}): TableRow =>
  row({ ago: ago + 7, cost_micros: cost(100), conversions: 5, conversions_value: 200, ...changes });

const truthOf = (when: string, rows: readonly TableRow[]) =>
  verdictOf({ from: 'keyword_stats', when }, rows, COMPLETE).truth;

describe('cost per acquisition and return on ad spend', () => {
  it.each<[string, string, TableRow[], string]>([
    ['are quotients of sums, not means of quotients', 'cpa = 20', [day(1), day(2)], 'true'],
    [
      'weigh a day by its cost',
      'cpa BETWEEN 18.33 AND 18.34',
      [day(1), day(2, { cost_micros: cost(10), conversions: 1 })],
      'true',
    ],
    ['count fractions of conversions', 'cpa = 160', [day(1, { conversions: 0.625 })], 'true'],
    ['have a return in units per unit', 'roas = 2', [day(1), day(2)], 'true'],
    ['are unknown without conversions', 'cpa > 0', [day(1, { conversions: 0, conversions_value: 0 })], 'unknown'],
    ['are 0 for a return without conversions', 'roas = 0', [day(1, { conversions: 0, conversions_value: 0 })], 'true'],
    ['are unknown without cost', 'roas > 0', [day(1, { cost_micros: 0n })], 'unknown'],
    [
      'are unknown if a row has no conversions on record',
      'cpa > 0',
      [day(1), day(2, { conversions: null })],
      'unknown',
    ],
    ['keep a value without conversions', 'conversions = 0 AND roas = 2', [day(1, { conversions: 0 })], 'true'],
    [
      'keep withdrawn conversions, which may be negative',
      'conversions = 4.5',
      [day(1), day(2, { conversions: -0.5 })],
      'true',
    ],
    ['are unknown for conversions below zero', 'cpa < 20', [day(1, { conversions: -49 })], 'unknown'],
    ['are unknown for a cost below zero', 'cpa < 20 OR roas > 4', [day(1, { cost_micros: cost(-100) })], 'unknown'],
    ['are unknown for a value below zero', 'roas < 4', [day(1, { conversions_value: -1 })], 'unknown'],
    ['are unknown if NOT reverses them, too', 'NOT cpa >= 20', [day(1, { conversions: -49 })], 'unknown'],
    ['are unknown inside of other sums', '2 * cpa - 1 < 20', [day(1, { conversions: -49 })], 'unknown'],
    [
      'are unknown if the earlier of two windows is below zero',
      'cpa < 2 * cpa over previous 7 days',
      [day(1), day(8, { conversions: -5 })],
      'unknown',
    ],
    [
      'keep a change that is below zero',
      '(clicks - clicks over previous 7 days) / clicks over previous 7 days = -50%',
      [day(1, { clicks: 50n }), day(8, { clicks: 100n })],
      'true',
    ],
    [
      'are unknown for an infinite value',
      'roas > 4',
      [day(1), day(2, { conversions_value: Number.POSITIVE_INFINITY })],
      'unknown',
    ],
    [
      'are unknown for sums beyond measure',
      'conversions > 0',
      [1, 2].map((ago) => day(ago, { conversions: 1e308 })),
      'unknown',
    ],
    ['say no cost below zero', 'cost < 100', [day(1, { cost_micros: cost(-5) })], 'unknown'],
    ['say no clicks below zero', 'clicks < 5', [day(1, { clicks: -5n })], 'unknown'],
    ['keep conversions below zero, which adjustments make', 'conversions < 5', [day(1, { conversions: -49 })], 'true'],
    ['work with parentheses and other windows', '(cpa) over 1 day = 20', [day(1)], 'true'],
  ])('%s', (_, when, rows, truth) => {
    expect(truthOf(when, rows)).toBe(truth);
  });

  it.each([
    ['cpa < 20', { conversions: -49 }, 'cpa (unknown: conversions is -49, below zero) < 20'],
    ['cost / clicks < 2', { cost_micros: cost(-100) }, 'cost / clicks (unknown: cost is -100.00, below zero) < 2'],
    [
      'roas > 4',
      { conversions_value: Number.POSITIVE_INFINITY },
      'roas (unknown: rows without a value, or with one that is infinite or too large) > 4',
    ],
  ])('say which part is unknown, and why: %s', (when, changes, text) => {
    expect(verdictOf({ from: 'keyword_stats', when }, [day(1, changes)], COMPLETE).explain()).toContain(text);
  });

  it('need their columns, and say which', () => {
    const { diagnostics } = checkText(ruleText({ from: 'stats', when: 'cpa > 20 OR roas > 4' }));
    expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ['METRIC_NOT_SUMMABLE', 'Select metrics.cost_micros and metrics.conversions.'],
      ['METRIC_NOT_SUMMABLE', 'Select metrics.conversions_value and metrics.cost_micros.'],
    ]);
  });

  it('are amounts and numbers: an amount fits cpa, none fits roas', () => {
    const codes = (when: string) =>
      checkText(ruleText({ from: 'keyword_stats', when })).diagnostics.map(({ code }) => code);
    expect(codes('cpa > 0.2 * cost / clicks AND roas > 4')).toEqual([]);
    expect(codes('roas > cost')).toEqual(['OPERATOR_FIELD_MISMATCH']);
  });

  it('are not evaluated as zero: a change by an unknown result is refused', () => {
    const verdict = verdictOf(
      { from: 'keyword_stats', when: 'clicks >= 1', change: 'set budget to cpa' },
      [day(1, { conversions: 0 })],
      COMPLETE,
    );
    expect(verdict.truth).toBe('true');
    expect(verdict.requests().map(({ target }) => target)).toEqual([undefined]);
  });
});

describe('impression shares', () => {
  const shown = (ago: number, impressions: bigint, share: number | null, lost: number | null): TableRow =>
    row({ ago, impressions, search_impression_share: share, search_budget_lost_impression_share: lost });
  const truth = (when: string, rows: readonly TableRow[]) => verdictOf({ from: 'impression_shares', when }, rows).truth;
  const LOST = 'search_budget_lost_impression_share';

  it('weigh days by their eligible impressions', () => {
    // 200 and 1,000 eligible impressions, of which 40 and 500 were lost.
    const rows = [shown(1, 100n, 0.5, 0.2), shown(2, 400n, 0.4, 0.5)];
    expect(truth(`${LOST} = 45%`, rows)).toBe('true');
    expect(truth('search_impression_share BETWEEN 41.66% AND 41.67%', rows)).toBe('true');
  });

  it.each<[string, TableRow]>([
    ['below a tenth shown', shown(2, 5n, 0.0999, 0.3)],
    ['above nine tenths lost', shown(2, 5n, 0.1, 0.9001)],
    ['no share, as outside of search', shown(2, 5n, null, null)],
  ])('are unknown instead of wrong: %s', (_, one) => {
    const rows = [shown(1, 100n, 0.5, 0.2), one];
    expect(truth(`${LOST} > 0`, rows)).toBe('unknown');
    expect(truth(`${LOST} >= 0 AND impressions > 0`, rows)).toBe('unknown');
    const verdict = verdictOf({ from: 'impression_shares', when: `${LOST} > 0` }, rows);
    expect(verdict.explain()).toContain('the service gave no exact share for a day');
    expect(verdict.requests()).toEqual([]);
  });

  it('need the share and the impressions', () => {
    const { diagnostics } = checkText(ruleText({ from: 'only_lost', when: `${LOST} > 20%` }));
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      'Select metrics.impressions and metrics.search_impression_share.',
    ]);
  });
});

describe('the conversion window of a rule', () => {
  const check = (changes: Record<string, string>) =>
    checkText(ruleText({ from: 'keyword_stats', when: 'cpa > 20', over: '14 days', ...changes })).diagnostics;

  it('longer than the data is an error that says how many days to read', () => {
    expect(check({ conversion_window: '30 days' })).toMatchObject([
      { code: 'WINDOW_LONGER_THAN_DATA', hint: expect.stringContaining(':today-44 AND :yesterday') },
    ]);
  });

  it('leaves no complete yesterday', () => {
    expect(check({ over: 'yesterday' })).toMatchObject([{ code: 'WINDOW_NOT_SETTLED' }]);
  });

  it('is a warning in a rule without conversions, and days from 0 to 90', () => {
    expect(check({ when: 'clicks > 20', conversion_window: '3 days' })).toMatchObject([
      { code: 'UNUSED_CONVERSION_WINDOW', severity: 'warning' },
    ]);
    expect(check({ conversion_window: '91 days' })).toMatchObject([{ code: 'BAD_VALUE' }]);
  });

  it('does not go with pacing, which counts the newest days', () => {
    const change = 'pace budget to 3000 per month';
    expect(check({ change, currency: 'EUR', limits: '{ floor: 5 }' })).toContainEqual(
      expect.objectContaining({ code: 'WINDOW_NOT_SETTLED', severity: 'error' }),
    );
  });
});
