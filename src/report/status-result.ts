import type { CivilDate } from '../domain/civil-date.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { PastRun } from '../store/run-history.ts';
import type { TICK_WORDS } from './state-words.ts';

/** The schedule as it stands: who keeps it, and what is due next. */
export interface ScheduleStanding {
  /** Undefined where no process keeps it. */
  readonly holder: ScheduleHolder | undefined;
  readonly jobs: readonly {
    readonly name: string;
    readonly job: string;
    /** Instants, UTC; undefined where nothing is due any more, or nothing was yet. */
    readonly next: string | undefined;
    readonly last:
      | { readonly state: keyof typeof TICK_WORDS; readonly dueAt: string; readonly reason: string | undefined }
      | undefined;
  }[];
}

export interface ScheduleHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Whether it does: `late` has not shown itself in time, `gone` is no process of this machine any more. */
  readonly state: 'keeping' | 'late' | 'gone';
}

/** The days of one query's table, over all accounts. */
export interface QueryCoverage {
  readonly query: string;
  readonly accounts: number;
  /** Of which no day was read. */
  readonly neverRead: number;
  /** The last day up to which every account that was read is complete; undefined where one has no complete day. */
  readonly completeUntil: CivilDate | undefined;
  /** Account days that were not read, or by another question. */
  readonly missing: number;
  readonly provisional: number;
  /** Accounts whose last read failed: what is known of them is older. */
  readonly failed: number;
}

/** Where everything stands. */
export interface StatusResult {
  readonly target: string;
  readonly mode: string;
  readonly dataFolder: string;
  readonly schedule: ScheduleStanding;
  readonly frozen: Frozen | undefined;
  /** Undefined before the first run. */
  readonly work: WorkStanding | undefined;
}

export interface WorkStanding {
  /** Newest first. */
  readonly runs: readonly PastRun[];
  readonly coverage: readonly QueryCoverage[];
  /** Tables that no query file fills any more. */
  readonly orphanedTables: readonly string[];
  readonly openChanges: number;
  /** Codes. */
  readonly proposals: readonly string[];
  readonly alerts: { readonly waiting: number; readonly mayBeOut: number };
}
