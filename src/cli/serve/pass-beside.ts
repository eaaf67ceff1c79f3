import { STOP_MS } from '../../schedule/daemon.ts';
import { EXIT } from '../print-error.ts';
import type { ProcessBeside } from '../process.ts';
import { type Arrivals, handleArrivals } from './handle-arrivals.ts';

/** What was killed is not waited for much longer, whatever keeps it. */
const KILLED_MS = 5000;

/** Passes over what has arrived that run in a process of their own. */
export interface ArrivalsBeside extends Arrivals {
  /** Ends the pass that is going by force, now. */
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
