import { dayOf } from '../../account-calendar.ts';
import type { AnyChange } from '../services/ads-service.ts';
import { MARKET } from '../services/market.ts';
import type { FaultWorld } from '../world.ts';
import { daysFrom } from './check-complete.ts';

/** Budgets of an account as a report has read them that then ended well. */
export interface KeptReading {
  readonly customer: string;
  readonly atMs: number;
  readonly amounts: ReadonlyMap<string, bigint>;
}

/** What is known of a budget beside the record of the program. */
export interface Known {
  /** Oldest first. */
  readonly kept: readonly KeptReading[];
  /** When the first reading of the account arrived, whatever became of it. */
  readonly firstReadAtMs: number;
  /** When requests that may change the budget were sent. */
  readonly requestsAtMs: readonly number[];
}

/** For so long, a reading may show an amount of before a request. */
const LAG_MS = 61 * 60_000;

const zoneOf = (name: string) => MARKET.find(({ id }) => name.startsWith(`${id}/`))?.timeZone ?? 'UTC';
const byHandOn = (world: FaultWorld, name: string) =>
  world.ads.history.filter(({ budget, byHand }) => byHand && budget === name);

/** Whether a reading had shown another amount before, which no request of the program can have changed meanwhile. */
function isSeenToChange(change: AnyChange, { kept, requestsAtMs }: Known): boolean {
  const before = kept.findLast(({ atMs }) => atMs < change.atMs);
  if (before === undefined || before.amounts.get(change.budget) === change.to) return false;
  return !requestsAtMs.some((atMs) => atMs > before.atMs - LAG_MS && atMs <= change.atMs);
}

/** Why a change of a rule that leaves now comes too soon after a person's. `sinceMs`: when those began who have decided on it. */
export function tooSoonAfterPerson(
  world: FaultWorld,
  name: string,
  cooldown: number,
  sinceMs: number,
  known: Known,
): string[] {
  const last = world.ads.history.filter(({ budget, atMs }) => budget === name && atMs < sinceMs).at(-1);
  if (last === undefined || !last.byHand) return [];
  // A program that has read nothing before can learn of it from the service alone.
  const isTold = world.story.tellsChanges && last.atMs < known.firstReadAtMs;
  const isKnown = isTold || isSeenToChange(last, known);
  const dayAt = (instantMs: number) => dayOf(instantMs, zoneOf(name));
  const days = daysFrom(dayAt(last.atMs), dayAt(world.timeline.now()));
  if (!isKnown || days >= Math.max(cooldown, 1)) return [];
  return [`is sent ${days} days after a person had set ${name} to ${last.to}, and its rule waits ${cooldown}`];
}

/** Persons' changes that readings have shown for longer than any of them may lag, and that no event names. */
export function unseenPersons(
  world: FaultWorld,
  names: Iterable<string>,
  knownOf: (name: string) => Known,
  isNamed: (change: AnyChange) => boolean,
): string[] {
  return [...names].flatMap((name) => {
    const known = knownOf(name);
    return byHandOn(world, name).flatMap((change) => {
      const nextMs = world.ads.history.find(({ budget, atMs }) => budget === name && atMs > change.atMs)?.atMs;
      const after = known.kept.filter(({ atMs }) => atMs > change.atMs && atMs < (nextMs ?? Number.POSITIVE_INFINITY));
      const first = after.at(0)?.atMs ?? 0;
      const last = after.at(-1)?.atMs ?? 0;
      const isAlone = !known.requestsAtMs.some((atMs) => atMs >= change.atMs && atMs <= last);
      if (last - first < LAG_MS || !isAlone || !isSeenToChange(change, known) || isNamed(change)) return [];
      return [`${name} was set to ${change.to} by a person, readings have shown it, and no event says so`];
    });
  });
}
