import { addDays, type CivilDate, instantOf, startOfDayMs } from '../domain/civil-date.ts';
import type { SummedColumn } from '../domain/member.ts';
import { type Rational, rational } from '../domain/rational.ts';
import type { DayAsKnown } from './day-sums.ts';

/** What an account's day came to at one reading. */
export interface DayTotalsAt {
  /** Milliseconds. */
  readonly readMs: number;
  readonly rows: bigint;
  /** By column; of DOUBLE in millionths. Undefined where the record of it cannot be read. */
  readonly totals: ReadonlyMap<string, bigint> | undefined;
}

/** What is on record of a day: what it comes to now, and its readings, the oldest first. */
export interface DayRecord {
  readonly now: DayTotalsAt;
  readonly readings: readonly DayTotalsAt[];
}

/**
 * How a day is seen at an earlier instant. `known`: it came to what it comes to now. `restated`: it came to something else.
 * `not_on_record`: it was not read by then, so its numbers are those of later.
 */
export type HowKnown = 'known' | 'restated' | 'not_on_record';

/** The newest reading before the instant; undefined where none is on record. */
export function readingBefore(record: DayRecord | undefined, atMs: number): DayTotalsAt | undefined {
  return record?.readings.findLast(({ readMs }) => readMs < atMs);
}

/** How a day was known by a reading, from the totals of its account: no more than these is on record of earlier ones. */
export function asKnownBy(
  then: DayTotalsAt | undefined,
  now: DayRecord['now'] | undefined,
  metrics: readonly SummedColumn[],
  atMs: number,
): { readonly how: HowKnown; readonly seen: DayAsKnown | undefined } {
  // A reading that found nothing new is not in the record, but it is the newest of the day.
  if (now !== undefined && now.readMs < atMs) return { how: 'known', seen: undefined };
  const before = then?.totals;
  const after = now?.totals;
  if (!then || !now || !before || !after) return { how: 'not_on_record', seen: undefined };
  const isSame = metrics.every(({ column }) => before.get(column) === after.get(column));
  const hadRows = then.rows > 0n;
  const hasRows = now.rows > 0n;
  if (isSame && hadRows === hasRows) return { how: 'known', seen: undefined };
  const factors = metrics.map(({ column }) => factorOf(before.get(column), after.get(column)));
  return { how: 'restated', seen: { hadRows, factors } };
}

/** Nothing times anything is nothing: where there is nothing now, nothing can be scaled. */
function factorOf(then: bigint | undefined, now: bigint | undefined): Rational | undefined {
  if (then === undefined || now === undefined || then === now || now === 0n) return undefined;
  return rational(then, now);
}

/** What a calendar day looked at was seen by, when its windows hold days of several kinds: the least certain of them. */
export function leastCertain(kinds: Iterable<HowKnown>): HowKnown {
  let least: HowKnown = 'known';
  for (const how of kinds) {
    if (how === 'not_on_record') return how;
    if (how === 'restated') least = how;
  }
  return least;
}

/**
 * When rules are taken to have been evaluated on an account's day: with what the first run read that began to read after the
 * day had closed and before it ended, and otherwise early in the morning. Milliseconds; what was read before counts.
 *
 * @param runs When runs read days of the table, in their order.
 */
export function evaluatedAt(
  today: CivilDate,
  runs: readonly { readonly firstMs: number; readonly lastMs: number }[],
  { timeZone, closesAt }: { readonly timeZone: string; readonly closesAt: string },
): number {
  const closed = instantOf(today, closesAt, timeZone);
  const ended = startOfDayMs(addDays(today, 1), timeZone);
  const run = runs.find(({ firstMs }) => firstMs >= closed && firstMs < ended);
  if (run !== undefined) return run.lastMs + 1;
  return instantOf(today, closesAt > EARLY ? closesAt : EARLY, timeZone);
}

/** When a report of the early morning looks. */
const EARLY = '06:00';
