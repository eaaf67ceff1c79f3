import { existsSync } from 'node:fs';
import { targetOf } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { verifyAudit } from '../../engine/budgets/verify-audit.ts';
import { endOfOpenDays } from '../../engine/folder/end-of-open-days.ts';
import { type AdoptedRuns, engineOf } from '../../engine/folder/engine.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import { type FolderPast, folderPast, forgottenPast, lastRunKnown } from '../../engine/folder/forgotten-past.ts';
import { statePath } from '../../engine/folder/store-file.ts';
import { removeDatabase } from '../../storage/files/journals.ts';
import { nextPath } from '../../storage/files/replace-file.ts';
import { keepAllDecisions } from '../../storage/records/budgets/decision-projection.ts';
import { appendEvent } from '../../storage/records/budgets/event-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { checkTarget } from '../../storage/records/runs/target-table.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { lookAtState } from '../../storage/records/sqlite/look-at-state.ts';
import { openState, type StateFile } from '../../storage/records/sqlite/open-state.ts';
import { countRunsOnFrom } from '../../storage/records/sqlite/state-past.ts';
import { takeOverRecord } from '../../storage/warehouse/sqlite/take-over-record.ts';
import { count } from '../../views/text/text-layout.ts';
import { fileTime, tellSentences } from '../backup/run-backup.ts';
import { freeName, giveSecondName, putInPlace } from '../backup/run-restore.ts';
import type { CommandApp } from '../cli/command.ts';
import { actorOf, type NamedActor } from '../cli/person.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { AdoptOptions } from './adopt-command.ts';

export async function runAdopt(app: CommandApp<'folder'>, options: AdoptOptions): Promise<void> {
  const person = actorOf(options, app);
  const shown = (path: string) => shownPath(app.folder, path);
  const sentences = await app.open(async ({ settings, clock }) => {
    const { adopt, place } = await engineOf(settings);
    if (adopt === undefined) return sentencesOf(await adoptFolder(settings, clock, person), shown);
    return sentencesOfRuns((await adopt(person, clock.now())) ?? refuseWhole(place, settings), place);
  });
  tellSentences(app.output, sentences);
}

function sentencesOf(result: AdoptResult, shown: (path: string) => string): (string | undefined)[] {
  const { path, events, lastRun, frozenUntil, keptAs, published } = result;
  return [
    events === undefined
      ? `${shown(path)} starts empty, because no published file records past changes.`
      : `${shown(path)} holds the record of budget changes from warehouse.sqlite: ${count(events, 'event')} in one unbroken chain.`,
    keptAs && `The old state file is kept as ${shown(keptAs)}.`,
    published && `The old published file is kept as ${shown(published)}.`,
    ...nextWords(lastRun, frozenUntil),
    `next step: ${READ_AGAIN}`,
  ];
}

function sentencesOfRuns({ lastRun, frozenUntil, isFrozen }: AdoptedRuns, place: string): string[] {
  return [
    `${place} goes on without the lost runs. Their budget changes are not in the record. The files in runs/ still show them.`,
    ...nextWords(lastRun, frozenUntil),
    `next step: ${READ_AGAIN}${isFrozen ? ' When the accounts have begun a new day, run pacekeeper unfreeze --why "…".' : ''}`,
  ];
}

function nextWords(lastRun: bigint, frozenUntil: string): string[] {
  return [
    `The next run has the number ${lastRun + 1n}.`,
    `Budgets stay frozen until ${minuteText(frozenUntil)}. Then every account has begun a new day.`,
  ];
}

const READ_AGAIN = 'Run pacekeeper extract to read the days again. Then run pacekeeper audit verify.';

interface AdoptResult {
  readonly path: string;
  readonly events: number | undefined;
  readonly lastRun: bigint;
  readonly frozenUntil: string;
  /** The new path of the old state.sqlite. Undefined if there was no such file or it was empty. */
  readonly keptAs: string | undefined;
  readonly published: string | undefined;
}

/** Freezes budgets, because unpublished changes can exist. Throws `InputError` if nothing is lost. */
export async function adoptFolder(settings: Settings, clock: Clock, person: NamedActor): Promise<AdoptResult> {
  const path = stateFileBehind(statePath(settings));
  const past = folderPast(settings.paths.data);
  if (!isLost(settings, path, past)) {
    refuseWhole('state.sqlite', settings);
  }
  const next = nextPath(path);
  removeDatabase(next);
  try {
    const made = await makeState(next, settings, past, person, clock);
    const suffix = `before-adopt-${fileTime(clock)}`;
    const published = past.published && secondName(settings, `warehouse-${suffix}`);
    return { path: statePath(settings), ...made, published, keptAs: putInPlace(next, path, `state-${suffix}`) };
  } finally {
    removeDatabase(next);
  }
}

function refuseWhole(place: string, { paths }: Settings): never {
  throw new InputError(`Nothing to adopt: ${place} has the whole history of ${paths.data}.`, {
    nextStep: 'Run pacekeeper status to see its contents.',
  });
}

function isLost(settings: Settings, path: string, past: FolderPast): boolean {
  if (forgottenPast(settings) !== undefined) return true;
  const hasPast = past.published !== undefined || lastRunKnown(past) > 0n;
  return hasPast && existsSync(path) && lookAtState(path).kind === 'damaged';
}

async function makeState(
  next: string,
  settings: Settings,
  past: FolderPast,
  { by, why }: NamedActor,
  clock: Clock,
): Promise<Pick<AdoptResult, 'events' | 'lastRun' | 'frozenUntil'>> {
  const state = await openState(next);
  try {
    const events = past.published && (await takeOver(state, settings));
    const lastRun = lastRunKnown(past);
    countRunsOnFrom(state, lastRun);
    const frozenUntil = instantText(endOfOpenDays(await allAccounts(state.db), clock.now()));
    const detail = { why, events: events ?? 0, last_run: lastRun, frozen_until: frozenUntil };
    await appendEvent(state.db, { kind: 'adopted', actor: by, detail }, clock.now());
    return { events, lastRun, frozenUntil };
  } finally {
    await state.close();
  }
}

const PUT_BACK = 'Run pacekeeper restore FILE with a copy of state.sqlite, or put back an earlier warehouse.sqlite.';

async function takeOver(state: StateFile, settings: Settings): Promise<number> {
  const path = warehousePath(settings.paths.data);
  try {
    takeOverRecord(state, path);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    const nextStep = PUT_BACK;
    throw new InputError(`Cannot adopt ${path}: ${words}. Nothing was changed.`, { nextStep, cause });
  }
  await checkTarget({ ...state, path }, targetOf(settings));
  await keepAllDecisions(state.db);
  const { events, broken, differences } = await verifyAudit(state);
  const fault = broken[0]?.sentence ?? differences[0];
  if (fault === undefined) return events;
  throw new InputError(`The record of budget changes in ${path} is not sound: ${fault} Nothing was changed.`, {
    nextStep: PUT_BACK,
  });
}

/** The old warehouse.sqlite can contain days that no later run reads again. */
function secondName({ paths }: Settings, name: string): string {
  const kept = freeName(paths.data, name);
  giveSecondName(warehousePath(paths.data), kept);
  return kept;
}
