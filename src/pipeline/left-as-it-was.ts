import { existsSync } from 'node:fs';

/** What is said of a file that this run did not write: "is as the last run left it", or that it is not there. */
export function leftAsItWas(path: string): string {
  return existsSync(path) ? 'is as the last run left it' : 'is not there yet';
}
