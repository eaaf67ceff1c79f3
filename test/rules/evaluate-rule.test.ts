import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/civil-date.ts';
import { type AccountFacts, evaluateRule, type Subject } from '../../src/rules/evaluate-rule.ts';
import type { Mode, Rule } from '../../src/rules/rule.ts';
import { account, B1, B2, budget, C1, C2, C3, ruleOf, subject } from './rule-fixtures.ts';

const DAYS = { from: civilDate('2026-11-13'), to: civilDate('2026-11-19') };

function evaluate(
  rule: Rule,
  subjects: readonly Subject[],
  facts: Partial<AccountFacts> = {},
  widest: Mode = 'apply',
  claims = new Map(),
) {
  return evaluateRule(rule, account(facts), subjects, DAYS, widest, claims);
}
const codeOf = (facts: Partial<AccountFacts>, metrics = {}) => {
  const [verdict] = evaluate(ruleOf(), [subject(C1, metrics)], facts);
  const decision = verdict?.decision;
  return decision?.kind === 'refused' ? `${decision.code}: ${decision.reason}` : decision?.kind;
};

describe('a rule that fires', () => {
  it('P4: decides on a change, and says why with the numbers it decided on', () => {
    const rule = ruleOf({ mode: 'apply', limits: '{ floor: 5, step: 5% }' }, 'trim');
    expect(evaluate(rule, [subject(C1, {}, 'Shoes')])).toEqual([
      {
        rule: 'trim',
        customerId: '1234567890',
        campaignId: '1',
        campaignName: 'Shoes',
        truth: 'true',
        explanation: 'clicks (100) >= 30 AND cost / clicks (3.21) > 2.50',
        decision: {
          kind: 'change',
          budgetId: '71',
          from: 20_000_000n,
          to: 19_000_000n,
          amountSource: 'read',
          currency: 'EUR',
          mode: 'apply',
          reason:
            'clicks (100) >= 30 AND cost / clicks (3.21) > 2.50, 2026-11-13 to 2026-11-19; ' +
            'decrease budget by 10%, held by the step: 20.00 EUR to 19.00 EUR',
        },
      },
    ]);
  });

  it.each<[Mode, Mode, Mode]>([
    ['apply', 'apply', 'apply'],
    ['apply', 'propose', 'propose'],
    ['propose', 'apply', 'propose'],
    ['approve', 'apply', 'approve'],
    ['apply', 'approve', 'approve'],
  ])('written as %s where at most %s is allowed, does %s', (mode, widest, expected) => {
    const [verdict] = evaluate(ruleOf({ mode }), [subject(C1)], {}, widest);
    expect(verdict?.decision).toMatchObject({ kind: 'change', mode: expected });
  });

  it('takes the name of the budget for a campaign that has none of its own', () => {
    const nameless = { ...subject(C1), attributes: new Map() };
    const [verdict] = evaluate(ruleOf(), [nameless], { budgets: new Map([[C1, budget(B1, '20', 'Boots')]]) });
    expect(verdict?.campaignName).toBe('Boots');
  });

  it('reads the budget as it is now', () => {
    const rule = ruleOf({ when: 'cost >= 0.9 * 7 * budget' });
    const at = (amount: string) => evaluate(rule, [subject(C1)], { budgets: new Map([[C1, budget(B1, amount)]]) })[0];
    expect(at('50.95')?.truth).toBe('true');
    expect(at('51')?.truth).toBe('false');
  });
});

describe('a rule that does not fire', () => {
  it.each([
    ['at the threshold exactly', { clicks: 30n, cost_micros: 75_000_000n }, 'false'],
    ['a micro above it fires', { clicks: 30n, cost_micros: 75_000_001n }, 'true'],
    ['below the number of clicks', { clicks: 29n, cost_micros: 75_000_000_000n }, 'false'],
    ['without clicks', { clicks: 0n, cost_micros: 75_000_000n }, 'false'],
  ])('%s', (_, metrics, truth) => {
    const [verdict] = evaluate(ruleOf(), [subject(C1, metrics)]);
    expect(verdict?.truth).toBe(truth);
    expect(verdict?.decision?.kind).toBe(truth === 'true' ? 'change' : undefined);
  });

  it('is unknown where a value is, and decides nothing', () => {
    const rule = ruleOf({ when: 'cost / clicks > 2.50' });
    const [noClicks] = evaluate(rule, [subject(C1, { clicks: 0n })]);
    expect(noClicks).toMatchObject({ truth: 'unknown', decision: undefined });
    const [noBudget] = evaluate(ruleOf({ when: 'budget < 5' }), [subject(C1)], { budgets: new Map() });
    expect(noBudget).toMatchObject({ truth: 'unknown', decision: undefined, explanation: 'budget (unknown) < 5' });
  });

  it('does not claim the budget', () => {
    const claims = new Map();
    evaluate(ruleOf(), [subject(C1, { clicks: 0n })], {}, 'apply', claims);
    expect(claims.size).toBe(0);
  });
});

describe('a rule that fires and may not decide', () => {
  it.each<[string, Partial<AccountFacts>, string]>([
    ['an unknown budget', { budgets: new Map() }, "BUDGET_NOT_KNOWN: The campaign's budget is not known."],
    ['an unknown currency', { currency: undefined }, "CURRENCY_NOT_KNOWN: The account's currency is not known."],
    [
      'a currency without a smallest unit',
      { currency: 'ZZZ' },
      'CURRENCY_NOT_KNOWN: The smallest unit of ZZZ is not known.',
    ],
    [
      'a change of the same day',
      { decidedToday: new Map([[B1, 'applied']]) },
      'ALREADY_DECIDED_TODAY: Budget 71 already had its change of the day.',
    ],
    [
      'a change whose outcome is open',
      { open: new Set([B1]) },
      'OUTCOME_OPEN: The outcome of an earlier change of budget 71 is not known yet.',
    ],
    [
      'a change of the same day that was rejected',
      { decidedToday: new Map([[B1, 'rejected']]) },
      'ALREADY_DECIDED_TODAY: Budget 71 already had its change of the day, which was rejected.',
    ],
    [
      'both, of which the open one weighs more',
      { open: new Set([B1]), decidedToday: new Map([[B1, 'applied']]) },
      'OUTCOME_OPEN: The outcome of an earlier change of budget 71 is not known yet.',
    ],
    [
      "another budget's change does not matter",
      { decidedToday: new Map([[B2, 'applied']]), open: new Set([B2]) },
      'change',
    ],
  ])('%s', (_, facts, expected) => {
    expect(codeOf(facts)).toBe(expected);
  });

  it('leaves the budget to the next rule when the guard refuses', () => {
    const claims = new Map();
    const [first] = evaluate(ruleOf({ limits: '{ floor: 20 }' }, 'first'), [subject(C1)], {}, 'apply', claims);
    const [second] = evaluate(ruleOf({}, 'second'), [subject(C1)], {}, 'apply', claims);
    expect(first?.decision).toMatchObject({ kind: 'refused', code: 'AT_FLOOR' });
    expect(second?.decision?.kind).toBe('change');
  });
});

describe('a shared budget', () => {
  const shared = { budgets: new Map([C1, C2, C3].map((id) => [id, budget(id === C3 ? B2 : B1, '20')])) };

  it('has one decision, and the others are told who made it', () => {
    const verdicts = evaluate(ruleOf({}, 'trim'), [subject(C1, {}, 'Shoes'), subject(C2), subject(C3)], shared);
    expect(verdicts.map(({ decision }) => (decision?.kind === 'refused' ? decision.reason : decision?.kind))).toEqual([
      'change',
      'Budget 71 is shared, and was decided on by trim for campaign Shoes.',
      'change',
    ]);
  });

  it('is decided on by the first rule that fires, over all rules of an account', () => {
    const claims = new Map();
    evaluate(ruleOf({}, 'first'), [subject(C2)], shared, 'apply', claims);
    const [later] = evaluate(ruleOf({}, 'later'), [subject(C1)], shared, 'apply', claims);
    expect(later?.decision).toEqual({
      kind: 'refused',
      code: 'DECIDED_BY_OTHER',
      reason: 'Budget 71 is shared, and was decided on by first for campaign C2.',
    });
    expect(claims).toEqual(new Map([[B1, 'first for campaign C2']]));
  });

  it('is named by the campaign id where the campaign has no name', () => {
    const claims = new Map();
    evaluate(ruleOf({}, 'trim'), [{ ...subject(C1), attributes: new Map() }], shared, 'apply', claims);
    expect(claims.get(B1)).toBe('trim for campaign 1');
  });
});
