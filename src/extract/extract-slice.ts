import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { type StreamEnd, searchStream } from '../apis/ads/search-stream.ts';
import type { DateRange } from '../domain/civil-date.ts';
import type { Clock } from '../domain/clock.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import { DATE_FIELD } from '../gaql/check/check-dates.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { withRetries } from '../http/retry.ts';
import type { StateFile } from '../store/open-state.ts';
import { insertSlice } from '../store/slice-table.ts';
import {
  lastRowidStatement,
  loadStatement,
  removeStatement,
  removeStrayDaysStatement,
} from '../warehouse/query-table.ts';

export interface Slice {
  readonly query: QueryFile;
  /** What is sent: the query with the account's dates. Undefined when its window holds no day, so that it has no rows. */
  readonly text: string | undefined;
  readonly customerId: CustomerId;
  /** The days of the query's window by the account's calendar; undefined for a query without days. */
  readonly days: DateRange | undefined;
}

export type SliceOutcome =
  | { readonly kind: 'replaced'; readonly rows: bigint; readonly bytes: number }
  | { readonly kind: 'failed'; readonly error: ApiError }
  /** The service does not have the query's resource; the slice is as it was. */
  | { readonly kind: 'not_offered' };

interface Deps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Reads one slice from the interface and replaces it whole, in one transaction that commits only after the stream ended
 * cleanly. However it fails, the slice stays as the last good run left it and the failure is recorded. A failure that
 * may pass is tried again from the beginning of the slice.
 */
export async function extractSlice(deps: Deps, runId: bigint, slice: Slice): Promise<SliceOutcome> {
  const { state, ads, clock, log } = deps;
  const startedMs = clock.now();
  const record = {
    runId,
    query: slice.query.name,
    queryText: slice.query.text,
    customerId: slice.customerId,
    days: slice.days,
    startedMs,
  };
  try {
    return await withRetries(
      ads.retry,
      ads.pauses,
      'read',
      () =>
        state.db.transaction().execute(async (trx) => {
          const { rows, end } = await loadStream(deps, slice);
          const { bytes, requestId } = end;
          await insertSlice(trx, { ...record, endedMs: clock.now(), rows, bytes, requestId, error: undefined });
          return { kind: 'replaced' as const, rows, bytes };
        }),
      (error, delayMs) =>
        log.warn(`${slice.query.name} of ${slice.customerId}: ${error.message} Trying again in ${delayMs / 1000} s.`),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failed = { rows: 0n, bytes: 0, requestId: error.requestId, error: explainFailure(error) };
    await insertSlice(state.db, { ...record, endedMs: clock.now(), ...failed });
    const notOffered = error.details.some(({ code }) => code?.endsWith('.BAD_RESOURCE_TYPE_IN_FROM_CLAUSE'));
    return notOffered ? { kind: 'not_offered' } : { kind: 'failed', error };
  }
}

/** To be called inside a transaction: takes the old rows away and puts the stream's in their place. */
async function loadStream(deps: Deps, slice: Slice): Promise<{ rows: bigint; end: StreamEnd }> {
  const { connection } = deps.state;
  const { query, text, customerId, days } = slice;
  const customer = BigInt(customerId);
  const window = query.columns.some(({ field }) => field === DATE_FIELD) ? days : undefined;
  connection.prepare(removeStatement(query)).run({ customer, ...window });
  if (text === undefined) return { rows: 0n, end: { batches: 0, bytes: 0, requestId: undefined } };
  const before = connection.prepare(lastRowidStatement(query)).pluck().get();
  const load = connection.prepare(loadStatement(query));
  const stream = searchStream(deps.ads, customerId, text);
  let rows = 0n;
  try {
    let step = await stream.next();
    for (; !step.done; step = await stream.next())
      rows += BigInt(load.run({ customer, rows: step.value.json }).changes);
    if (window) connection.prepare(removeStrayDaysStatement(query)).run({ customer, before, ...window });
    return { rows, end: step.value };
  } catch (error) {
    throw unusableRow(error) ?? error;
  } finally {
    // Gives the connection back when a row could not be loaded.
    await stream.return({ batches: 0, bytes: 0, requestId: undefined });
  }
}

/** SQLite's refusal of a row as the service's failure that it is; undefined for a failure of ours, such as a full disk. */
function unusableRow(error: unknown): ApiError | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string' || !/^SQLITE_(ERROR|CONSTRAINT\w*|MISMATCH)$/.test(code)) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const words = /NOT NULL constraint failed/.test(message) ? 'it is not an object, or its date is no date' : message;
  return new ApiError(`A row of the stream cannot be stored: ${words}.`, {
    status: 'MALFORMED',
    outcome: 'unknown',
    transient: false,
    cause: error,
  });
}
