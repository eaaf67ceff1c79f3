import { describe, expect, it } from 'vitest';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { TrialAccount, type TrialBudget } from '../../src/language/trial/trial-account.ts';
import { money } from '../rules/rule-fixtures.ts';

const DAY = civilDate('2026-11-20');
const first = budgetId('71');
const second = budgetId('72');

function accountOf(...budgets: Partial<TrialBudget>[]): TrialAccount {
  const whole = budgets.map((budget, place) => ({
    budgetId: place === 0 ? first : second,
    amount: money('20'),
    campaigns: [{ id: campaignId(String(place + 1)), name: 'Tents' }],
    ...budget,
  }));
  const bounds = { dailyTotalMax: undefined, dailyExposureMax: undefined };
  return new TrialAccount({ customerId: customerId('1234567890'), currency: 'EUR', budgets: whole, bounds });
}

describe('a trial account', () => {
  it('excludes a removed budget from its total, and reports it to the guards', () => {
    const account = accountOf({}, { removed: true });
    expect(account.totalAmount()).toBe(money('20'));
    expect([...account.facts(DAY).budgets.values()].map(({ removed }) => removed)).toEqual([false, true]);
  });

  it('knows whether its campaigns run', () => {
    const campaigns = [{ id: campaignId('1'), name: 'Tents', status: 'PAUSED' }] as const;
    const account = accountOf({ campaigns });
    expect(account.byCampaign().get(campaignId('1'))?.campaignStatus).toBe('PAUSED');
    expect(account.facts(DAY).budgets.get(first)?.campaigns).toEqual(campaigns);
  });

  it('records amounts set elsewhere as foreign changes, unless the amount stays the same', () => {
    const account = accountOf({});
    account.setByOthers(first, money('20'), DAY);
    account.setByOthers(first, money('30'), DAY);
    account.setByOthers(budgetId('99'), money('30'), DAY);
    const changes = [{ day: DAY, by: 'foreign', from: money('20'), to: money('30') }];
    expect(account.facts(DAY).budgets.get(first)?.changes).toEqual(changes);
    expect(account.facts(DAY).budgets.get(first)?.decidedToday).toBeUndefined();
    expect([account.amountOf(first), account.highestOn(first, DAY)]).toEqual([money('30'), money('30')]);
  });
});
