import { pauseUnless } from '../../system-time.ts';

/** Acts on what arrives, behind the server's back: nobody who sends a webhook waits for it. */
export interface Arrivals {
  /** Something has arrived. */
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
