import { hashOf, uniform } from './random.ts';
import type { AccountPlan, CampaignPlan } from './seeded-plans.ts';

/** From so many campaigns on, the last three share a budget. */
const SHARING_FROM = 10;
const SHARES = [0.4, 0.35, 0.25];

/** An account in EUR of as many campaigns as are wanted, whose budgets, demand and prices follow from the seed. */
export function simulatedPlan(seed: number, campaigns: number): AccountPlan {
  return {
    customerId: '5000000001',
    name: `Simulated account of ${campaigns} ${campaigns === 1 ? 'campaign' : 'campaigns'}`,
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    sharedBudget: { name: 'Shared budget', amount: 90 },
    forms: ['{}', 'buy {}', '{} online', 'best {}'],
    everywhere: 'sale',
    campaigns: Array.from({ length: campaigns }, (_, index) => campaignPlan(seed, index, campaigns)),
  };
}

function campaignPlan(seed: number, index: number, campaigns: number): CampaignPlan {
  const number = String(index + 1).padStart(3, '0');
  const draw = (place: number) => uniform(hashOf(`plan|${seed}`), index, place);
  const share = campaigns < SHARING_FROM ? undefined : SHARES[index - campaigns + SHARES.length];
  return {
    name: `Campaign ${number}`,
    budget: share === undefined ? 10 + Math.floor(draw(0) * 120) : { share },
    // From a third of the budget to nearly twice as much as it pays for.
    demand: 0.35 + 1.5 * draw(1) ** 2,
    clickCost: 0.3 + 3.2 * draw(2) ** 2,
    clicksPerImpression: 0.03 + 0.08 * draw(3),
    status: 'ENABLED',
    terms: ['a', 'b', 'c'].map((letter) => `product ${number}${letter}`),
  };
}
