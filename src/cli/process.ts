import type { Log } from '../domain/ports.ts';
import type { Ask } from './ask.ts';
import type { Output } from './output.ts';

export interface Process {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** The login name; undefined where the system does not know it. */
  readonly userName: string | undefined;
  /** Input and output are both a terminal, so a person can be asked. */
  readonly interactive?: boolean;
  readonly makeAsk?: () => Promise<Ask>;
  /** Sets the exit code; the process ends when no work is left. */
  exit(code: number): void;
  /** Runs a command line of the program in a process of its own, which survives this one. `env` is added to ours. */
  runBeside(args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside;
  /** Script of the thread that makes the pages of `serve`; absent: this thread makes them. */
  readonly pageWorker?: URL;
  /** Calls back on a request to end. The next request ends the process, or calls back callbacks added since. */
  onStop(callback: () => void): void;
  /** Calls back with an uncaught error, then ends the process. */
  onCrash?(tell: (error: unknown) => Promise<unknown>): void;
}

export interface ProcessBeside {
  /** Undefined if it did not start. */
  readonly pid?: number | undefined;
  /** The exit code; null if it was killed or did not start. */
  readonly ended: Promise<number | null>;
  /** No effect on an ended process. Nothing waits for it after SIGKILL. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Aborts on a request to end, and work in progress finishes. The next request ends the process at once. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Stop requested. pacekeeper finishes work in progress and starts nothing new.');
    asked.abort();
  });
  return asked.signal;
}
