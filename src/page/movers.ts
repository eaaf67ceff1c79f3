import { addDays, type CivilDate, type DateRange, daysOf } from '../domain/civil-date.ts';
import { sumOfKnown } from '../domain/known-sum.ts';
import { newestSettled } from './pacing.ts';
import type { CampaignFacts, DayFacts, DaySums } from './report-facts.ts';

/** The last seven complete days against the seven before. */
export interface Windows {
  readonly now: DateRange;
  readonly before: DateRange;
}

/** Undefined where not all fourteen days are settled: an incomplete week against a whole one says nothing. */
export function moverWindows(days: readonly DayFacts[]): Windows | undefined {
  const until = newestSettled(days);
  if (until === undefined) return undefined;
  const settled = new Set(days.filter(({ state }) => state === 'settled').map(({ date }) => date));
  const windows = {
    now: { from: addDays(until, -6), to: until },
    before: { from: addDays(until, -13), to: addDays(until, -7) },
  };
  const all = daysOf({ from: windows.before.from, to: until });
  return all.every((date) => settled.has(date)) ? windows : undefined;
}

export interface Move {
  readonly campaign: CampaignFacts;
  readonly now: DaySums;
  readonly before: DaySums;
}

/** What a campaign came to in the days; a day without a row came to nothing. */
export function sumsWithin(days: ReadonlyMap<CivilDate, DaySums>, range: DateRange): DaySums {
  const within = daysOf(range).flatMap((date) => days.get(date) ?? []);
  return {
    costMicros: sumOfKnown(within.map(({ costMicros }) => costMicros)),
    clicks: sumOfKnown(within.map(({ clicks }) => clicks)),
  };
}

/** The campaigns whose spend moved most, in either direction; those that did not move or are not known are left out. */
export function movers(campaigns: readonly CampaignFacts[], windows: Windows, most: number): Move[] {
  const size = ({ now, before }: Move) => {
    const difference = (now.costMicros ?? 0n) - (before.costMicros ?? 0n);
    return difference < 0n ? -difference : difference;
  };
  return campaigns
    .map((campaign) => ({
      campaign,
      now: sumsWithin(campaign.days, windows.now),
      before: sumsWithin(campaign.days, windows.before),
    }))
    .filter((move) => move.now.costMicros !== undefined && move.before.costMicros !== undefined && size(move) > 0n)
    .sort((one, other) => (size(one) < size(other) ? 1 : size(one) > size(other) ? -1 : 0))
    .slice(0, most);
}
