import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate } from '../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import { Conditions } from '../../src/language/trial/conditions.ts';
import {
  runTrials,
  type TrialMoment,
  type TrialRow,
  type TrialSums,
  trialRows,
} from '../../src/language/trial/run-trial.ts';
import { TrialAccount } from '../../src/language/trial/trial-account.ts';
import { membersOf, row, type TableRow, TODAY } from '../rules/evaluated.ts';
import { money, ruleOf } from '../rules/rule-fixtures.ts';

const DAYS = 4;
const day = (number: number) => addDays(TODAY, number - DAYS);

interface Tried {
  readonly sums: TrialSums;
  readonly rows: readonly TrialRow[];
}

const ONCE = { cooldownMs: 0, repeatMs: Number.POSITIVE_INFINITY };

/** What the account's only campaign, whose budget is 20.00, had on the day before each of the days; undefined for no row. */
async function tried(
  rule: Rule,
  clicks: readonly (bigint | null | undefined)[],
  { refusals = false, open = -1 } = {},
): Promise<Tried> {
  const budget = { budgetId: budgetId('71'), amount: money('20'), campaigns: [{ id: campaignId('1'), name: 'Shoes' }] };
  const about = {
    customerId: customerId('1234567890'),
    currency: 'EUR',
    budgets: [budget],
    bounds: { dailyTotalMax: undefined, dailyExposureMax: undefined },
  };
  // A second campaign has rows on every day, so that there is something to look at.
  const rows = clicks.flatMap((own, index): TableRow[] => [
    row({ ago: DAYS - index + 1, campaign_id: 2n, clicks: 0n }),
    ...(own === undefined ? [] : [row({ ago: DAYS - index + 1, clicks: own })]),
  ]);
  function* momentsOf(today: CivilDate): Generator<TrialMoment> {
    const seen = {
      today,
      lastSettled: addDays(today, -1),
      readToday: false,
      holidays: new Set<never>(),
      settled: () => today !== day(open),
      members: (demand: Parameters<typeof membersOf>[1]) => membersOf(rows, demand),
    };
    yield { rules: [rule], dayOf: () => seen, how: today === day(0) ? 'not_on_record' : 'known' };
  }
  const order = {
    rules: [rule],
    accounts: { with: new TrialAccount(about), without: new TrialAccount(about) },
    momentsOf,
    conditions: new Conditions(ONCE),
    refusals,
  };
  const days = clicks.map((_, index) => day(index));
  const [trial] = await runTrials([order], days);
  const sums = trial?.sums.get(rule.name);
  if (trial === undefined || sums === undefined) throw new Error('The rule has no sums.');
  return { sums, rows: trialRows(trial, rule) };
}

const CHANGE = ruleOf({ over: 'yesterday', when: 'clicks >= 30', change: 'decrease budget by 10%' });
const ALERT = ruleOf({
  over: 'yesterday',
  when: 'clicks >= 30',
  change: undefined,
  alert: '{ severity: info, text: "{clicks} clicks" }',
});
const daysOf = ({ rows }: Tried) => rows.map((one) => one.day);

describe('a rule that changes budgets', () => {
  it('has a row for each change, starting from the previous amount', async () => {
    const tally = await tried(CHANGE, [40n, 10n, 50n]);
    expect(tally.rows).toMatchObject([
      { kind: 'change', day: day(0), from: money('20'), to: money('18'), reason: expect.stringContaining('(40)') },
      { kind: 'change', day: day(2), from: money('18'), to: money('16.20') },
    ]);
    expect(tally.sums).toMatchObject({ evaluated: 3, looked: 6, fired: 2, changes: 2 });
    expect(tally.sums.data).toEqual({ known: 2, restated: 0, not_on_record: 1 });
  });

  it('does not count alerts, because changes send alerts, too', async () => {
    const both = ruleOf({
      over: 'yesterday',
      when: 'clicks >= 30',
      change: 'decrease budget by 10%',
      alert: '{ severity: info, text: "{clicks} clicks" }',
    });
    const tally = await tried(both, [40n, 50n]);
    expect(tally.sums).toMatchObject({ changes: 2 });
    expect(tally.rows.map(({ kind }) => kind)).toEqual(['change', 'change']);
  });

  it('counts refusals by code, and has rows for them on request', async () => {
    const rule = ruleOf({
      over: 'yesterday',
      when: 'clicks >= 30',
      change: 'decrease budget by 10%',
      limits: '{ cooldown: 3 days }',
    });
    const counted = await tried(rule, [40n, 40n, 40n, 40n]);
    expect(counted.sums.refused).toEqual(new Map([['COOLDOWN', 2]]));
    expect(daysOf(counted)).toEqual([day(0), day(3)]);
    const shown = await tried(rule, [40n, 40n], { refusals: true });
    expect(shown.rows[1]).toMatchObject({
      kind: 'refusal',
      refusal: { code: 'COOLDOWN', facts: { cooldownDays: 3 } },
    });
  });
});

describe('a rule that only alerts', () => {
  it.each<[string, readonly (bigint | null | undefined)[], number, readonly number[]]>([
    ['once for as long as it stays true', [40n, 50n, 60n], -1, [0]],
    ['again when it was over in between', [40n, 10n, 60n], -1, [0, 2]],
    ['again when the subject was gone in between', [40n, undefined, 60n], -1, [0, 2]],
    ['not again when it was unknown in between', [40n, null, 60n], -1, [0]],
    ['not again when it was not evaluated in between', [40n, 50n, 60n], 1, [0]],
    ['when it becomes true after it was unknown', [null, 50n], -1, [1]],
    ['never when it never is true', [1n, 2n], -1, []],
  ])('has a row for the first day on which it is true: %s', async (_, clicks, open, expected) => {
    const tally = await tried(ALERT, clicks, { open });
    expect(daysOf(tally)).toEqual(expected.map(day));
    expect(tally.sums).toMatchObject({ changes: 0 });
  });

  it('contains the alert text', async () => {
    expect((await tried(ALERT, [40n])).rows).toMatchObject([{ kind: 'alert', text: '40 clicks' }]);
  });

  it('names the days on which it was not evaluated', async () => {
    const { notEvaluated, evaluated } = (await tried(ALERT, [40n, 50n, 60n], { open: 1 })).sums;
    expect(evaluated).toBe(2);
    expect(notEvaluated).toEqual([{ from: day(1), to: day(1), reason: `stats has no complete data for ${day(0)}` }]);
  });
});
