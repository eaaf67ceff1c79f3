import { addDays, type CivilDate, type DateRange, daysOf } from '../../domain/civil-date.ts';
import { newestSettled, settledDates, sumOfDays } from './pace.ts';
import type { CampaignFacts, DayFacts, DaySums } from './report-facts.ts';

export interface Windows {
  readonly now: DateRange;
  readonly before: DateRange;
}

/** Undefined unless all 14 days are complete. */
export function moverWindows(days: readonly DayFacts[]): Windows | undefined {
  const until = newestSettled(days);
  if (until === undefined) return undefined;
  const settled = settledDates(days);
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
  /** In micros. Never 0. */
  readonly change: bigint;
}

/** The sums of the same days are asked for several times, and by each page over one publication. */
const summed = new WeakMap<ReadonlyMap<CivilDate, DaySums>, Map<string, DaySums>>();

export function sumsWithin(days: ReadonlyMap<CivilDate, DaySums>, { from, to }: DateRange): DaySums {
  const known = summed.get(days) ?? new Map<string, DaySums>();
  summed.set(days, known);
  const range = `${from} ${to}`;
  const sums =
    known.get(range) ?? sumOfDays([...days].flatMap(([date, one]) => (date >= from && date <= to ? one : [])));
  known.set(range, sums);
  return sums;
}

/** Largest change first. */
export function movers(campaigns: readonly CampaignFacts[], windows: Windows): Move[] {
  const size = ({ change }: Move) => (change < 0n ? -change : change);
  return campaigns
    .flatMap((campaign) => {
      const now = sumsWithin(campaign.days, windows.now);
      const before = sumsWithin(campaign.days, windows.before);
      if (now.costMicros === undefined || before.costMicros === undefined) return [];
      const change = now.costMicros - before.costMicros;
      return change === 0n ? [] : [{ campaign, now, before, change }];
    })
    .sort((one, other) => descending(size(one), size(other)));
}

export function descending(one: bigint, other: bigint): number {
  return one < other ? 1 : one > other ? -1 : 0;
}
