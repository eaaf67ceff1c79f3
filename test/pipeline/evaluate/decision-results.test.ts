import { describe, expect, test } from 'vitest';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { changedIn } from '../../../src/pipeline/evaluate/decision-results.ts';
import type { Subject } from '../../../src/rules/decide/decision.ts';
import { money } from '../../rules/rule-fixtures.ts';

const spendsFrom = (budget: number, name: string | undefined) => ({
  budgetId: budgetId(String(budget)),
  campaignName: name,
  amount: money('20'),
  source: 'read' as const,
  campaignStatus: undefined,
});
const campaigns = new Map([
  [campaignId('1'), spendsFrom(71, 'Trail Shoes')],
  [campaignId('2'), spendsFrom(72, 'Boots')],
  [campaignId('3'), spendsFrom(72, 'Socks')],
  [campaignId('4'), spendsFrom(74, undefined)],
]);
const nobody = { campaignId: undefined, campaignName: undefined, adGroupId: undefined, criterionId: undefined };
const account: Subject = {
  kind: 'account',
  customerId: customerId('1234567890'),
  budgetId: undefined,
  label: 'account 1234567890',
  ...nobody,
};

describe('whose budget a decision is about', () => {
  test.each([
    ['of a rule for an account is said by its campaign', 71, 'Trail Shoes (campaign 1)', '1'],
    ['that several campaigns share is said by its number', 72, 'budget 72 (2 campaigns)', undefined],
    ['whose campaign has no known name is said by the number of that', 74, 'campaign 4', '4'],
    ['that no campaign is known of is said by its number', 99, 'budget 99', undefined],
  ])('%s', (_, budget, subject, campaign) => {
    const found = changedIn({ campaigns }, account, budgetId(String(budget)));
    expect([found.subject, found.campaignId]).toEqual([subject, campaign]);
  });

  test('where no budget is known is the account itself', () => {
    expect(changedIn({ campaigns }, account, undefined).subject).toBe('account 1234567890');
  });

  test('of a rule for a campaign is said as the rule sees it, whoever else spends from it', () => {
    const own = { campaignId: campaignId('2'), campaignName: 'Boots of before' };
    const campaign: Subject = { ...account, ...own, kind: 'campaign', label: 'Boots of before (campaign 2)' };
    expect(changedIn({ campaigns }, campaign, budgetId('72'))).toEqual({
      ...own,
      subject: 'Boots of before (campaign 2)',
    });
  });
});
