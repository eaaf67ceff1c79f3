import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import type { ApiError } from '../domain/errors.ts';
import { operationsOfDay } from '../store/run-table.ts';

/** Whether the service may be asked for more in this run. */
export interface Quota {
  /** Why not; undefined while it may. */
  reason(): string | undefined;
  /** Takes notice of a failure: true when it says that nothing more should be asked for longer than a run can wait. */
  refuse(error: ApiError): boolean;
}

/** Counts this run's operations and those of the last 24 hours against `extract.operations_per_day`, where it is set. */
export async function openQuota({ settings, state, clock }: App, ads: AdsConnection): Promise<Quota> {
  const limit = settings.extract.operationsPerDay;
  const before = limit === undefined ? 0 : await operationsOfDay(state.db, clock.now());
  let refused: string | undefined;
  return {
    reason() {
      if (refused !== undefined || limit === undefined) return refused;
      if (before + ads.operations.count < limit) return undefined;
      return `the ${limit} operations of extract.operations_per_day are used up for the last 24 hours`;
    },
    refuse({ retryAfterMs = 0, httpStatus, status }) {
      const ofQuota = httpStatus === 429 || status === 'RESOURCE_EXHAUSTED';
      if (!ofQuota || retryAfterMs <= ads.retry.totalMs) return false;
      refused ??= `the service asks to wait ${hoursText(retryAfterMs)} (${status})`;
      return true;
    },
  };
}

function hoursText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
