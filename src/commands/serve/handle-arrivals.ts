import { pauseUnless } from '../../engine/process-time.ts';
import { STOP_MS } from '../../engine/schedule/daemon.ts';
import { EXIT } from '../cli/print-error.ts';
import type { ProcessBeside } from '../cli/process.ts';

export interface ArrivalsBeside {
  wake(): void;
  /** Sends SIGTERM, then SIGKILL after `STOP_MS`. Resolves when the current pass ends. */
  stop(): Promise<void>;
  kill(): void;
}

const FIRST_PAUSE_MS = 5000;
const PAUSE_MAX_MS = 60_000;
const KILLED_MS = 5000;

/** Starts a pass when woken, and again while one fails, because it left something. The pauses between them grow. */
export function handleBeside(start: () => ProcessBeside, pause: typeof pauseUnless = pauseUnless): ArrivalsBeside {
  let isWoken = false;
  let isStopping = false;
  let going: ProcessBeside | undefined;
  let working: Promise<void> | undefined;
  let pausing = new AbortController();

  const work = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (isWoken && !isStopping) {
      isWoken = false;
      going = start();
      const exitCode = await going.ended;
      going = undefined;
      if (exitCode === EXIT.done) {
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      pausing = new AbortController();
      if (!isWoken && !isStopping) await pause(pausing.signal, pauseMs);
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
    kill: () => going?.stop('SIGKILL'),
    async stop() {
      isStopping = true;
      pausing.abort();
      going?.stop('SIGTERM');
      const stopped = working;
      const within = async (milliseconds: number) => {
        const over = new AbortController();
        await Promise.race([stopped, pause(over.signal, milliseconds)]);
        over.abort();
      };
      await within(STOP_MS);
      if (going === undefined) return;
      going.stop('SIGKILL');
      await within(KILLED_MS);
    },
  };
}
