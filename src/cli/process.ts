import type { Log } from '../domain/ports.ts';
import type { Ask } from './ask.ts';
import type { Output } from './output.ts';

export interface Process {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** The login name; undefined if the system does not know it. */
  readonly userName: string | undefined;
  /** True if input and output are terminals, so that a person can answer questions. */
  readonly interactive?: boolean;
  readonly makeAsk?: () => Promise<Ask>;
  /** Sets the exit code; the process ends when no work is left. */
  exit(code: number): void;
  /** Starts another pacekeeper process, which may run longer than this one. `env` extends the environment. */
  runBeside(args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside;
  /** Script of the thread that makes pages for `serve`. Without it, the main thread makes them. */
  readonly pageWorker?: URL;
  /** Runs `callback` once, on the first stop signal. The next one ends the process, unless a new callback was added. */
  onStop(callback: () => void): void;
  /** Calls `tell` with an uncaught error, then ends the process. */
  onCrash?(tell: (error: unknown) => Promise<unknown>): void;
}

export interface ProcessBeside {
  /** Undefined if the process did not start. */
  readonly pid?: number | undefined;
  /** The exit code; null if it was killed or did not start. */
  readonly ended: Promise<number | null>;
  /** Does nothing if the process has ended. After SIGKILL, this process may end without waiting for it. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** The first stop signal aborts it, so that work in progress can finish. The next signal ends the process at once. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Stop requested. pacekeeper finishes work in progress and starts nothing new.');
    asked.abort();
  });
  return asked.signal;
}
