import { MARKET } from './market.ts';

/** A target over all accounts, whose changes await approval together. A little more than all budgets come to. */
export const PLAN_SHEET = {
  name: 'plan',
  amount: 1_900_000_000n,
  /** Of one USD in hundredths of a EUR: the settings have it. */
  rateHundredths: 90n,
  floor: 5_000_000n,
  ceiling: 200_000_000n,
  daysBefore: 3,
  daysAfter: 3,
};

/** Its limits when it reallocates between the budgets of the first account instead. */
export const STEP_PERCENT = 20n;

export function reallocationFile(): string {
  const { floor, ceiling } = PLAN_SHEET;
  return `description: The cheapest clicks get the money of the others.
currency: EUR
reallocate: clicks / cost
over: 2 days
members: [{ account: ${MARKET[0]?.id} }]
table: stats
limits: { step: ${STEP_PERCENT}%, floor: ${floor / 1_000_000n}, ceiling: ${ceiling / 1_000_000n}, cooldown: 1 day }
mode: apply
`;
}

/** The file of the target for these days. */
export function planFile(from: string, to: string): string {
  const { amount, floor, ceiling } = PLAN_SHEET;
  return `description: One amount for all accounts.
currency: EUR
amount: ${amount / 1_000_000n}
from: ${from}
to: ${to}
members: [${MARKET.map(({ id }) => `{ account: ${id} }`).join(', ')}]
table: stats
curve: even
band: 100% to 100%
limits: { floor: ${floor / 1_000_000n}, ceiling: ${ceiling / 1_000_000n}, cooldown: 1 day }
mode: approve
`;
}
