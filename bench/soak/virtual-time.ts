import { readFileSync } from 'node:fs';

/** By how much the time of the soak is ahead of the machine's, from the file that all its processes look at; 0 before there is one. */
export function readAheadMs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
