import { withRetriesTold } from '../../http/retry.ts';
import type { AdsConnection } from './ads-connection.ts';

/** A read that is tried again as the settings say; each time is told. */
export function readWithRetries<Result>(
  ads: AdsConnection,
  what: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  return withRetriesTold(ads, 'read', what, operation);
}
