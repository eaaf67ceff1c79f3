import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import type { ApiError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { operationsOfDay } from '../store/run-table.ts';

/** Whether the service may be asked for more in this run. */
export interface Quota {
  /** Takes one operation for a request that is sent next. Answers why there is none; undefined when there was one. */
  take(): string | undefined;
  /**
   * Takes notice of a failure. Answers why the account should be asked for nothing more in this run; undefined when it may
   * be. The run ends with it when the service says that nothing more should be asked for longer than a run can wait, that
   * the quota of the day is used up, or when it refused several accounts to their last try.
   */
  refuse(error: ApiError, customerId: CustomerId, lastTry: boolean): string | undefined;
}

/** One account's refusal may be of its own rate; that of so many is of the credentials, whoever is asked next. */
const ACCOUNTS_GIVEN_UP_MAX = 3;
const DAILY_QUOTA = 'quotaError.RESOURCE_EXHAUSTED';

/** Counts this run's operations and those of the last 24 hours against `extract.operations_per_day`, where it is set. */
export async function openQuota({ settings, state, clock }: App, ads: AdsConnection): Promise<Quota> {
  const limit = settings.extract.operationsPerDay;
  const before = limit === undefined ? 0 : await operationsOfDay(state.db, clock.now());
  const sentBefore = ads.operations.count;
  let taken = 0;
  let refused: string | undefined;
  const given = new Set<CustomerId>();
  return {
    take() {
      if (refused !== undefined) return refused;
      // What was taken may not be sent yet, and what was sent may be more: a token that is renewed costs a request.
      const used = Math.max(ads.operations.count, sentBefore + taken);
      if (limit !== undefined && before + used >= limit) {
        return `the ${limit} operations of extract.operations_per_day are used up for the last 24 hours`;
      }
      taken += 1;
      return undefined;
    },
    refuse({ retryAfterMs = 0, httpStatus, status, details }, customerId, lastTry) {
      if (httpStatus !== 429 && status !== 'RESOURCE_EXHAUSTED') return undefined;
      if (retryAfterMs > ads.retry.totalMs) {
        refused ??= `the service asks to wait ${hoursText(retryAfterMs)} (${status})`;
      } else if (details.some(({ code }) => code === DAILY_QUOTA)) {
        refused ??= `the service says that the quota of the day is used up (${status})`;
      } else if (lastTry) {
        given.add(customerId);
        if (given.size < ACCOUNTS_GIVEN_UP_MAX) {
          return refused ?? `the service takes no more requests of the account for now (${status})`;
        }
        refused ??= `the service takes no more requests for now (${status})`;
      } else return undefined;
      return refused;
    },
  };
}

function hoursText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
