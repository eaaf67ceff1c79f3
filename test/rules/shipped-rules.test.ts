import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/rules/rule.ts';
import { checkRuleFile } from '../../src/rules/rule-file.ts';
import { accountOf, budgetOf, evaluateAll, row, type TableRow } from './evaluated.ts';
import { queryNamed } from './rule-fixtures.ts';

const QUERY = queryNamed('keyword_stats', readFileSync('queries/keyword_stats.sql', 'utf8'));
const FILES = readdirSync('rules').filter((file) => file.endsWith('.yaml'));

function shipped(name: string): Rule {
  const source = readFileSync(`rules/${name}.yaml`, 'utf8');
  const queries = new Map([[QUERY.name, QUERY]]);
  const { rule, diagnostics } = checkRuleFile(name, source, queries, new Set(), { version: '0123456789ab' });
  expect(diagnostics).toEqual([]);
  if (!rule) throw new Error(`${name} is no rule`);
  return rule;
}

/** What the rule says of the only campaign, and the alert it sends. */
function said(name: string, rows: readonly TableRow[], budget = '50'): readonly (string | undefined)[] {
  const [evaluation] = evaluateAll([shipped(name)], rows, accountOf({ 1: budgetOf(71, budget) }));
  if (evaluation?.kind !== 'evaluated') throw new Error(evaluation?.reason);
  const [verdict] = evaluation.verdicts;
  return [verdict?.truth, ...(verdict?.alertText() === undefined ? [] : [verdict.alertText()])];
}

const days = (agos: readonly number[], changes: TableRow): TableRow[] => agos.map((ago) => row({ ago, ...changes }));
const week = (from: number) => Array.from({ length: 7 }, (_, index) => from + index);
const amount = (units: number) => BigInt(units * 1_000_000);

describe('the shipped rules', () => {
  it('are those that people ask for first', () => {
    const names = ['feed-limited-winners', 'stopped-spending', 'trim-expensive-clicks', 'weekday-anomaly'];
    expect(FILES).toEqual(names.map((name) => `${name}.yaml`));
  });

  it('trim a campaign whose clicks are dear and have become dearer, and no test campaign', () => {
    const before = days(week(8), { clicks: 10n, cost_micros: amount(25) });
    const dearer = days(week(1), { clicks: 10n, cost_micros: amount(30) });
    expect(said('trim-expensive-clicks', [...before, ...dearer])).toEqual([
      'true',
      'Shoes: 3.00 EUR a click, 2.50 EUR the week before',
    ]);
    const test = [...before, ...dearer].map((one) => ({ ...one, campaign_name: 'Test shoes' }));
    expect(said('trim-expensive-clicks', test)).toEqual([undefined]);
    expect(said('trim-expensive-clicks', days(week(1), { clicks: 10n, cost_micros: amount(30) }))).toEqual(['unknown']);
  });

  it('feed a campaign that spends all of its budget on cheap clicks', () => {
    const rows = days(week(1), { clicks: 60n, cost_micros: amount(45) });
    expect(said('feed-limited-winners', rows, '50')).toEqual(['true']);
    expect(said('feed-limited-winners', rows, '50.01')).toEqual(['false']);
  });

  it('tell of a campaign that had clicks all week and no row, or no cost, yesterday', () => {
    const before = days(week(2), { clicks: 3n, cost_micros: amount(2) });
    const text = 'Shoes cost nothing yesterday, after 14.00 EUR in the week before';
    expect(said('stopped-spending', before)).toEqual(['true', text]);
    expect(said('stopped-spending', [...before, row({ clicks: 0n, cost_micros: 0n })])).toEqual(['true', text]);
    expect(said('stopped-spending', [...before, row({ clicks: 1n, cost_micros: 1n })])).toEqual(['false']);
  });

  it('tell of clicks that are far from those of the weekday', () => {
    const weeks = [8, 15, 22, 29].map((ago, index) => row({ ago, clicks: BigInt(100 + index) }));
    expect(said('weekday-anomaly', [...weeks, row({ clicks: 130n })])).toEqual(['false']);
    expect(said('weekday-anomaly', [...weeks, row({ clicks: 140n })])).toEqual([
      'true',
      'Shoes: 140 clicks yesterday, 101.5 on that weekday before',
    ]);
    expect(said('weekday-anomaly', [...weeks, row({ clicks: 60n })])).toMatchObject(['true', expect.anything()]);
    expect(said('weekday-anomaly', weeks)).toEqual(['unknown']);
  });
});
