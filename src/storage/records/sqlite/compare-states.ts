import Database from 'better-sqlite3';
import { withDatabase } from './open-database.ts';

export interface LostWithCopy {
  readonly runs: { readonly first: bigint; readonly last: bigint; readonly count: number } | undefined;
  /** Number of events that are missing in the copy. */
  readonly events: number;
  /** Number of sent messages that are missing or unsent in the copy. */
  readonly sent: number;
  readonly codes: readonly string[];
  readonly isSameRecord: boolean;
  /** Set if both files were used after the copy was made. */
  readonly parted: Parted | undefined;
}

/** `after_event`: the events are equal up to this id. `in_runs`: each file has runs that the other lacks. */
export type Parted =
  | { readonly kind: 'after_event'; readonly id: bigint }
  | { readonly kind: 'from_the_beginning' }
  | { readonly kind: 'in_runs' };

/** Compares contents and ids, because ids are used again after a restore. */
export function compareStates(pathBefore: string, pathCopy: string): LostWithCopy {
  return withDatabase(new Database(pathCopy, { readonly: true, fileMustExist: true, timeout: 1000 }), (file) => {
    file.defaultSafeIntegers(true);
    file.prepare('ATTACH ? AS earlier').run(pathBefore);
    return file.transaction(() => compareTables(file))();
  });
}

function compareTables(file: Database.Database): LostWithCopy {
  const lostRuns = numbers(file, absentIn('main', 'earlier', 'run', SAME_RUN));
  const runsBeside = numbers(file, absentIn('earlier', 'main', 'run', SAME_RUN));
  const lostEvents = numbers(file, absentIn('main', 'earlier', 'budget_event', SAME_EVENT));
  const eventsBeside = numbers(file, absentIn('earlier', 'main', 'budget_event', SAME_EVENT));
  const isSame = (lacks: Schema, has: Schema) =>
    numbers(file, `${absentIn(lacks, has, 'budget_event', SAME_EVENT)} AND there.kind <> 'restored'`).count === 0;
  return {
    runs: lostRuns.count > 0 ? lostRuns : undefined,
    events: lostEvents.count,
    sent: numbers(file, `${absentIn('main', 'earlier', 'message', SAME_MESSAGE)} AND there.requested_at IS NOT NULL`)
      .count,
    codes: file.prepare<[], string>(LOST_CODES).pluck().all(),
    isSameRecord: isSame('main', 'earlier') && isSame('earlier', 'main'),
    parted:
      partedBy(lostEvents, eventsBeside) ??
      (lostRuns.count > 0 && runsBeside.count > 0 ? { kind: 'in_runs' } : undefined),
  };
}

function partedBy(lost: Numbers, beside: Numbers): Parted | undefined {
  if (lost.count === 0 || beside.count === 0) return undefined;
  return lost.first === 1n ? { kind: 'from_the_beginning' } : { kind: 'after_event', id: lost.first - 1n };
}

interface Numbers {
  readonly count: number;
  readonly first: bigint;
  readonly last: bigint;
}

function numbers(file: Database.Database, sql: string): Numbers {
  const row = file.prepare<[], { count: bigint; first: bigint | null; last: bigint | null }>(sql).get();
  return { count: Number(row?.count ?? 0n), first: row?.first ?? 0n, last: row?.last ?? 0n };
}

/** One hash is enough, because the hash of an event covers all earlier events. */
const SAME_EVENT = 'here.id = there.id AND here.hash = there.hash';
const SAME_RUN = 'here.id = there.id AND here.started_at = there.started_at AND here.command = there.command';
const SAME_MESSAGE = `here.id = there.id AND here.created_at = there.created_at AND here.reference = there.reference
  AND here.requested_at IS NOT NULL`;

type Schema = 'main' | 'earlier';

function absentIn(lacks: Schema, has: Schema, table: 'run' | 'budget_event' | 'message', same: string): string {
  return `SELECT count(*) AS count, min(there.id) AS first, max(there.id) AS last FROM ${has}.${table} AS there
    WHERE NOT EXISTS (SELECT 1 FROM ${lacks}.${table} AS here WHERE ${same})`;
}

const LOST_CODES = `SELECT code FROM earlier.budget_proposal AS there WHERE state = 'open' AND NOT EXISTS
  (SELECT 1 FROM main.budget_proposal AS here WHERE here.code = there.code AND here.created_at = there.created_at)
  ORDER BY created_at, code`;
