import { describe, expect, test } from 'vitest';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { changedIn } from '../../../src/engine/evaluate/planned-decision.ts';
import type { Subject } from '../../../src/language/rules/decide/decision.ts';
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

describe('the subject of a decision', () => {
  test.each([
    ['is the campaign of the budget for a rule of an account', 71, 'Trail Shoes (campaign 1)', '1'],
    ['is the budget number if several campaigns share the budget', 72, 'budget 72 (2 campaigns)', undefined],
    ['is the campaign number if the campaign name is unknown', 74, 'campaign 4', '4'],
    ['is the budget number if no campaign is known', 99, 'budget 99', undefined],
  ])('%s', (_, budget, subject, campaign) => {
    const found = changedIn({ campaigns }, account, budgetId(String(budget)));
    expect([found.subject, found.campaignId]).toEqual([subject, campaign]);
  });

  test('is the account if no budget is known', () => {
    expect(changedIn({ campaigns }, account, undefined).subject).toBe('account 1234567890');
  });

  test('is the campaign for a rule of campaigns, even if the budget is shared', () => {
    const own = { campaignId: campaignId('2'), campaignName: 'Boots of before' };
    const campaign: Subject = { ...account, ...own, kind: 'campaign', label: 'Boots of before (campaign 2)' };
    expect(changedIn({ campaigns }, campaign, budgetId('72'))).toEqual({
      ...own,
      subject: 'Boots of before (campaign 2)',
    });
  });
});
