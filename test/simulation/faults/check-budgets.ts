import { findAuditProblems } from '../../support/audit-problems.ts';
import type { BudgetWatch } from './budget-watch.ts';
import type { FaultWorld } from './world.ts';

/** What must hold of the budgets and their record whenever a process has ended. */
export async function checkBudgets(world: FaultWorld, watch: BudgetWatch): Promise<string[]> {
  const { carried } = world.ads;
  const ofRules = new Map<string, Set<bigint>>();
  const carriedIntents = new Set<string>();
  for (const { budget, request, to } of carried) {
    const intent = watch.intents.get(`${request} ${budget}`);
    if (intent === undefined) continue;
    carriedIntents.add(`${intent.id}=${to}`);
    if (intent.kind !== 'rule') continue;
    const key = `${budget} on ${intent.account_day}`;
    ofRules.set(key, new Set([...(ofRules.get(key) ?? []), intent.id]));
  }
  const twice = [...ofRules].filter(([, ids]) => ids.size > 1);
  const done = world.rows<{ id: bigint; state: string; to_micros: bigint }>(
    "SELECT id, state, to_micros FROM budget_intent WHERE state IN ('applied', 'confirmed')",
  );
  const unmade = done.filter(
    ({ id, state, to_micros }) =>
      !carriedIntents.has(`${id}=${to_micros}`) && !(state === 'confirmed' && isSetByHand(world, id, to_micros)),
  );
  return [
    ...watch.wrong.splice(0),
    ...twice.map(([key, ids]) => `rules changed ${key} ${ids.size} times`),
    ...unmade.map(({ id, state }) => `intent ${id} is ${state}, and the service never carried it out`),
    ...(await findAuditProblems(await world.looking())),
  ];
}

/** What was read back tells that a budget has the amount, not who has set it. */
function isSetByHand(world: FaultWorld, id: bigint, to: bigint): boolean {
  const sql = "SELECT customer_id || '/' || budget_id AS name FROM budget_intent WHERE id = ?";
  const [row] = world.rows<{ name: string }>(sql, id);
  return world.foreign.some((one) => one.budget === row?.name && one.to === to);
}

/** What must hold once nothing goes wrong any more: nothing is open, and the record's last word on a budget is what it is. */
export function checkSettled(world: FaultWorld): string[] {
  const open = world.rows<{ id: bigint; state: string }>(
    "SELECT id, state FROM budget_intent WHERE state IN ('planned', 'validated', 'sending', 'unknown')",
  );
  const said = new Map(
    world
      .rows<{ name: string; amount: string }>(
        `SELECT detail ->> 'customer_id' || '/' || (detail ->> 'budget_id') AS name,
          CASE kind WHEN 'foreign_change' THEN detail ->> 'found_micros' ELSE detail ->> 'to_micros' END AS amount
        FROM budget_event WHERE kind IN ('applied', 'confirmed', 'foreign_change') ORDER BY id`,
      )
      .map(({ name, amount }) => [name, BigInt(amount)]),
  );
  const differences = [...said].filter(([name, amount]) => world.ads.budgets.get(name) !== amount);
  const untold = world.ads.carried.filter(
    ({ budget, from }) => !said.has(budget) && world.ads.budgets.get(budget) !== from,
  );
  return [
    ...open.map(({ id, state }) => `intent ${id} is still ${state}`),
    ...differences.map(
      ([name, amount]) => `${name} is ${world.ads.budgets.get(name)}, and the events left it at ${amount}`,
    ),
    ...untold
      .filter(({ budget }) => !world.foreign.some((one) => one.budget === budget))
      .map(({ budget }) => `${budget} was changed, and no event says so`),
  ];
}
