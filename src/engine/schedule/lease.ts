import { instantText } from '../../domain/civil-date.ts';
import { prepared } from '../../storage/records/sqlite/prepared.ts';
import type { ScheduleFile } from './schedule-file.ts';
import type { ProcessIdentity } from './this-process.ts';

export const LEASE_MS = 120_000;

/** Tolerance in milliseconds for leases that were written with a wrong clock. */
const END_BEYOND_MS = 3_600_000;

export interface LeaseHolder extends ProcessIdentity {
  readonly token: number;
  /** All times are texts in UTC. */
  readonly takenAt: string;
  readonly renewedAt: string;
  readonly expiresAt: string;
}

export type LeaseReading =
  | { readonly kind: 'taken'; readonly token: number; readonly before: LeaseHolder | undefined }
  | { readonly kind: 'held'; readonly holder: LeaseHolder };

/** Another process took the lease, so this process must not write any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

const HOLDER = `SELECT token, pid, host, place, birth, taken_at AS takenAt, renewed_at AS renewedAt, expires_at AS expiresAt
  FROM lease WHERE pid IS NOT NULL`;

/**
 * One scheduler at a time starts jobs. Unlike a lock, a lease outlives its process. If the process was killed, the next
 * one on the same machine sees that, and goes on at once. From another machine or container, nobody can see it, so the
 * lease then ends at its expiry time. A process that stood still may wake up after that. So each taking raises the
 * token, also after a release. Each write checks the token in its own transaction (`fenced`). The late process then
 * writes nothing and starts nothing. A wrong clock can leave an expiry time far ahead. Such a lease counts as ended,
 * because it would block the schedule.
 */
export function takeLease(
  file: ScheduleFile,
  self: ProcessIdentity,
  fateOf: (holder: ProcessIdentity) => 'alive' | 'gone' | 'unknown',
  nowMs: number,
): LeaseReading {
  const take = file.transaction((): LeaseReading => {
    const before = leaseHolder(file);
    if (before && isKept(before, fateOf(before), nowMs)) return { kind: 'held', holder: before };
    const last = prepared(file, 'SELECT token FROM lease', 'values').get() as number | undefined;
    const token = (last ?? 0) + 1;
    prepared(file, TAKE).run({ ...self, token, now: instantText(nowMs), expires: instantText(nowMs + LEASE_MS) });
    return { kind: 'taken', token, before };
  });
  return take.immediate();
}

const TAKE = `INSERT INTO lease (name, token, pid, host, place, birth, taken_at, renewed_at, expires_at)
  VALUES ('schedule', @token, @pid, @host, @place, @birth, @now, @now, @expires)
  ON CONFLICT (name) DO UPDATE SET token = excluded.token, pid = excluded.pid, host = excluded.host,
    place = excluded.place, birth = excluded.birth, taken_at = excluded.taken_at, renewed_at = excluded.renewed_at,
    expires_at = excluded.expires_at`;

function isKept({ expiresAt }: LeaseHolder, fate: 'alive' | 'gone' | 'unknown', nowMs: number): boolean {
  if (fate !== 'unknown') return fate === 'alive';
  const leftMs = Date.parse(expiresAt) - nowMs;
  return leftMs > 0 && leftMs < LEASE_MS + END_BEYOND_MS;
}

/** Runs `work` in one transaction. Throws `LeaseLostError` and writes nothing if another process has the lease. */
export function fenced<Result>(file: ScheduleFile, token: number, work: () => Result): Result {
  const guarded = file.transaction(() => {
    if (leaseHolder(file)?.token !== token) throw new LeaseLostError('Another process took over the schedule.');
    return work();
  });
  return guarded.immediate();
}

/** Call this function within {@link fenced}. */
export function renewLease(file: ScheduleFile, nowMs: number): void {
  prepared(file, 'UPDATE lease SET renewed_at = ?, expires_at = ?').run(
    instantText(nowMs),
    instantText(nowMs + LEASE_MS),
  );
}

/** Call this function within {@link fenced}. Keeps the token, so that the next token is higher. */
export function releaseLease(file: ScheduleFile): void {
  prepared(
    file,
    `UPDATE lease SET pid = NULL, host = NULL, place = NULL, birth = NULL, taken_at = NULL, renewed_at = NULL,
      expires_at = NULL`,
  ).run();
}

export function leaseHolder(file: ScheduleFile): LeaseHolder | undefined {
  return prepared(file, HOLDER).get() as LeaseHolder | undefined;
}

export function isFresh({ renewedAt, expiresAt }: LeaseHolder, nowMs: number): boolean {
  return nowMs < Date.parse(expiresAt) && Date.parse(renewedAt) - nowMs < END_BEYOND_MS;
}
