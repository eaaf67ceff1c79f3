import { addDays, type CivilDate, civilDateAt, isTimeZone } from '../../../domain/civil-date.ts';

export type AccountZone = readonly [customerId: bigint, timeZone: string | null];

/** The last ended day of each account whose time zone is known. */
export function yesterdays(accounts: readonly AccountZone[], nowMs: number): [customerId: bigint, day: CivilDate][] {
  return accounts.flatMap(([customerId, zone]) =>
    zone !== null && isTimeZone(zone) ? [[customerId, addDays(civilDateAt(nowMs, zone), -1)]] : [],
  );
}
