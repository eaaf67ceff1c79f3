import { dayOf } from '../../account-calendar.ts';
import { datesBetween, MARKET } from '../services/market.ts';
import type { FaultWorld } from '../world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A day is closed at this time of the next one; clocks may be changed meanwhile. */
const CLOSED_AFTER_MS = 3 * HOUR_MS;
const CHANGE_OF_CLOCKS_MS = 65 * 60_000;

export const dateBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);

export const daysFrom = (day: string, other: string) => (Date.parse(other) - Date.parse(day)) / DAY_MS;

/** The newest day that is settled at that instant; undefined where it is about to be another one. */
export function newestSettled(world: FaultWorld, timeZone: string, atMs: number): string | undefined {
  const [early, late] = [-1, 1].map((sign) => dayOf(atMs - CLOSED_AFTER_MS + sign * CHANGE_OF_CLOCKS_MS, timeZone));
  return early === undefined || early !== late ? undefined : dateBefore(early, 1 + world.story.settleDays);
}

/** Once nothing goes wrong any more: every day of the window is there, in every account, and settled when its time has come. */
export function checkComplete(world: FaultWorld): string[] {
  const nowMs = world.timeline.now();
  const days = world.rows<{ day: string; state: string }>(
    "SELECT customer_id || ' ' || date AS day, state FROM account_day WHERE query = 'stats'",
  );
  const states = new Map(days.map(({ day, state }) => [day, state]));
  return MARKET.flatMap(({ id, timeZone }) => {
    const today = dayOf(nowMs, timeZone);
    const settled = newestSettled(world, timeZone, nowMs);
    return datesBetween(dateBefore(today, 7), dateBefore(today, 1)).flatMap((date) => {
      const state = states.get(`${id} ${date}`);
      if (state === undefined) return [`${id} ${date} was never read`];
      return settled !== undefined && date <= settled && state !== 'settled' ? [`${id} ${date} is still ${state}`] : [];
    });
  });
}
