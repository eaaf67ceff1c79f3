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
  /** Calls back once when the user or the system asks the process to end. */
  onStop(callback: () => void): void;
}
