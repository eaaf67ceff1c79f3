import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import type { ApiError } from '../domain/errors.ts';
import { operationsOfDay } from '../store/run-table.ts';

/** Whether the service may be asked for more in this run. */
export interface Quota {
  /** Takes one operation for a request that is sent next. Answers why there is none; undefined when there was one. */
  take(): string | undefined;
  /**
   * Takes notice of a failure: true when it says that nothing more should be asked for longer than a run can wait, or
   * when it still speaks of quota after the last try.
   */
  refuse(error: ApiError, lastTry: boolean): boolean;
}

/** Counts this run's operations and those of the last 24 hours against `extract.operations_per_day`, where it is set. */
export async function openQuota({ settings, state, clock }: App, ads: AdsConnection): Promise<Quota> {
  const limit = settings.extract.operationsPerDay;
  const before = limit === undefined ? 0 : await operationsOfDay(state.db, clock.now());
  const sentBefore = ads.operations.count;
  let taken = 0;
  let refused: string | undefined;
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
    refuse({ retryAfterMs = 0, httpStatus, status }, lastTry) {
      const ofQuota = httpStatus === 429 || status === 'RESOURCE_EXHAUSTED';
      const long = retryAfterMs > ads.retry.totalMs;
      if (!ofQuota || !(long || lastTry)) return false;
      refused ??= long
        ? `the service asks to wait ${hoursText(retryAfterMs)} (${status})`
        : `the service takes no more requests for now (${status})`;
      return true;
    },
  };
}

function hoursText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
