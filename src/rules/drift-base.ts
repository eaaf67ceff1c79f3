import { type CivilDate, daysBetween } from '../domain/civil-date.ts';
import type { Micros } from '../domain/micros.ts';
import type { PastChange } from '../domain/past-change.ts';

/**
 * The amount that drift is measured from, so that many small changes add up to no large one: what the budget was before
 * the oldest change within the last `days` days, today being one of them. A foreign change begins anew: a person decided
 * on that amount.
 *
 * @param changes Oldest first.
 */
export function driftBase(changes: readonly PastChange[], current: Micros, today: CivilDate, days: number): Micros {
  let base: Micros | undefined;
  for (const change of changes.toReversed()) {
    if (daysBetween(change.day, today) >= days) break;
    if (change.by === 'foreign') return base ?? change.to;
    base = change.from;
  }
  return base ?? current;
}
