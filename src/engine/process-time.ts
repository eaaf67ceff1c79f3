import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Pauses } from '../domain/ports.ts';

/** With `startAtMs`, the clock starts now at that time. */
export function createClock(startAtMs: number | undefined): Clock {
  if (startAtMs === undefined) return { now: () => Date.now() };
  const bootMs = performance.now();
  return { now: () => Math.floor(startAtMs + performance.now() - bootMs) };
}

export const systemPauses: Pauses = {
  elapsedMs: () => performance.now(),
  pause: (milliseconds, until) => pauseUnless(until, milliseconds),
};

export async function pauseUnless(signal: AbortSignal | undefined, milliseconds: number): Promise<void> {
  await pause(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}

/** Grace period for responses in flight after a stop. */
export const ANSWER_WAIT_MS = 12_000;

interface Asked {
  readonly pauses?: Pauses;
  readonly stop?: AbortSignal;
}

/** `grace` aborts {@link ANSWER_WAIT_MS} after a stop, so that requests in flight get their answer. */
export function stoppable<Deps extends Asked>(
  deps: Deps,
  onClose: (close: () => void) => void,
): { readonly deps: Deps & Required<Asked>; readonly grace: AbortSignal } {
  const { stop = new AbortController().signal, pauses = systemPauses } = deps;
  const grace = new AbortController();
  const closed = new AbortController();
  // Every request in flight adds a listener, so the default limit would cause a warning.
  for (const signal of [stop, grace.signal]) setMaxListeners(0, signal);
  const lose = async () => {
    await pauses.pause(ANSWER_WAIT_MS, closed.signal);
    grace.abort();
  };
  if (stop.aborted) void lose();
  else stop.addEventListener('abort', () => void lose(), { once: true, signal: closed.signal });
  onClose(() => closed.abort());
  const over = {
    elapsedMs: () => pauses.elapsedMs(),
    pause: (milliseconds: number) => pauses.pause(milliseconds, stop),
  };
  return { deps: { ...deps, stop, pauses: { ...over, stop } }, grace: grace.signal };
}
