import { basename } from 'node:path';
import type { App } from '../../app.ts';
import { addDays, type CivilDate, type DateRange, daysBetween, overlapOf } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { oldestKept, RETENTION_MONTHS } from '../../gaql/check/check-dates.ts';
import { resolveWindow } from '../../gaql/check/date-window.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { accountToday } from './day-state.ts';
import type { ExtractionScope } from './plan-extraction.ts';

/** Refuses to replay a market that has none of the days: what was read would be no statistics at all, and look like them. */
export function refuseOtherDays(app: App, queries: readonly QueryFile[], scope: ExtractionScope): void {
  const { replayed, settings, clock } = app;
  if (replayed === undefined || scope.kind === 'resume') return;
  const { days } = replayed;
  const clockToSet = `Set PACEKEEPER_NOW=${addDays(days.to, 1)}T12:00:00Z, the day after the last one`;
  if (scope.kind === 'range') refuseBeyondRetention(scope.range, clock.now(), `${clockToSet}.`);
  const today = accountToday(replayed.timeZone, clock.now());
  const wanted = scope.kind === 'range' ? [scope.range] : windowsOf(queries, today);
  if (wanted.length === 0 || wanted.some((range) => overlapOf(range, days) !== undefined)) return;
  const [first] = wanted.map(({ from }) => from).sort();
  const [last] = wanted
    .map(({ to }) => to)
    .sort()
    .reverse();
  const asked = scope.kind === 'range' ? 'none from' : 'and the queries ask for';
  const isWithinReach = days.to < today && oldestKept(today) <= days.from;
  const range = `Give --from ${days.from} --to ${days.to}, or days within`;
  throw new InputError(
    `${basename(settings.sandbox.market ?? '')} has days from ${days.from} to ${days.to}, ${asked} ${first} to ${last}.`,
    { nextStep: scope.kind === 'range' && isWithinReach ? `${range}.` : `${clockToSet}.` },
  );
}

function windowsOf(queries: readonly QueryFile[], today: CivilDate): DateRange[] {
  return queries.flatMap(({ window }) => (window && resolveWindow(window, today)) ?? []);
}

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
