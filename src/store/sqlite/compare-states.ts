import Database from 'better-sqlite3';

/** What a state file knows that a copy does not. */
export interface LostWithCopy {
  /** Undefined where the copy has all of them. */
  readonly runs: { readonly first: bigint; readonly last: bigint; readonly count: number } | undefined;
  /** Of the record of changes. */
  readonly events: number;
  /** Messages that were sent at least once, which the copy does not know of or takes for unsent. */
  readonly sent: number;
  /** The codes of proposals that wait for an answer. */
  readonly codes: readonly string[];
  /** Whether both hold the same record of changes, but for copies that were put back. */
  readonly isSameRecord: boolean;
  /** Both went on by themselves from what they share: a number may stand for one thing here and for another there. */
  readonly parted: Parted | undefined;
}

/** Where: after the last event of both, from the first one on, or in their runs alone, of which no chain says since when. */
export type Parted =
  | { readonly kind: 'after_event'; readonly id: bigint }
  | { readonly kind: 'from_the_beginning' }
  | { readonly kind: 'in_runs' };

/**
 * Compares what stands in two files of this version, not how much of it: after a restore the numbers begin again where the
 * copy ended, so that each number says something else in each file. Both are only read.
 */
export function compareStates(pathBefore: string, pathCopy: string): LostWithCopy {
  const file = new Database(pathCopy, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    file.defaultSafeIntegers(true);
    file.prepare('ATTACH ? AS earlier').run(pathBefore);
    return file.transaction(() => compareTables(file))();
  } finally {
    file.close();
  }
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

/** The hash is of the whole event and of all before it. */
const SAME_EVENT = 'here.id = there.id AND here.hash = there.hash';
const SAME_RUN = 'here.id = there.id AND here.started_at = there.started_at AND here.command = there.command';
/** A reference is drawn anew for each message. */
const SAME_MESSAGE = `here.id = there.id AND here.created_at = there.created_at AND here.reference = there.reference
  AND here.requested_at IS NOT NULL`;

type Schema = 'main' | 'earlier';

/** Of how many rows of a table of `has` there is no same one in that of `lacks`, and between which numbers they stand. */
function absentIn(lacks: Schema, has: Schema, table: 'run' | 'budget_event' | 'message', same: string): string {
  return `SELECT count(*) AS count, min(there.id) AS first, max(there.id) AS last FROM ${has}.${table} AS there
    WHERE NOT EXISTS (SELECT 1 FROM ${lacks}.${table} AS here WHERE ${same})`;
}

const LOST_CODES = `SELECT code FROM earlier.budget_proposal AS there WHERE state = 'open' AND NOT EXISTS
  (SELECT 1 FROM main.budget_proposal AS here WHERE here.code = there.code AND here.created_at = there.created_at)
  ORDER BY created_at, code`;
