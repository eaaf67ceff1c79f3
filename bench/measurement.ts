import type { CivilDate } from '../src/domain/civil-date.ts';
import type { Totals } from './totals.ts';

/** Whole days that end with the day before `today`. */
export interface Window {
  readonly today: CivilDate;
  readonly days: number;
}

/** What generate-child is asked for. */
export interface ResponseJob {
  readonly rows: number;
  readonly window: Window;
  /** Where the file goes. */
  readonly folder: string;
}

/** A response on disk, as generate-child prints it. */
export interface GeneratedResponse {
  readonly file: string;
  readonly bytes: number;
  readonly window: Window;
  readonly totals: Totals;
}

/** What a child that reads a response is told. */
export interface LoadJob {
  /** The server's address. */
  readonly url: string;
  /** The database's path; created when missing. */
  readonly database: string;
  readonly window: Window;
  /** What the table holds afterwards, with what it held before. */
  readonly expected: Totals;
  /** Of the community client: whether it gives rows in its own form. */
  readonly parsing?: boolean;
}

/** What a child that writes one database from another is told. */
export interface CopyJob {
  readonly database: string;
  /** A path that nothing stands at, or the file that was published last. */
  readonly into: string;
  readonly expected: Totals;
}

/** What a child prints about the job it did. */
export interface Measurement {
  /** Of the work alone: the process's start, opening the database and checking the rows are left out. */
  readonly seconds: number;
  /** The whole process's largest resident set so far, taken right after the work. */
  readonly peakMiB: number;
}

/** Runs the measured work of a child and prints its {@link Measurement}; `check` is not part of it. */
export async function measure(work: () => Promise<void> | void, check: () => void): Promise<void> {
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  check();
  const measurement: Measurement = { seconds, peakMiB };
  process.stdout.write(JSON.stringify(measurement));
}

/** The one argument of a child. */
export function readJob<Job>(): Job {
  return JSON.parse(process.argv[2] ?? '') as Job;
}
