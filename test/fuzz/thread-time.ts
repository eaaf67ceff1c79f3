import { readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds of a processor that a thread of this process has used, the calling one without a number; where the system does not say it, the time that has passed. */
export function threadMs(thread?: number): number {
  const folder = thread === undefined ? '/proc/thread-self' : `/proc/self/task/${thread}`;
  try {
    // Nanoseconds, first of three numbers.
    return Number(readFileSync(`${folder}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The number by which the system knows the calling thread; 0 where it does not say it. */
export function threadNumber(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}
