import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { freezeFile } from '../budgets/kill-switch.ts';
import { adoptionHold, type Freeze, freezeState, recordFreeze, recordUnfreeze } from '../store/freeze-record.ts';
import type { StateFile } from '../store/open-state.ts';
import { isBusy } from '../store/unusable-database.ts';

export interface FreezeResult {
  readonly frozen: boolean;
  /** Whether the audit trail has it now; the next run writes it down otherwise. */
  readonly recorded: boolean;
  /** Whether the file FREEZE is in the data folder now. */
  readonly file: boolean;
  /** For people. */
  readonly sentences: readonly string[];
}

export interface FreezeStatement {
  readonly by: string;
  readonly why: string;
}

/**
 * Stops every budget change from now on. Where no event can be written now, because a run holds the database for longer than
 * a write waits or its state file is lost, the file FREEZE is put in place instead: it freezes at once, and the next run
 * writes it down.
 */
export async function freeze(
  state: StateFile | undefined,
  dataFolder: string,
  { by, why }: FreezeStatement,
  nowMs: number,
): Promise<FreezeResult> {
  const path = freezeFile(dataFolder);
  let before: Freeze | undefined;
  const record = async ({ db }: StateFile) => {
    before = await freezeState(db);
    await recordFreeze(db, { by, why }, nowMs);
  };
  const recorded = state !== undefined && (await wrote(() => record(state)));
  if (!recorded) writeFileSync(path, `${why} (${by})\n`);
  const sentences = [
    `Frozen by ${by}: ${why}. No budget is changed until pacekeeper unfreeze.`,
    ...(before === undefined
      ? []
      : [
          `It was already frozen since ${before.at} by ${before.by}: ${before.why}. This reason replaces that one; the audit trail has both.`,
        ]),
    ...(recorded ? [] : [`No event can be written now, so ${path} was put in place: it freezes at once.`]),
  ];
  return { frozen: true, recorded, file: existsSync(path), sentences };
}

async function wrote(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Lets budgets be changed again: lifts the record and takes the file away. */
export async function unfreeze(
  state: StateFile | undefined,
  dataFolder: string,
  { by, why }: FreezeStatement,
  nowMs: number,
): Promise<FreezeResult> {
  if (!state) throw heldByRun();
  const { db } = state;
  const path = freezeFile(dataFolder);
  const hadFile = existsSync(path);
  const before = await freezeState(db);
  const hold = await adoptionHold(db, nowMs);
  const held = hold && `No budget is changed until ${hold.until}, because ${hold.by} adopted the data folder.`;
  const frozen = held !== undefined;
  if (before === undefined && !hadFile) {
    return { frozen, recorded: false, file: false, sentences: [held ?? 'Nothing was frozen.'] };
  }
  let renewed: number | undefined;
  const lift = async () => {
    renewed = await recordUnfreeze(state, { by, why }, nowMs, hadFile);
  };
  if (!(await wrote(lift))) throw heldByRun();
  // Last, so that a failure before leaves all frozen.
  if (hadFile) rmSync(path);
  const since = before === undefined ? [] : [`It was frozen by ${before.by} since ${before.at}: ${before.why}.`];
  const anew = renewed ? [`The ledger of decisions was made anew from the record: ${renewed} differed.`] : [];
  const sentences = [held ?? 'Budgets may be changed again.', ...since, ...anew];
  return { frozen, recorded: true, file: false, sentences };
}

function heldByRun(): Error {
  const words = 'A run is writing to the database: nothing was lifted. Try again in a moment.';
  return Object.assign(new Error(words), { code: 'SQLITE_BUSY' });
}
