import type { CivilDate } from '../domain/civil-date.ts';
import { highestOf, type Micros } from '../domain/micros.ts';
import type { PastChange } from '../domain/past-change.ts';

/**
 * The highest amount that a budget had on a day, which is what the service may go by on it: what it was when the day began, and
 * whatever it was set to during it.
 *
 * @param changes Oldest first, all of those since the day; earlier ones count for nothing.
 */
export function highestOn(day: CivilDate, amountNow: Micros, changes: readonly PastChange[]): Micros {
  const atItsEnd = changes.find((change) => change.day > day)?.from ?? amountNow;
  return highestOf(atItsEnd, ...changes.filter((one) => one.day === day).flatMap(({ from, to }) => [from, to]));
}
