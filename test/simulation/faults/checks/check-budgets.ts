import { findAuditProblems } from '../../../support/audit.ts';
import type { CarriedChange } from '../services/ads-service.ts';
import type { FaultWorld } from '../world.ts';
import { type BudgetWatch, othersAmounts } from './budget-watch.ts';
import { unseenPersons } from './check-persons.ts';

/** Instants are written down in whole seconds. */
const SECOND_MS = 999;

/** What must hold of the budgets and their record whenever a process has ended. */
export async function checkBudgets(world: FaultWorld, watch: BudgetWatch): Promise<string[]> {
  const { carried } = world.ads;
  const ofRules = new Map<string, Set<bigint>>();
  const carriedIntents = new Set<string>();
  const left = new Set<bigint>();
  for (const { budget, request, to } of carried) {
    const intent = watch.intents.get(`${request} ${budget}`);
    if (intent === undefined) continue;
    carriedIntents.add(`${intent.id}=${to}`);
    left.add(intent.id);
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
    ...world
      .rows<{ id: bigint }>(NEVER_SENT)
      .filter(({ id }) => left.has(id))
      .map(({ id }) => `intent ${id} was carried out, and the record says that it was never sent`),
    ...(await findAuditProblems(await world.store.looking())),
  ];
}

const NEVER_SENT =
  "SELECT intent_id AS id FROM budget_event WHERE kind = 'expired' AND detail ->> 'code' = 'NEVER_SENT'";

/** What was read back tells that a budget has the amount, not who has set it. */
function isSetByHand(world: FaultWorld, id: bigint, to: bigint): boolean {
  const sql = "SELECT customer_id || '/' || budget_id AS name FROM budget_intent WHERE id = ?";
  const [row] = world.rows<{ name: string }>(sql, id);
  return world.foreign.some((one) => one.budget === row?.name && one.to === to);
}

interface SaidAmount {
  readonly name: string;
  readonly kind: string;
  readonly amount: bigint;
  readonly atMs: number;
}

/** What the events say that budgets were set to, in their order. */
function saidAmounts(world: FaultWorld): SaidAmount[] {
  const rows = world.rows<{ name: string; kind: string; amount: string; created_at: string }>(
    `SELECT detail ->> 'customer_id' || '/' || (detail ->> 'budget_id') AS name, kind, created_at,
      CASE kind WHEN 'foreign_change' THEN detail ->> 'found_micros' ELSE detail ->> 'to_micros' END AS amount
    FROM budget_event WHERE kind IN ('applied', 'confirmed', 'foreign_change') ORDER BY id`,
  );
  return rows.map(({ amount, created_at, ...row }) => ({
    ...row,
    amount: BigInt(amount),
    atMs: Date.parse(created_at) + SECOND_MS,
  }));
}

/**
 * What must hold once nothing goes wrong any more: nothing is open, the record's last word on a budget is what it is, it names
 * each change that the service has carried out, and calls nothing somebody else's that nobody else has done.
 */
export function checkSettled(world: FaultWorld, watch: BudgetWatch): string[] {
  const open = world.rows<{ id: bigint; state: string }>(
    "SELECT id, state FROM budget_intent WHERE state IN ('planned', 'validated', 'sending', 'unknown')",
  );
  const said = saidAmounts(world);
  const last = new Map(said.map(({ name, amount }) => [name, amount]));
  const differences = [...last].filter(([name, amount]) => world.ads.budgets.get(name) !== amount);
  return [
    ...open.map(({ id, state }) => `intent ${id} is still ${state}`),
    ...differences.map(
      ([name, amount]) => `${name} is ${world.ads.budgets.get(name)}, and the events left it at ${amount}`,
    ),
    ...untold(world, said),
    ...unseenPersons(
      world,
      world.ads.budgets.keys(),
      (name) => watch.knownOf(name),
      ({ budget, to, atMs }) => said.some((one) => one.name === budget && one.amount === to && one.atMs >= atMs),
    ),
    ...said
      .filter(({ kind, name, amount }) => kind === 'foreign_change' && !othersAmounts(world, name).has(amount))
      .map(({ name, amount }) => `${name} was set to ${amount} by nobody else, and an event says so`),
  ];
}

/** What was set over before anybody could see it is told by nobody. */
function untold(world: FaultWorld, said: readonly SaidAmount[]): string[] {
  const isTold = ({ budget, to, atMs }: CarriedChange) =>
    said.some((one) => one.name === budget && one.amount === to && one.atMs >= atMs) ||
    world.foreign.some((one) => one.budget === budget && one.atMs >= atMs);
  return world.ads.carried
    .filter((one) => one.from !== one.to && !isTold(one))
    .map(({ budget, to }) => `${budget} was set to ${to}, and no event says so`);
}
