import type { Redact } from './redact.ts';

const LENGTH_MAX = 200;

/** A service's name of a request as it may stand in an error or a database: without secrets that it repeats, and no page. */
export function tellableId(id: string | undefined, redact: Redact): string | undefined {
  return id === undefined ? undefined : redact(id).slice(0, LENGTH_MAX);
}
