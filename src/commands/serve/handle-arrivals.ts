import { pauseUnless } from '../../engine/process-time.ts';
import { STOP_MS } from '../../engine/schedule/daemon.ts';
import { EXIT } from '../cli/print-error.ts';
import type { ProcessBeside } from '../cli/process.ts';

interface Arrivals {
  wake(): void;
  /** Resolves when the current pass ends. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 5000;
const PAUSE_MAX_MS = 60_000;

/** Repeats while `handle` returns true. The pauses grow. */
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

const KILLED_MS = 5000;

export interface ArrivalsBeside extends Arrivals {
  kill(): void;
}

/** `stop` sends SIGTERM, then SIGKILL after `STOP_MS`. */
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
