import { dayOf } from '../../account-calendar.ts';
import { EXCLUDED_ACCOUNT, MARKET } from '../services/market.ts';
import type { FaultWorld } from '../world.ts';

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

interface EventRow {
  readonly id: bigint;
  readonly kind: string;
  readonly actor: string;
  readonly created_at: string;
  readonly customer: string;
  readonly budget: string;
  readonly account_day: string;
  /** Of the intent, where it is of one. */
  readonly of: 'rule' | 'undo' | null;
}

const WHY: Readonly<Record<string, string>> = {
  foreign_change: 'somebody else had changed it',
  declined: 'a person had said NO',
  applied: 'a person had taken a change back',
  confirmed: 'a person had taken a change back',
};

/**
 * What rules have decided on although something of the same account day kept them from it, by the order of the events alone: a change of
 * somebody else that was seen, a person's NO, a person's undo.
 */
export function checkProtected(world: FaultWorld): string[] {
  const events = world.rows<EventRow>(
    `SELECT event.id, event.kind, event.actor, event.created_at, detail ->> 'customer_id' AS customer,
      detail ->> 'budget_id' AS budget, detail ->> 'account_day' AS account_day, intent.kind AS "of"
    FROM budget_event AS event LEFT JOIN budget_intent AS intent ON intent.id = event.intent_id
    WHERE event.kind IN ('planned', 'proposed', 'foreign_change', 'declined', 'applied', 'confirmed') ORDER BY event.id`,
  );
  const held = new Map<string, EventRow>();
  const wrong: string[] = [];
  for (const event of events) {
    const key = `${event.customer}/${event.budget} on ${dayHeld(event)}`;
    if (isProtection(event)) held.set(key, event);
    const before = isOfRule(event) ? held.get(key) : undefined;
    if (before === undefined) continue;
    wrong.push(`event ${event.id}: ${event.actor} decided on ${key}, and ${WHY[before.kind]} (event ${before.id})`);
  }
  return wrong;
}

/** What a person has approved is that person's. */
const isOfRule = ({ kind, actor, of }: EventRow) =>
  kind === 'proposed' || (kind === 'planned' && of === 'rule' && actor.startsWith('rule '));

const isProtection = ({ kind, of }: EventRow) =>
  kind === 'foreign_change' || kind === 'declined' || ((kind === 'applied' || kind === 'confirmed') && of === 'undo');

/** A NO counts for the day on which it was said, whatever day its proposal was of. */
function dayHeld({ kind, customer, created_at, account_day }: EventRow): string {
  const timeZone = MARKET.find(({ id }) => id === customer)?.timeZone ?? 'UTC';
  return kind === 'declined' ? dayOf(Date.parse(created_at), timeZone) : account_day;
}
