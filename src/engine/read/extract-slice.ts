import { type CivilDate, type DateRange, daysBetween, daysOf } from '../../domain/civil-date.ts';
import type { DayCalendar } from '../../domain/complete-days.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Clock, Progress } from '../../domain/ports.ts';
import { tellsItsDays } from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { SliceResult } from '../../language/results/report-result.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { withoutPlace } from '../../services/ads/read-failure.ts';
import { type RowsChunk, type StreamEnd, searchStream } from '../../services/ads/search-stream.ts';
import { malformed } from '../../services/http/classify-failure.ts';
import { besideLoads } from '../../storage/records/in-transaction.ts';
import { isBusy } from '../../storage/records/is-busy.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type ReadDay, recordReading } from '../../storage/records/runs/account-days.ts';
import { endSlice } from '../../storage/records/runs/slice-table.ts';
import { hasDays } from '../../storage/warehouse/query-table.ts';
import type { LoadResult } from '../../storage/warehouse/slice-load.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import { type DayTotals, type MetricSums, metricsOf } from '../../storage/warehouse/totals.ts';
import { accountToday, lastSettledDay } from './day-state.ts';

export interface Slice {
  readonly id: bigint;
  readonly query: QueryFile;
  /** The result of `queryFingerprint`. */
  readonly queryText: string;
  /** The query with the account's dates. Undefined if the period has no day yet. */
  readonly text: string | undefined;
  /** The text is valid only on this day. Undefined if the text contains fixed dates. */
  readonly holdsOn: CivilDate | undefined;
  readonly customerId: CustomerId;
  /** Days in the account's time zone. Undefined for a query without days. */
  readonly days: DateRange | undefined;
  readonly calendar: DayCalendar;
}

interface Deps {
  /** Called when the slice may write to the database, with the time that the slice waited. */
  readonly onTurn?: (waitedMs: number) => void;
  readonly progress?: Progress;
  readonly state: Store;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly sliceBytesMax?: number;
}

/** Maximum size after decompression, about ten million rows. An endless answer would fill the disk. */
const SLICE_BYTES_MAX = 4 * 1024 ** 3;

/** Smaller answers are read before the database is locked, so that accounts load in parallel. */
const READ_AHEAD_BYTES = 2 * 1024 * 1024;

/**
 * Replaces the rows of one account and its days by the rows that the service has now. An answer can break off, or end
 * with an error after many rows. So rows, the record of their days and the end of the slice are one transaction. After
 * an `ApiError`, the old rows remain. The transaction keeps other writers waiting, so the first megabytes are read
 * before it begins. Most answers are then complete. Meanwhile, a new day may have begun in the account. A query with
 * relative dates is then refused, because its answer belongs to other days. After any failure, the same slice can be
 * read again.
 */
export async function extractSlice(deps: Deps, slice: Slice): Promise<Pick<SliceResult, 'rows' | 'bytes'>> {
  const { state, clock } = deps;
  const startedMs = clock.now();
  if (slice.days === undefined && hasDays(slice.query)) throw endedDay();
  const { text, customerId } = slice;
  const bytesMax = deps.sliceBytesMax ?? SLICE_BYTES_MAX;
  const stream = text === undefined ? undefined : searchStream(deps.ads, customerId, text, bytesMax);
  try {
    const ahead = stream ? await readAhead(stream) : NOTHING;
    if (slice.holdsOn !== undefined && slice.holdsOn !== todayOf(slice, clock.now())) {
      throw endedDay(true);
    }
    const waitsSinceMs = deps.ads.pauses.elapsedMs();
    return await state.warehouse.loading(slice, async (trx, load) => {
      deps.onTurn?.(deps.ads.pauses.elapsedMs() - waitsSinceMs);
      const add = async (chunk: RowsChunk) => {
        const rows = Number(await load.add(chunk));
        deps.progress?.rows(rows);
      };
      for (const chunk of ahead.chunks) await add(chunk);
      let end = ahead.end;
      while (stream && end === undefined) {
        const step = await stream.next();
        if (step.done) end = step.value;
        else await add(step.value);
      }
      const loaded = await load.finish();
      await recordDays(trx, slice, loaded, startedMs);
      const { bytes, requestId } = end ?? NO_STREAM;
      await endSlice(trx, slice.id, {
        state: 'done',
        startedMs,
        endedMs: clock.now(),
        rows: loaded.rows,
        bytes,
        requestId,
        ...(slice.days && { days: slice.days }),
      });
      return { rows: loaded.rows, bytes };
    });
  } catch (error) {
    // Nothing was written, or all rows, so the slice may be read again.
    if (isBusy(error) && error instanceof Error)
      throw new ApiError(error.message, { status: 'STORE', outcome: 'unknown', transient: true, cause: error });
    throw error;
  } finally {
    // Releases the connection if a row could not be loaded.
    await stream?.return(NO_STREAM);
  }
}

/** `again` is true if an immediate retry may succeed. */
function endedDay(again = false): ApiError {
  return malformed('MIDNIGHT', 'A new day began in the account before its days were read', again);
}

/** The recorded state of the days does not change. */
export async function recordFailure(
  db: StateDb,
  clock: Clock,
  slice: Slice,
  startedMs: number,
  error: ApiError,
): Promise<void> {
  const state = notOffered(error) === undefined ? 'failed' : 'not_offered';
  const said = { requestId: error.requestId, error: explainFailure(error) };
  await besideLoads(db, (trx) => endSlice(trx, slice.id, { state, startedMs, endedMs: clock.now(), ...said }));
}

/** Returns the service's message if the service does not offer the query's resource. */
export function notOffered(error: ApiError): string | undefined {
  const detail = error.details.find(({ code }) => code?.endsWith('.BAD_RESOURCE_TYPE_IN_FROM_CLAUSE'));
  return detail && withoutPlace(detail.message);
}

function todayOf({ calendar }: Slice, nowMs: number): CivilDate {
  return accountToday(calendar.timeZone, nowMs);
}

const NO_STREAM: StreamEnd = { batches: 0, bytes: 0, requestId: undefined };

interface Ahead {
  readonly chunks: readonly RowsChunk[];
  /** Undefined if more rows follow. */
  readonly end: StreamEnd | undefined;
}

const NOTHING: Ahead = { chunks: [], end: NO_STREAM };

async function readAhead(stream: AsyncGenerator<RowsChunk, StreamEnd>): Promise<Ahead> {
  const chunks: RowsChunk[] = [];
  for (let bytes = 0; bytes < READ_AHEAD_BYTES; ) {
    const step = await stream.next();
    if (step.done) return { chunks, end: step.value };
    chunks.push(step.value);
    bytes += step.value.json.byteLength;
  }
  return { chunks, end: undefined };
}

async function recordDays(trx: StateDb, slice: Slice, loaded: LoadResult, readMs: number): Promise<void> {
  const { query, queryText, customerId, days, calendar } = slice;
  if (days === undefined || !hasDays(query) || !tellsItsDays(query)) return;
  const today = todayOf(slice, readMs);
  const byDate = new Map(loaded.days.map((day) => [day.date, day]));
  const none = totalsText(new Map(metricsOf(query.columns).map(({ name, type }) => [name, type === 'INT64' ? 0n : 0])));
  const settledTo = lastSettledDay(readMs, calendar);
  const firstDaysAfter = daysBetween(days.from, today);
  const readDays = daysOf(days).map((date, index) => {
    const known = date <= settledTo ? 'settled' : 'provisional';
    return readDay(date, known, byDate.get(date), none, firstDaysAfter - index);
  });
  await recordReading(trx, {
    query: query.name,
    queryText,
    customerId,
    sliceId: slice.id,
    readMs,
    days: readDays,
  });
}

function readDay(
  date: CivilDate,
  state: ReadDay['state'],
  totals: DayTotals | undefined,
  none: string,
  daysAfter: number,
): ReadDay {
  const said = totals ? { rows: totals.rows, totals: totalsText(totals.metrics) } : { rows: 0n, totals: none };
  return { date, state, daysAfter, ...said };
}

/** int64 values become texts, as in the service's answers. */
function totalsText(metrics: MetricSums): string {
  return JSON.stringify(
    Object.fromEntries([...metrics].map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])),
  );
}
