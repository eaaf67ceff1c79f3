import { findAuditProblems } from '../../support/audit.ts';
import { storeAt } from '../../support/state.ts';
import type { HistoryWorld } from './history-world.ts';

/** What is wrong after a step, one sentence each: what the watcher has seen, and what the state file says now. */
export async function findWrong(world: HistoryWorld): Promise<string[]> {
  const twice = world.rows<{ budget_id: bigint; account_day: string }>(
    `SELECT budget_id, account_day FROM budget_intent WHERE kind = 'rule' AND state IN ('applied', 'confirmed')
    GROUP BY customer_id, budget_id, account_day HAVING count(*) > 1`,
  );
  const made = world.rows<{ id: bigint }>(
    `SELECT id FROM budget_intent WHERE state IN ('applied', 'confirmed') AND NOT EXISTS (
      SELECT 1 FROM budget_event WHERE intent_id = budget_intent.id AND kind = 'sending')`,
  );
  return [
    ...world.watcher.violations,
    ...twice.map(({ budget_id, account_day }) => `budget ${budget_id} has two changes of rules on ${account_day}`),
    ...made.map(({ id }) => `intent ${id} was made and never about to be sent`),
    ...madeAndNotCarried(world),
    ...(await auditProblems(world)),
  ];
}

/** What is said to be applied was carried out by the service: an answer that is wrong is never counted as one. */
function madeAndNotCarried(world: HistoryWorld): string[] {
  const carried = new Set(world.watcher.carried.map(({ intentId, to }) => `${intentId}=${to}`));
  return world
    .rows<{ id: bigint; to_micros: bigint }>("SELECT id, to_micros FROM budget_intent WHERE state = 'applied'")
    .filter(({ id, to_micros }) => !carried.has(`${id}=${to_micros}`))
    .map(({ id }) => `intent ${id} is applied, and the service never carried it out`);
}

async function auditProblems(world: HistoryWorld): Promise<string[]> {
  const state = await storeAt(world.place);
  try {
    return await findAuditProblems(state);
  } finally {
    await state.close();
  }
}

/** What is wrong when nothing goes wrong any more and the job has run twice. */
export function findUnsettled(world: HistoryWorld): string[] {
  const open = world.rows<{ id: bigint; state: string }>(
    "SELECT id, state FROM budget_intent WHERE state IN ('planned', 'validated', 'sending', 'unknown')",
  );
  const ledger = world.watcher.ledger();
  const differences = [...ledger].flatMap(([name, amount]) => {
    const live = liveAmount(world, name);
    return live === amount ? [] : [`${name} is ${live}, and the events left it at ${amount}`];
  });
  const untold = world.watcher.carried.flatMap(({ budget, from, intentId }) => {
    const live = liveAmount(world, budget);
    // One that someone took back before it was known to be made has left no trace.
    return ledger.has(budget) || live === from
      ? []
      : [`${budget} is ${live} since intent ${intentId}, and no event says so`];
  });
  return [...open.map(({ id, state }) => `intent ${id} is still ${state}`), ...differences, ...untold];
}

function liveAmount(world: HistoryWorld, name: string): bigint {
  const [customer = '', budget = ''] = name.split('/');
  return world.amount(customer, budget);
}
