import { addDays, civilDateAt, endOfGrain, startOfDayMs } from '../domain/civil-date.ts';
import type { Rule } from '../rules/rule.ts';

const HOUR_MS = 3_600_000;

/**
 * Until when a person may approve what the rule proposes now, in milliseconds. What was computed for the rest of a month is no
 * amount for the next one, so that what paces ends with the account's month.
 */
export function proposalExpiresAt(
  { change }: Pick<Rule, 'change'>,
  timeZone: string,
  nowMs: number,
  hours: number,
): number {
  const expiresAtMs = nowMs + hours * HOUR_MS;
  if (change?.kind !== 'pace') return expiresAtMs;
  const nextMonth = addDays(endOfGrain('month', civilDateAt(nowMs, timeZone)), 1);
  return Math.min(expiresAtMs, startOfDayMs(nextMonth, timeZone));
}
