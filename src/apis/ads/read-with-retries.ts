import { withRetries } from '../../http/retry.ts';
import type { AdsConnection } from './ads-connection.ts';

/** A read that is tried again as the settings say; each time is told, for a person waits meanwhile. */
export function readWithRetries<Result>(
  ads: AdsConnection,
  what: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  return withRetries(ads.retry, ads.pauses, 'read', operation, (error, delayMs) =>
    ads.log.warn(`${what}: ${error.message} Trying again in ${delayMs / 1000} s.`),
  );
}
