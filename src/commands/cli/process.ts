import type { Readable, Writable } from 'node:stream';
import type { Log } from '../../domain/ports.ts';
import type { Ask } from './ask.ts';
import type { Output } from './output.ts';

export interface Process {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** Undefined if the system does not know the login name. */
  readonly userName: string | undefined;
  readonly interactive?: boolean;
  readonly makeAsk?: () => Promise<Ask>;
  /** Sets the exit code. The process ends after its remaining work. */
  exit(code: number): void;
  /** Ends the process at once, although something still waits. */
  endNow?(code: number): void;
  /** Starts a process that can outlive this process. `env` adds to the environment. */
  runBeside(args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside;
  /**
   * Runs another pacekeeper command to its end, or for `timeoutMs`. `text` is its stdout, and after a failure also its
   * stderr.
   */
  readBeside(
    args: readonly string[],
    timeoutMs?: number,
  ): Promise<{ readonly exitCode: number | null; readonly text: string; readonly stdout?: string }>;
  /** For a protocol on stdin and stdout. From now on, all other output goes to stderr, also that of libraries. */
  takeStdio?(): { readonly input: Readable; readonly output: Writable };
  /** If undefined, the main thread makes the pages. */
  readonly pageWorker?: URL;
  /** If undefined, no query of the Explore page can run. */
  readonly exploreProgram?: URL;
  /** The callback gets only one stop signal. Without a callback, a stop signal ends the process. */
  onStop(callback: () => void): void;
  onCrash?(tell: (error: unknown) => Promise<unknown>): void;
}

export interface ProcessBeside {
  /** Undefined if the process did not start. */
  readonly pid?: number | undefined;
  /** The exit code. Null if the process was killed or did not start. */
  readonly ended: Promise<number | null>;
  /** After SIGKILL, our process can end without waiting for the other process. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Aborted by the first stop signal. The next signal ends the process at once. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Stop requested. pacekeeper finishes work in progress and starts nothing new.');
    asked.abort();
  });
  return asked.signal;
}
