import { describe, expect, it } from 'vitest';
import { decideChanges } from '../../../src/rules/decide/decide-changes.ts';
import type { AccountFacts, Subject } from '../../../src/rules/decide/decision.ts';
import type { Mode } from '../../../src/rules/rule.ts';
import { accountOf, B71, B72, budgetOf, money, type WishTexts, wishOf } from './guard-fixtures.ts';

const budgets = [budgetOf(B71, '40'), budgetOf(B72, '60')];

/** A budget as a whole: its campaigns are several, so it has the id of none. */
const SEVERAL: Subject = { ...wishOf().subject, kind: 'budget', campaignId: undefined, label: 'budget 71' };

/** What became of each wish, in the given order: the new amount in currency units or the code. */
function decide(wishes: readonly WishTexts[], account: Partial<AccountFacts> = {}) {
  const texts = wishes.map((wish) => ({ ...wish, current: wish.budget === B72 ? '60' : '40' }));
  return decideChanges(texts.map(wishOf), accountOf(budgets, account), 'apply').map((decision) =>
    decision.kind === 'change' ? Number(decision.to) / 1e6 : decision.refusal.code,
  );
}

describe('two rules on one budget', () => {
  const more = 'increase budget by 10%';
  const set = 'set budget to 30';
  it.each<[string, readonly WishTexts[], readonly (number | string)[]]>([
    ['none is none', [], []],
    ['one is decided on', [{}], [34]],
    ['a decrease goes before an increase', [{ rule: 'a', change: more }, { rule: 'b' }], ['DECIDED_BY_OTHER', 34]],
    [
      'a lower amount is a decrease',
      [
        { rule: 'a', change: more },
        { rule: 'b', change: set },
      ],
      ['DECIDED_BY_OTHER', 30],
    ],
    [
      'a higher amount is an increase',
      [{ rule: 'a', change: 'set budget to 50' }, { rule: 'b' }],
      ['DECIDED_BY_OTHER', 34],
    ],
    ['the file name decides', [{ rule: 'b', change: set }, { rule: 'a' }], ['DECIDED_BY_OTHER', 34]],
    ['capitals come before small letters', [{ rule: 'a' }, { rule: 'B', change: set }], ['DECIDED_BY_OTHER', 30]],
    [
      'the campaign with the smaller number decides',
      [
        { campaign: '100', change: set },
        { campaign: '99', change: set },
      ],
      ['DECIDED_BY_OTHER', 30],
    ],
    [
      'the file name decides, whichever campaign has the smaller number',
      [
        { rule: 'b', campaign: '5', change: set },
        { rule: 'a', campaign: '9' },
      ],
      ['DECIDED_BY_OTHER', 34],
    ],
    [
      'what is decided for several campaigns comes before a single one',
      [{ change: set }, { changes: { subject: SEVERAL } }],
      ['DECIDED_BY_OTHER', 34],
    ],
    [
      'one that is refused leaves the budget to the next',
      [{ rule: 'a', limits: { floor: '40' } }, { rule: 'b' }, { rule: 'c' }],
      ['AT_FLOOR', 34, 'DECIDED_BY_OTHER'],
    ],
    [
      'an increase may come when no decrease is let through',
      [
        { rule: 'a', limits: { floor: '40' } },
        { rule: 'b', change: more },
      ],
      ['AT_FLOOR', 44],
    ],
    ['another budget is another matter', [{}, { budget: B72 }], [34, 51]],
    [
      'what is not known is asked last',
      [
        { rule: 'a', changes: { target: undefined } },
        { rule: 'b', change: more },
      ],
      ['DECIDED_BY_OTHER', 44],
    ],
  ])('%s', (_, wishes, expected) => {
    expect(decide(wishes)).toEqual(expected);
    expect(decide(wishes.toReversed())).toEqual(expected.toReversed());
  });

  it('hold the account to its total together, in the order they are decided on', () => {
    const up = [
      { rule: 'b', change: more },
      { rule: 'a', change: more, budget: B72 },
    ];
    expect(decide(up, { dailyTotalMax: money('109.99') })).toEqual(['ACCOUNT_TOTAL', 66]);
    expect(decide(up, { dailyTotalMax: money('110') })).toEqual([44, 66]);
    expect(decide(up, { dailyExposureMax: money('219.99') })).toEqual(['EXPOSURE', 66]);
    expect(decide(up, { dailyExposureMax: money('220') })).toEqual([44, 66]);
  });
});

describe('a change', () => {
  it('says all that is needed to make it', () => {
    const wish = wishOf({ limits: { step: '10%' }, mode: 'approve' });
    expect(decideChanges([wish], accountOf([budgetOf(B71, '40', { source: 'declared' })]), 'apply')).toEqual([
      {
        kind: 'change',
        wish,
        budgetId: '71',
        from: 40_000_000n,
        to: 36_000_000n,
        amountSource: 'declared',
        currency: 'EUR',
        mode: 'approve',
        limitedBy: 'step',
        change:
          'decrease budget by 15%, held by the step of 10%: 40.00 EUR to 36.00 EUR (the service does not show budgets: the old amount is the declared one, or what we last set)',
        reason:
          'clicks (100) >= 30, 2026-11-13 to 2026-11-19; decrease budget by 15%, held by the step of 10%: 40.00 EUR to 36.00 EUR (the service does not show budgets: the old amount is the declared one, or what we last set)',
        reasonWithoutAmounts:
          'clicks (100) >= 30, 2026-11-13 to 2026-11-19; decrease budget by 15%, held by the step of 10% (the service does not show budgets: the old amount is the declared one, or what we last set)',
      },
    ]);
  });

  it.each<[Mode, Mode, Mode]>([
    ['apply', 'apply', 'apply'],
    ['apply', 'propose', 'propose'],
    ['propose', 'apply', 'propose'],
    ['approve', 'apply', 'approve'],
    ['apply', 'approve', 'approve'],
  ])('of a rule written as %s where at most %s is allowed is to %s', (mode, widest, expected) => {
    expect(decideChanges([wishOf({ mode })], accountOf(budgets), widest)).toMatchObject([{ mode: expected }]);
  });

  it('is not wished for by a rule that has none', () => {
    const wish = wishOf();
    const without = { ...wish, rule: { ...wish.rule, change: undefined } };
    expect(() => decideChanges([without], accountOf(budgets), 'apply')).toThrow('The rule trim changes nothing');
  });
});
