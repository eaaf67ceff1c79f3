import type { Totals } from './totals.ts';

/** A response on disk, as generate-response prints it. */
export interface GeneratedResponse {
  readonly file: string;
  readonly bytes: number;
  readonly totals: Totals;
}

/** What a child is told, as one JSON argument. */
export interface Job {
  /** The server's address. */
  readonly url: string;
  /** The state database's path; created when missing. */
  readonly database: string;
  readonly expected: Totals;
}

/** What a child prints about the job it did. */
export interface Measurement {
  /** From the request to the commit; the process's start, opening the database and checking the rows are left out. */
  readonly seconds: number;
  /** The whole process's largest resident set so far, taken right after the commit. */
  readonly peakMiB: number;
}

/** Runs the measured work of a child and prints its {@link Measurement}; `check` is not part of it. */
export async function measure(work: () => Promise<void>, check: () => void): Promise<void> {
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  check();
  const measurement: Measurement = { seconds, peakMiB };
  process.stdout.write(JSON.stringify(measurement));
}

export function readJob(): Job {
  return JSON.parse(process.argv[2] ?? '') as Job;
}
