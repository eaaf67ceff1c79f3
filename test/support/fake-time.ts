import type { Clock, Pauses } from '../../src/domain/ports.ts';

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  set(instant: string): void;
}

export function fakeClock(instant: string): FakeClock {
  let nowMs = Date.parse(instant);
  return {
    now: () => nowMs,
    set: (later) => {
      nowMs = Date.parse(later);
    },
  };
}

/** Pauses that are over at once and are remembered, milliseconds. */
export interface FakePauses extends Pauses {
  readonly taken: readonly number[];
}

export function fakePauses(): FakePauses {
  const taken: number[] = [];
  let elapsed = 0;
  return {
    taken,
    elapsedMs: () => elapsed,
    pause: async (milliseconds) => {
      taken.push(milliseconds);
      elapsed += milliseconds;
    },
  };
}
