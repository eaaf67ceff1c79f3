import { describe, expect, it } from 'vitest';
import { type Refusal, type RefusalCode, refused } from '../../../src/language/rules/decide/refusal.ts';
import { refusalWords } from '../../../src/language/rules/decide/refusal-words.ts';
import { type CasesOf, decide, type GuardCase, stored } from './guard-case.ts';
import { past } from './guard-fixtures.ts';
import { LIMIT_CASES } from './limit-cases.ts';
import { PAST_CASES } from './past-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';
import { STANDING_CASES } from './standing-cases.ts';

/** Every code has a table. What concerns all changes of a run is decided where the run is. */
const CASES: CasesOf<Exclude<RefusalCode, 'CHANGES_PER_RUN' | 'PLAN_INCOMPLETE'>> = {
  ...STANDING_CASES,
  ...PAST_CASES,
  ...REQUEST_CASES,
  ...LIMIT_CASES,
};

function refusalOf(each: GuardCase): Refusal {
  const decision = decide(each);
  if (decision.kind !== 'refused') throw new Error(decision.reason);
  return decision.refusal;
}

describe.each(Object.entries(CASES))('%s', (code, cases) => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const refusal = refusalOf(each);
    expect([refusal.code, refusalWords(refusal)]).toEqual([code, each.reason]);
  });

  it('keeps its facts and words after storage as JSON', () => {
    for (const refusal of cases.map(refusalOf)) {
      expect(stored(refusal)).toStrictEqual(refusal);
      expect(refusalWords(stored(refusal))).toBe(refusalWords(refusal));
    }
  });
});

describe('a refusal from outside of the guards', () => {
  it.each<[string, Refusal, string]>([
    [
      'for one change more than a run may make',
      refused('CHANGES_PER_RUN', { most: 1 }),
      'The run already changes 1 budget, the limit of automation.changes_per_run.',
    ],
    [
      'for more changes than a run may make',
      refused('CHANGES_PER_RUN', { most: 20 }),
      'The run already changes 20 budgets, the limit of automation.changes_per_run.',
    ],
    [
      'for a reallocation whose other change is refused',
      refused('PLAN_INCOMPLETE', { rule: 'best', budgetId: '71', code: 'COOLDOWN' }),
      'Budget 71 of best cannot change (COOLDOWN), so none of its budgets changes: their total must stay the same.',
    ],
    [
      'for a reallocation whose other change is missing',
      refused('PLAN_INCOMPLETE', { rule: 'best', budgetId: null, code: null }),
      'Another budget of best cannot change as planned, so none of its budgets changes: their total must stay the same.',
    ],
    [
      'for a change that cannot be written down',
      refused('ALREADY_DECIDED_TODAY', { budgetId: '71', state: null }),
      'Budget 71 already had its daily change, or one is under way.',
    ],
    [
      'for a proposal beside another',
      refused('WAITS_FOR_APPROVAL', { budgetId: '71', proposal: null }),
      'Another change of this budget awaits approval.',
    ],
    [
      'for a campaign that was given another budget',
      refused('NOT_SERVING', { campaignId: '21', budgetId: '71' }),
      'Campaign 21 no longer spends from budget 71.',
    ],
  ])('%s', (_, refusal, expected) => {
    expect(refusalWords(refusal)).toBe(expected);
    expect(refusalWords(stored(refusal))).toBe(expected);
  });
});

describe('the facts of a refusal', () => {
  it.each<[string, Omit<GuardCase, 'name' | 'reason'>, object]>([
    [
      'contain the days of a cooldown and the origin of the change',
      { request: { limits: { cooldown: 3 } }, budget: { changes: [past('2026-11-18', 'foreign', '50', '40')] } },
      { budgetId: '71', by: 'foreign', day: '2026-11-18', cooldownDays: 3, until: '2026-11-21' },
    ],
    [
      'contain amounts in micros, and the limit by name and value',
      {
        request: { limits: { drift: ['12.5%', 30] } },
        budget: { changes: [past('2026-11-01', 'rule', '80', '40')] },
      },
      {
        budgetId: '71',
        amount: '40000000',
        limit: { name: 'drift', share: '0.125', days: 30, base: '80000000' },
        end: '70000000',
        currency: 'EUR',
      },
    ],
    [
      'contain the change as written in the rule, and the limit that applies',
      { at: '0.50', request: { change: 'increase budget by 50%', limits: { step: '1%' } } },
      {
        change: 'increase budget by 50%',
        amount: '500000',
        currency: 'EUR',
        unit: '10000',
        limit: { name: 'step', share: '0.01' },
      },
    ],
    [
      'name the earlier decision by rule and subject',
      { beside: [{ rule: 'cut', campaign: '22' }] },
      { budgetId: '71', rule: 'cut', subject: 'C22 (campaign 22)' },
    ],
    [
      'name three of many campaigns, and count all',
      { request: { changes: { stopped: ['5', '6', '7', '8'].map((label) => ({ label, status: 'PAUSED' })) } } },
      { campaigns: ['5', '6', '7'].map((label) => ({ label, status: 'PAUSED' })), count: 4, paused: 4 },
    ],
    [
      'contain null for unknown values',
      { account: { budgets: new Map(), currency: undefined } },
      { subject: 'C21 (campaign 21)', budgetId: '71', amount: null, currency: null },
    ],
  ])('%s', (name, each, facts) => {
    expect(refusalOf({ ...each, name, reason: '' }).facts).toStrictEqual(facts);
  });
});
