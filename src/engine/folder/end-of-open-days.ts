import { civilDateAt, isTimeZone, nextDay, startOfDayMs } from '../../domain/civil-date.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';

/** A day has 25 hours when clocks are set back. */
const LONGEST_DAY_MS = 25 * 3_600_000;

/** In milliseconds since 1970. In an unknown time zone, today has possibly just begun. */
export function endOfOpenDays(accounts: readonly Account[], nowMs: number): number {
  const ends = accounts.map(({ timeZone: zone }) =>
    zone && isTimeZone(zone) ? startOfDayMs(nextDay(civilDateAt(nowMs, zone)), zone) : nowMs + LONGEST_DAY_MS,
  );
  return ends.length === 0 ? nowMs + LONGEST_DAY_MS : Math.max(...ends);
}
