import { addDays, type CivilDate, instantOf, startOfDayMs } from '../../domain/civil-date.ts';
import { columnsBehind, type SummedColumn } from '../../domain/member.ts';
import { type Rational, rational } from '../../domain/rational.ts';
import type { DayAsKnown } from './day-sums.ts';

export interface DayTotalsAt {
  readonly readMs: number;
  readonly rows: bigint;
  /** Sums by column. DOUBLE values are in millionths. Undefined if the stored totals are invalid. */
  readonly totals: ReadonlyMap<string, bigint> | undefined;
}

export interface DayRecord {
  readonly now: DayTotalsAt;
  readonly readings: readonly DayTotalsAt[];
}

/** `restated`: the day had other totals at the earlier time. `not_on_record`: the earlier totals are unknown. */
export type HowKnown = 'known' | 'restated' | 'not_on_record';

export function readingBefore(record: DayRecord | undefined, atMs: number): DayTotalsAt | undefined {
  return record?.readings.findLast(({ readMs }) => readMs < atMs);
}

/** Returns how the day looked at `atMs`. Compares only the totals of the account. */
export function asKnownBy(
  then: DayTotalsAt | undefined,
  now: DayRecord['now'] | undefined,
  metrics: readonly SummedColumn[],
  atMs: number,
): { readonly how: HowKnown; readonly seen: DayAsKnown | undefined } {
  // The day was last read before `atMs`, so its totals are still the same.
  if (now !== undefined && now.readMs < atMs) return { how: 'known', seen: undefined };
  const before = then?.totals;
  const after = now?.totals;
  if (!then || !now || !before || !after) return { how: 'not_on_record', seen: undefined };
  const isSame = metrics.flatMap(columnsBehind).every((column) => before.get(column) === after.get(column));
  const hadRows = then.rows > 0n;
  const hasRows = now.rows > 0n;
  if (isSame && hadRows === hasRows) return { how: 'known', seen: undefined };
  const factors = metrics.map(({ column }) => factorOf(before.get(column), after.get(column)));
  return { how: 'restated', seen: { hadRows, factors } };
}

/** The earlier total as a share of the current total. */
function factorOf(then: bigint | undefined, now: bigint | undefined): Rational | undefined {
  if (then === undefined || now === undefined || then === now || now === 0n) return undefined;
  return rational(then, now);
}

export function leastCertain(kinds: Iterable<HowKnown>): HowKnown {
  let least: HowKnown = 'known';
  for (const how of kinds) {
    if (how === 'not_on_record') return how;
    if (how === 'restated') least = how;
  }
  return least;
}

/** In milliseconds: after the first run of `today` with complete numbers, or else 06:00 (or `closesAt`, if later). */
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

const EARLY = '06:00';
