import { describe, expect, it } from 'vitest';
import { campaignId } from '../../../src/domain/ids.ts';
import { decideChanges } from '../../../src/language/rules/decide/decide-changes.ts';
import type { BudgetFacts, RequestedChange } from '../../../src/language/rules/decide/decision.ts';
import { accountOf, B71, budgetOf, requestOf } from './guard-fixtures.ts';

/** What stands behind the amounts in the reason of a change. */
function said(budget: Partial<BudgetFacts>, request: Partial<RequestedChange> = {}): string {
  const [decision] = decideChanges(
    [requestOf({ changes: request })],
    accountOf([budgetOf(B71, '40', budget)]),
    'apply',
  );
  return (decision?.kind === 'change' ? decision.reason.split('40.00 EUR to 34.00 EUR')[1] : undefined) ?? 'no change';
}

const campaignsOf = (...names: (string | undefined)[]): BudgetFacts['campaigns'] =>
  names.map((name, index) => ({ id: campaignId(String(21 + index)), name }));

describe('the reason of a change of a budget', () => {
  it.each<[string, Partial<BudgetFacts>, string]>([
    ['that serves the campaign alone ends with the amounts', { campaigns: campaignsOf('C21') }, ''],
    ['that serves another one names it', { campaigns: campaignsOf('C21', 'Tents') }, ' (the budget also serves Tents)'],
    [
      'that serves one without a name gives its id',
      { campaigns: campaignsOf('C21', undefined, 'Tents') },
      ' (the budget also serves campaign 22, Tents)',
    ],
    [
      'that serves three others names them all',
      { campaigns: campaignsOf('C21', 'Tents', 'Boots', 'Maps') },
      ' (the budget also serves Tents, Boots, Maps)',
    ],
    [
      'that serves five others names three and counts the rest',
      { campaigns: campaignsOf('C21', 'Tents', 'Boots', 'Maps', 'Ropes', 'Lamps') },
      ' (the budget also serves Tents, Boots, Maps and 2 more)',
    ],
    [
      'that was not read says where the old amount is from',
      { source: 'declared' },
      ' (the service does not show budgets: the old amount comes from the settings or from the last change by pacekeeper)',
    ],
  ])('%s', (_, budget, expected) => {
    expect(said(budget)).toBe(expected);
  });

  it('names no campaign for a rule for budgets, which counts all of them', () => {
    const { subject } = requestOf();
    const whole = { ...subject, kind: 'budget', campaignId: undefined } as const;
    expect(said({ campaigns: campaignsOf('C21', 'Tents') }, { subject: whole as RequestedChange['subject'] })).toBe('');
  });
});
