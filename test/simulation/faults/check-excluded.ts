import { EXCLUDED_ACCOUNT } from './market.ts';
import type { FaultWorld } from './world.ts';

/** What must never be asked of the account below the excluded manager, nor decided for it, whether or not the manager's tree can be read. */
export function checkExcluded(world: FaultWorld): string[] {
  const { id } = EXCLUDED_ACCOUNT;
  const asked = world.network.all.filter(
    ({ request }) => request.url.includes(`/customers/${id}/`) && !/ FROM customer_client"/.test(request.body ?? ''),
  );
  const decided = ['budget_intent', 'budget_proposal', 'account_day'].filter(
    (table) => world.rows(`SELECT 1 FROM ${table} WHERE customer_id = ? LIMIT 1`, BigInt(id)).length > 0,
  );
  const changed = world.ads.carried.filter(({ budget }) => budget.startsWith(`${id}/`));
  return [
    ...changed.map(({ budget, to }) => `${budget} is below the excluded manager and was set to ${to}`),
    ...decided.map((table) => `${table} has rows of ${id}, which is below the excluded manager`),
    ...asked.slice(0, 1).map(({ number }) => `request ${number} is about ${id}, which is below the excluded manager`),
  ];
}
