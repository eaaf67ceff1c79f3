import { EXIT } from '../../cli/print-error.ts';
import type { ProcessBeside } from '../../cli/process.ts';
import { pauseUnless } from '../../process-time.ts';
import { STOP_MS } from '../../schedule/daemon.ts';

/** Acts on what arrives, behind the server's back: nobody who sends a webhook waits for it. */
interface Arrivals {
  wake(): void;
  /** Begins nothing more; resolves when what is being handled is handled. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 5000;
const PAUSE_MAX_MS = 60_000;

/**
 * Handles what the inbox holds whenever it is woken, one pass at a time. `handle` answers whether something waits on, because a
 * run holds the data folder or something failed: it is tried again after a pause that grows, and at once when more arrives.
 */
export function handleArrivals(handle: () => Promise<boolean>): Arrivals {
  let isWoken = false;
  let isStopping = false;
  let working: Promise<void> | undefined;
  let pausing = new AbortController();

  const work = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (isWoken && !isStopping) {
      isWoken = false;
      if (!(await handle())) {
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      pausing = new AbortController();
      // Woken while it was handling, or told to stop: there is no reason to wait.
      if (!isWoken && !isStopping) await pauseUnless(pausing.signal, pauseMs);
      pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
      isWoken = true;
    }
    working = undefined;
  };
  return {
    wake() {
      isWoken = true;
      pausing.abort();
      if (!isStopping) working ??= work();
    },
    async stop() {
      isStopping = true;
      pausing.abort();
      await working;
    },
  };
}

/** What was killed is not waited for much longer, whatever keeps it. */
const KILLED_MS = 5000;

export interface ArrivalsBeside extends Arrivals {
  kill(): void;
}

/**
 * As {@link handleArrivals}, by a process that `start` starts for each pass. Told to stop it asks that one to end and ends it by
 * force as long after that as a job of the schedule: what it did not handle is there when the server starts again.
 */
export function handleBeside(
  start: () => ProcessBeside,
  pauseUnless: (signal: AbortSignal, milliseconds: number) => Promise<void>,
): ArrivalsBeside {
  let going: ProcessBeside | undefined;
  const arrivals = handleArrivals(async () => {
    going = start();
    const exitCode = await going.ended;
    going = undefined;
    return exitCode !== EXIT.done;
  });
  return {
    wake: () => arrivals.wake(),
    kill: () => going?.stop('SIGKILL'),
    async stop() {
      going?.stop('SIGTERM');
      const stopped = arrivals.stop();
      const within = async (milliseconds: number) => {
        const over = new AbortController();
        await Promise.race([stopped, pauseUnless(over.signal, milliseconds)]);
        over.abort();
      };
      await within(STOP_MS);
      if (going === undefined) return;
      going.stop('SIGKILL');
      await within(KILLED_MS);
    },
  };
}
