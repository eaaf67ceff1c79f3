/** A machine whose clock differs more from another clock changes no budget. */
export const CLOCK_OFF_MAX_MS = 5 * 60_000;

/** A machine whose clock differs more from the database's clock shares no work. */
export const SHARED_CLOCK_OFF_MAX_MS = 60_000;

/**
 * How far a clock is ahead of another one at least, in milliseconds. Negative: behind. The other clock was read between two
 * instants of the first one. So neither a slow answer nor a process that stood still looks like a wrong clock.
 */
export function aheadMs(askedMs: number, answeredMs: number, otherMs: number): number {
  return otherMs < askedMs ? askedMs - otherMs : Math.min(0, answeredMs - otherMs);
}
