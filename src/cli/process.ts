import type { Output } from './output.ts';

/** What the program sees of the process it runs in. */
export interface Process {
  /** The working folder, absolute. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** Whom the system says the process runs for; undefined where it does not know. */
  readonly userName: string | undefined;
  /** Sets the exit code; the process ends when nothing is left to do. */
  exit(code: number): void;
  /**
   * Runs another command line of the program in a process of its own, which what ends this one does not end. Resolves with its
   * exit code; null when it was killed or could not be started.
   */
  runBeside(args: readonly string[]): Promise<number | null>;
  /** Calls back once when the user or the system asks the process to end. */
  onStop(callback: () => void): void;
}
