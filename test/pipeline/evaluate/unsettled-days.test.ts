import { expect, test } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { compare, rational } from '../../../src/domain/rational.ts';
import { APPLY, createWorld } from '../../support/world.ts';

const PACE = `description: Keep one campaign on 900 a month.
from: spend
for: budget
where: campaign_name = 'Regenjacken'
currency: EUR
change: pace budget to 900 per month
limits: { floor: 5 }
mode: apply
`;
const SPEND = `SELECT campaign.id, campaign.name, metrics.cost_micros, segments.date FROM campaign
  WHERE segments.date BETWEEN :today-36 AND :yesterday`;

test('an incomplete day counts its possible cost before the budget was lowered this morning', async () => {
  const world = await createWorld({
    config: `${APPLY}extract: { settle_days: { spend: 1 } }\n`,
    queries: { 'spend.sql': SPEND },
    rules: { 'pace.yaml': PACE },
  });
  const customer = '4081725530';
  const options = { customers: [world.sandbox.market.accounts[0]?.customerId ?? expect.unreachable()] };
  const first = await world.report(options);
  const [change] = first.decisions;
  const paced = change?.to ?? expect.unreachable('the first report changes the budget');

  world.clock.set(`${addDays(civilDate('2026-11-20'), 2)}T12:00:00Z`);
  world.sandbox.setBudget(customer, change?.budgetId ?? '', (paced / 5n) as typeof paced);
  const second = await world.report(options);

  const [target] = second.pacing ?? [];
  expect(target?.reading.newestSettled).toBe('2026-11-20');
  // The day after the first report had the amount that it set, whatever the budget is now.
  expect(target && compare(target.reading.unsettled, rational(paced))).toBe(0);
});
