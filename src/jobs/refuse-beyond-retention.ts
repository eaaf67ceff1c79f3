import { addDays, type DateRange, daysBetween } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import { accountToday } from '../extract/day-state.ts';
import { oldestKept, RETENTION_MONTHS } from '../gaql/check/check-dates.ts';

/** Accounts' todays differ, and a service may keep a little more than it promises. */
const SLACK_DAYS = 7;

/** Refuses days that the service cannot have any more: each month of them would be a request per account for nothing. */
export function refuseBeyondRetention(range: DateRange | undefined, nowMs: number, nextStep?: string): void {
  if (range === undefined) return;
  const oldest = oldestKept(accountToday(undefined, nowMs));
  if (range.from >= addDays(oldest, -SLACK_DAYS)) return;
  const days = (daysBetween(range.from, range.to) + 1).toLocaleString('en-US');
  const beyond = daysBetween(range.from, range.to < oldest ? addDays(range.to, 1) : oldest).toLocaleString('en-US');
  throw new InputError(
    `${range.from} to ${range.to} are ${days} days, and ${beyond} of them are before ${oldest}: the service keeps ${RETENTION_MONTHS} months.`,
    { nextStep: nextStep ?? `Give --from ${oldest} or a later day.` },
  );
}
