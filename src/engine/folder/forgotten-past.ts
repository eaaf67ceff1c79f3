import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { parseHead, type RecordHead } from '../../storage/records/budgets/record-head.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { type StatePast, statePast } from '../../storage/records/sqlite/state-past.ts';
import { type PublishedPast, publishedPast } from '../../storage/warehouse/sqlite/published-file.ts';
import { recordedRuns } from '../schedule/read-schedule.ts';
import { runFolder, warehousePath } from './folder-paths.ts';
import { statePath } from './store-file.ts';

export interface FolderPast {
  readonly published: PublishedPast | undefined;
  readonly lastRunFile: bigint;
  readonly scheduled: { readonly count: number; readonly lastRun: bigint };
}

export function folderPast(dataFolder: string): FolderPast {
  return {
    published: publishedPast(warehousePath(dataFolder)),
    lastRunFile: lastRunFile(dataFolder),
    scheduled: recordedRuns(dataFolder),
  };
}

export function lastRunKnown({ published, lastRunFile, scheduled }: FolderPast): bigint {
  return highest([published?.newestRun?.id ?? 0n, lastRunFile, scheduled.lastRun]);
}

const RUN_FILE = /^(\d{1,18})\.json$/;

export function runFiles(dataFolder: string): bigint[] {
  try {
    return readdirSync(runFolder(dataFolder))
      .flatMap((name) => RUN_FILE.exec(name)?.[1] ?? [])
      .map(BigInt);
  } catch {
    return [];
  }
}

/** The highest run number of the files in `runs`, or 0 without files. */
export function lastRunFile(dataFolder: string): bigint {
  return highest(runFiles(dataFolder));
}

/** `id` is 0 without files. `head` is the end of the audit trail after this run. */
export function newestRunFile(dataFolder: string): { readonly id: bigint; readonly head: RecordHead | undefined } {
  const id = lastRunFile(dataFolder);
  const path = join(runFolder(dataFolder), `${id}.json`);
  const file = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
  const head = (file as { readonly run?: { readonly record_head?: unknown } } | undefined)?.run?.record_head;
  return { id, head: typeof head === 'string' ? parseHead(head) : undefined };
}

/** Undefined if the state file has all earlier runs of the folder, or is unreadable. */
export function forgottenPast(settings: Settings): InputError | undefined {
  const path = statePath(settings);
  const { data } = settings.paths;
  // Reads the published file first, so that the state file is at least as new.
  const past = folderPast(data);
  const known = statePast(stateFileBehind(path), past.published);
  const reason = reasonOf(known, past, path);
  if (reason === undefined) return undefined;
  return new InputError(`${reason} Nothing was changed.`, { nextStep: NEXT_STEP });
}

const NEXT_STEP =
  'Put the newest copy back with pacekeeper restore FILE. Without a copy, run pacekeeper adopt to take over the record of warehouse.sqlite. Budgets then stay unchanged until every account has begun a new day.';

function reasonOf(known: StatePast, past: FolderPast, path: string): string | undefined {
  switch (known.kind) {
    case 'unreadable':
      return undefined;
    case 'known':
      if (known.lacks !== undefined)
        return `${path} lacks ${known.lacks.what} ${known.lacks.id} of warehouse.sqlite. It is an older copy, or belongs to another folder.`;
      if (past.lastRunFile > known.lastRun)
        return `${path} lacks run ${past.lastRunFile}, but runs/${past.lastRunFile}.json exists. It is an older copy, or belongs to another folder.`;
      return undefined;
    default: {
      const found = traces(past);
      if (found.length === 0) return undefined;
      return `${STANDING[known.kind](path)}, but the data folder was used before: found ${found.join('; ')}.`;
    }
  }
}

const STANDING = {
  missing: (path: string) => `There is no ${path}`,
  empty: (path: string) => `${path} is empty`,
  no_run: (path: string) => `${path} contains no run`,
} as const;

const highest = (ids: readonly bigint[]): bigint => ids.toSorted((one, other) => (one < other ? 1 : -1))[0] ?? 0n;

function traces({ published, lastRunFile, scheduled }: FolderPast): string[] {
  const change = published?.newestChange;
  const runs = published === undefined ? '' : published.runs === 1 ? '1 run' : `${published.runs} runs`;
  const changes = change ? `newest change B${change.id} of ${change.accountDay}` : 'no budget change';
  const hasRecord = published !== undefined && (published.runs > 0 || published.newestEvent !== undefined);
  return [
    ...(hasRecord ? [`warehouse.sqlite with ${runs} and ${changes}`] : []),
    ...(lastRunFile > 0n ? [`runs/${lastRunFile}.json`] : []),
    ...(scheduled.count > 0
      ? [`schedule.sqlite with ${scheduled.count === 1 ? '1 run' : `${scheduled.count} runs`}`]
      : []),
  ];
}
