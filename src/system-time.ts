import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Pauses } from './domain/clock.ts';

/** The machine's time, or a time that starts at `startAtMs` now and runs on from there. */
export function createClock(startAtMs: number | undefined): Clock {
  if (startAtMs === undefined) return { now: () => Date.now() };
  const bootMs = performance.now();
  return { now: () => Math.floor(startAtMs + performance.now() - bootMs) };
}

export const systemPauses: Pauses = {
  elapsedMs: () => performance.now(),
  pause: (milliseconds, until) => pauseUnless(until, milliseconds),
};

/** Pauses until the time is over or the signal is given, whichever is first. */
export async function pauseUnless(signal: AbortSignal | undefined, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}
