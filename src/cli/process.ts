import type { Log } from '../domain/ports.ts';
import type { Ask } from './ask.ts';
import type { Output } from './output.ts';

export interface Process {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** The login name. Undefined if the system does not know it. */
  readonly userName: string | undefined;
  /** True if input and output are terminals. Then a person can answer questions. */
  readonly interactive?: boolean;
  readonly makeAsk?: () => Promise<Ask>;
  /** Sets the exit code. The process ends when it has no more work. */
  exit(code: number): void;
  /** Starts another pacekeeper process, which can outlive this one. `env` adds to the environment. */
  runBeside(args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside;
  /** Runs another pacekeeper command to its end. `text` is its stdout, and after a failure also its stderr. */
  readBeside(args: readonly string[]): Promise<{ readonly exitCode: number | null; readonly text: string }>;
  /** Script of the thread that makes pages for `serve`. If undefined, the main thread makes them. */
  readonly pageWorker?: URL;
  /** Script of the process that runs one query of the Explore page. If undefined, no query can run. */
  readonly exploreProgram?: URL;
  /** Calls `callback` on the next stop signal only. A stop signal without a callback ends the process. */
  onStop(callback: () => void): void;
  /** Calls `tell` with an uncaught error, then ends the process. */
  onCrash?(tell: (error: unknown) => Promise<unknown>): void;
}

export interface ProcessBeside {
  /** Undefined if the process did not start. */
  readonly pid?: number | undefined;
  /** The exit code. Null if the process was killed or did not start. */
  readonly ended: Promise<number | null>;
  /** Sends the signal if the started process still runs. After SIGKILL, our process can end without waiting. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Aborted by the first stop signal, so that work in progress can finish. The next signal ends the process at once. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Stop requested. pacekeeper finishes work in progress and starts nothing new.');
    asked.abort();
  });
  return asked.signal;
}
