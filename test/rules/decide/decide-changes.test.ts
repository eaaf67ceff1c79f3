import { describe, expect, it } from 'vitest';
import { decideChanges } from '../../../src/language/rules/decide/decide-changes.ts';
import type { AccountFacts, Subject } from '../../../src/language/rules/decide/decision.ts';
import type { Mode } from '../../../src/language/rules/rule.ts';
import { accountOf, B71, B72, budgetOf, money, type RequestTexts, requestOf } from './guard-fixtures.ts';

const budgets = [budgetOf(B71, '40'), budgetOf(B72, '60')];

/** A budget as a whole: its campaigns are several, so it has the id of none. */
const SEVERAL: Subject = { ...requestOf().subject, kind: 'budget', campaignId: undefined, label: 'budget 71' };

/** What became of each request, in the given order: the new amount in currency units or the code. */
function decide(requests: readonly RequestTexts[], account: Partial<AccountFacts> = {}) {
  const texts = requests.map((request) => ({ ...request, current: request.budget === B72 ? '60' : '40' }));
  return decideChanges(texts.map(requestOf), accountOf(budgets, account), 'apply').map((decision) =>
    decision.kind === 'change' ? Number(decision.to) / 1e6 : decision.refusal.code,
  );
}

describe('two rules on one budget', () => {
  const more = 'increase budget by 10%';
  const set = 'set budget to 30';
  it.each<[string, readonly RequestTexts[], readonly (number | string)[]]>([
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
  ])('%s', (_, requests, expected) => {
    expect(decide(requests)).toEqual(expected);
    expect(decide(requests.toReversed())).toEqual(expected.toReversed());
  });

  it('respect the account total together, in the order of decision', () => {
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
  it('contains everything needed to make it', () => {
    const request = requestOf({ limits: { step: '10%' }, mode: 'approve' });
    expect(decideChanges([request], accountOf([budgetOf(B71, '40', { source: 'declared' })]), 'apply')).toEqual([
      {
        kind: 'change',
        request,
        budgetId: '71',
        from: 40_000_000n,
        to: 36_000_000n,
        amountSource: 'declared',
        currency: 'EUR',
        mode: 'approve',
        limitedBy: 'step',
        change:
          'decrease budget by 15%, limited by the step of 10%: 40.00 EUR to 36.00 EUR (the service does not show budgets: the old amount comes from the settings or from the last change by pacekeeper)',
        reason:
          'clicks (100) >= 30, 2026-11-13 to 2026-11-19; decrease budget by 15%, limited by the step of 10%: 40.00 EUR to 36.00 EUR (the service does not show budgets: the old amount comes from the settings or from the last change by pacekeeper)',
        reasonWithoutAmounts:
          'clicks (100) >= 30, 2026-11-13 to 2026-11-19; decrease budget by 15%, limited by the step of 10% (the service does not show budgets: the old amount comes from the settings or from the last change by pacekeeper)',
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
    expect(decideChanges([requestOf({ mode })], accountOf(budgets), widest)).toMatchObject([{ mode: expected }]);
  });

  it('cannot be requested by a rule without a change', () => {
    const request = requestOf();
    const without = { ...request, rule: { ...request.rule, change: undefined } };
    expect(() => decideChanges([without], accountOf(budgets), 'apply')).toThrow(
      'The rule trim has no change, but requests one.',
    );
  });
});
