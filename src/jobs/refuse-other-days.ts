import { basename } from 'node:path';
import type { App } from '../app.ts';
import { addDays, type CivilDate, type DateRange, overlapOf } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import { accountToday } from '../extract/day-state.ts';
import { oldestKept } from '../gaql/check/check-dates.ts';
import { resolveWindow } from '../gaql/check/date-window.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { ExtractionScope } from './plan-extraction.ts';
import { refuseBeyondRetention } from './refuse-beyond-retention.ts';

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
