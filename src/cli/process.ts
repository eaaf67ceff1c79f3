import type { Log } from '../domain/ports.ts';
import type { Ask } from './ask.ts';
import type { Output } from './output.ts';

export interface Process {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** Whom the system says the process runs for; undefined where it does not know. */
  readonly userName: string | undefined;
  /** A person sits before it who can be asked: both its input and its output are a terminal. */
  readonly interactive?: boolean;
  /** How that person is asked; on the terminal when absent. */
  readonly makeAsk?: () => Promise<Ask>;
  /** Sets the exit code; the process ends when nothing is left to do. */
  exit(code: number): void;
  /**
   * Runs another command line of the program in a process of its own, which what ends this one does not end. `env` is added
   * to the environment of this one.
   */
  runBeside(args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside;
  /** The program of the thread that makes the pages of `serve`; absent for making them in this one. */
  readonly pageWorker?: URL;
  /**
   * Calls back once when the user or the system asks the process to end; asked again, the process ends at once, or calls back
   * who has asked for that since.
   */
  onStop(callback: () => void): void;
  /** Calls back with an error that nobody caught, and ends the process when it has been told. */
  onCrash?(tell: (error: unknown) => Promise<unknown>): void;
}

export interface ProcessBeside {
  /** Undefined for one that could not be started. */
  readonly pid?: number | undefined;
  /** The exit code; null when it was killed or could not be started. */
  readonly ended: Promise<number | null>;
  /** Asks it to end, or ends it by force, after which it is not waited for any more. Nothing happens to one that has ended. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Given when the process is asked to end. What works under it ends of its own accord; asked again, the process just ends. */
export function stopSignal({ onStop }: Process, log: Log): AbortSignal {
  const asked = new AbortController();
  onStop(() => {
    log.info('Asked to stop: what is under way comes to its end, and nothing more is begun.');
    asked.abort();
  });
  return asked.signal;
}
