import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { minuteText } from '../../domain/civil-date.ts';
import type { InputError } from '../../domain/errors.ts';
import { freezeFile, freezeForAll } from '../../engine/budgets/kill-switch.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { movedAway } from '../../engine/folder/store-file.ts';
import {
  adoptionHold,
  type Freeze,
  freezeState,
  recordFreeze,
  recordUnfreeze,
} from '../../storage/records/budgets/freeze-record.ts';
import { isBusy } from '../../storage/records/is-busy.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import { terminalAsk } from '../cli/ask.ts';
import type { CommandApp } from '../cli/command.ts';
import { actorOf, reasonOf } from '../cli/person.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { FreezeOptions, UnfreezeOptions } from './freeze-command.ts';

type FreezeApp = CommandApp<'stateAtOnce'>;

const NO_REASON = 'no reason given';

/** Freezes before asking for a reason. Does not need the run lock. */
export async function runFreeze(app: FreezeApp, options: FreezeOptions): Promise<void> {
  const { by, why: given = NO_REASON } = actorOf(options, app);
  const nowMs = app.clock.now();
  tellResult(app, options.format, await freezeNow(app, { by, why: given }, nowMs));
  if (options.why !== undefined || options.format === 'json' || !app.interactive) return;
  const why = await askReason(app);
  if (why !== undefined) await freezeNow(app, { by, why }, nowMs);
}

export async function runUnfreeze(app: FreezeApp, options: UnfreezeOptions): Promise<void> {
  const { settings, clock } = app;
  const { by, why = NO_REASON } = actorOf(options, app);
  const forgotten = await forgottenUnlessBusy(app);
  if (forgotten !== undefined) throw forgotten;
  const result = await app.open(({ state }) => unfreeze(state, settings.paths.data, { by, why }, clock.now()));
  tellResult(app, options.format, result);
}

async function freezeNow(app: FreezeApp, statement: FreezeStatement, nowMs: number): Promise<FreezeResult> {
  const { data } = app.settings.paths;
  if ((await forgottenUnlessBusy(app)) !== undefined) return freeze(undefined, data, statement, nowMs);
  return app.open(({ state }) => freeze(state, data, statement, nowMs));
}

async function askReason({ makeAsk = terminalAsk }: FreezeApp): Promise<string | undefined> {
  try {
    const ask = await makeAsk();
    const why = await ask.text('Why? (Enter for no reason)', { check: () => undefined });
    return why.trim() === '' ? undefined : reasonOf({ why });
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') return undefined;
    throw error;
  }
}

/** Undefined if another program uses the file, because a freeze must never wait. */
async function forgottenUnlessBusy({ settings }: FreezeApp): Promise<InputError | undefined> {
  const moved = settings.store.url === undefined ? movedAway(settings) : undefined;
  if (moved !== undefined) return moved;
  try {
    return await (await engineOf(settings)).forgottenPast();
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function tellResult({ output }: FreezeApp, format: 'table' | 'json', result: FreezeResult): void {
  output.stdout.write(jsonOrText(format, result, result.sentences.join('\n')));
}

interface FreezeResult {
  readonly frozen: boolean;
  readonly recorded: boolean;
  readonly file: boolean;
  readonly sentences: readonly string[];
}

interface FreezeStatement {
  readonly by: string;
  readonly why: string;
}

/** If the state file is not writable, the file FREEZE freezes budgets. */
export async function freeze(
  state: RecordStore | undefined,
  dataFolder: string,
  { by, why }: FreezeStatement,
  nowMs: number,
): Promise<FreezeResult> {
  const path = freezeFile(dataFolder);
  let before: Freeze | undefined;
  const record = async ({ db }: RecordStore) => {
    before = await freezeState(db);
    await recordFreeze(db, { by, why }, nowMs);
  };
  const recorded = state !== undefined && (await wrote(() => record(state)));
  if (!recorded) writeFileSync(path, `${why} (${by})\n`);
  const sentences = [
    `Frozen by ${by}: ${why}. No budget changes until you run pacekeeper unfreeze.`,
    ...(before === undefined
      ? []
      : [
          `Already frozen since ${minuteText(before.at)} by ${before.by}: ${before.why}. The new reason replaces the old one. The audit trail keeps both.`,
        ]),
    ...(recorded
      ? []
      : [`The freeze cannot be recorded as an event now. Instead, the file ${path} freezes budgets at once.`]),
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

export async function unfreeze(
  state: RecordStore | undefined,
  dataFolder: string,
  { by, why }: FreezeStatement,
  nowMs: number,
): Promise<FreezeResult> {
  if (!state) throw heldByRun();
  const { db } = state;
  const path = freezeFile(dataFolder);
  const hadFile = existsSync(path);
  const record = () => freezeForAll({ state, clock: { now: () => nowMs } }, dataFolder);
  if (state.server && hadFile && !(await wrote(record))) throw heldByRun();
  const before = await freezeState(db);
  const hold = await adoptionHold(db, nowMs);
  const held =
    hold && `No budget is changed until ${minuteText(hold.until)}, because ${hold.by} adopted the data folder.`;
  const frozen = held !== undefined;
  if (before === undefined && !hadFile) {
    return { frozen, recorded: false, file: false, sentences: [held ?? 'Nothing was frozen.'] };
  }
  let renewed: number | undefined;
  const lift = async () => {
    renewed = await recordUnfreeze(state.db, { by, why }, nowMs, hadFile);
  };
  // A recorded freeze holds without the file, and a process that still finds the file would freeze again.
  if (before !== undefined) rmSync(path, { force: true });
  if (!(await wrote(lift))) throw heldByRun();
  // Without a recorded freeze, the file is deleted last, so budgets stay frozen if an earlier step fails.
  rmSync(path, { force: true });
  const since =
    before === undefined ? [] : [`It was frozen by ${before.by} since ${minuteText(before.at)}: ${before.why}.`];
  const anew = renewed
    ? [`The ledger of decisions was rebuilt from the record of budget changes. Entries that differed: ${renewed}.`]
    : [];
  const sentences = [held ?? 'Budgets may be changed again.', ...since, ...anew];
  return { frozen, recorded: true, file: false, sentences };
}

function heldByRun(): Error {
  const words = 'Cannot unfreeze: a run is writing to the database. Try again in a moment.';
  return Object.assign(new Error(words), { code: 'SQLITE_BUSY' });
}
