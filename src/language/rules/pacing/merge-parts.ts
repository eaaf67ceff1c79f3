import type { CivilDate } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { add, rational } from '../../../domain/rational.ts';
import type { DayNumber } from './curve.ts';
import { evaluatePace, type PaceFinding, type PacePart } from './evaluate-pace.ts';
import type { PaceScene } from './paced-budgets.ts';

/** What one account knows of a target. */
export interface AccountPart {
  readonly part: PacePart;
  readonly scene: PaceScene;
}

/**
 * Decides a target of several accounts as if all campaigns were in one. The parts must be of the same day, although the
 * accounts may be in different time zones: otherwise, two of them could be in different months. An account that is a day
 * ahead then counts its yesterday as a day to come, which costs what its budgets allow. Returns each account's part of the
 * decision, which has its own budgets.
 */
export function decideTogether(parts: ReadonlyMap<CustomerId, AccountPart>): Map<CustomerId, PaceFinding> {
  const all = [...parts.values()];
  const [first] = all;
  if (first === undefined) return new Map();
  const { reading, fires } = evaluatePace(merged(parts), { ...first.scene, plan: mergedPlan(all) });
  const found = new Map<CustomerId, PaceFinding>();
  let place = 0;
  for (const [customer, { part }] of parts) {
    const count = part.serving.own.length;
    const budgets = reading.budgets.slice(place, place + count);
    place += count;
    // Copies what the reading computes on demand, because it is computed from all accounts.
    found.set(customer, { fires, reading: { ...reading, budgets } });
  }
  return found;
}

function merged(parts: ReadonlyMap<CustomerId, AccountPart>): PacePart {
  const all = Array.from(parts.values(), ({ part }) => part);
  // An account whose complete days have no rows spends nothing.
  const unknown = [...parts].find(
    ([, { part }]) => part.serving.unknown !== undefined && (!part.isEmpty || all.every(({ isEmpty }) => isEmpty)),
  );
  const known = all.flatMap(({ open }) => (open === undefined ? [] : [open]));
  return {
    isEmpty: all.every(({ isEmpty }) => isEmpty),
    serving: {
      own: all.flatMap(({ serving }) => serving.own),
      others: all.flatMap(({ serving }) => serving.others),
      unknown: unknown && `in account ${unknown[0]}, ${unknown[1].part.serving.unknown}`,
    },
    recent: byDay(all.map(({ recent }) => recent)).flatMap(([date, own]) =>
      own.length < all.length ? [] : [{ date, value: sumOf(own) }],
    ),
    spent: byDay(all.map(({ spent }) => spent)).map(([date, own]) => ({ date, value: sumOf(own) })),
    lacksCost: all.some(({ lacksCost }) => lacksCost),
    beside: all.reduce((sum, { beside }) => add(sum, beside), rational(0n)),
    open:
      known.length < all.length
        ? undefined
        : byDay(known).map(([date, own]) => ({ date, most: own.map(({ most }) => most).reduce(add) })),
    // Targets of several accounts carry nothing over.
    carried: all[0]?.carried,
  };
}

function byDay<Dated extends { readonly date: CivilDate }>(lists: readonly (readonly Dated[])[]) {
  return [...Map.groupBy(lists.flat(), ({ date }) => date)].sort(([one], [other]) => (one < other ? -1 : 1));
}

const sumOf = (days: readonly DayNumber[]): bigint => days.reduce((sum, { value }) => sum + value, 0n);

/** Costs are final where they are final in each account. */
function mergedPlan(parts: readonly AccountPart[]): PaceScene['plan'] {
  const [first, ...others] = parts.map(({ scene }) => scene.plan);
  if (first === undefined) throw new InvariantError('A target has no account.');
  return others.reduce(
    (plan, one) => (one.settled.length < plan.settled.length ? { ...plan, settled: one.settled } : plan),
    first,
  );
}
