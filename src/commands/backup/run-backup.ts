import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { verifyAudit } from '../../engine/budgets/verify-audit.ts';
import { existingState } from '../../engine/folder/store-file.ts';
import { JOURNALS, journalsOf, removeDatabase } from '../../storage/files/journals.ts';
import { ownNextPath, replaceDatabase, takeName } from '../../storage/files/replace-file.ts';
import { type StateSummary, summariseState } from '../../storage/records/runs/run-history.ts';
import { copyDatabase, isHeld, notCopied } from '../../storage/records/sqlite/copy-database.ts';
import { fileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { lookAtState, NOTHING_YET } from '../../storage/records/sqlite/look-at-state.ts';
import { openStateToLook } from '../../storage/records/sqlite/open-state.ts';
import { countEvents } from '../../storage/records/sqlite/state-past.ts';
import { count, wrapText } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { harmless, type Output, textLayout } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { BackupOptions } from './backup-command.ts';

/** Returns 1 if the record of budget changes in the copy is damaged. */
export async function runBackup(app: CommandApp, { where, force = false }: BackupOptions): Promise<number> {
  const { folder, settings, clock, output } = app;
  refuseEmptyPlace(where, 'Name a file or a folder: pacekeeper backup backups/');
  // `resolve` removes a trailing slash, but the slash shows that the path is a folder.
  const place = `${resolve(folder, where)}${/[\\/]$/.test(where) ? '/' : ''}`;
  const result = await backupState(settings, clock, place, { force });
  tellSentences(output, sentencesOf(result, shownPath(folder, result.path)));
  return result.held === undefined || result.held.unproven.length === 0 ? EXIT.done : EXIT.failed;
}

/** An unset variable gives an empty path, which would mean the current folder. */
export function refuseEmptyPlace(place: string, nextStep: string): void {
  if (place.trim() !== '') return;
  throw new InputError('The backup path is empty. Is the variable set?', { nextStep });
}

export function tellSentences(output: Output, sentences: readonly (string | undefined)[]): void {
  const { width } = textLayout(output);
  const lines = sentences.flatMap((text) => (text === undefined ? [] : wrapText(harmless(text), width, '', '  ')));
  output.stdout.write(`${lines.join('\n')}\n`);
}

function sentencesOf({ bytes, version, held }: BackupResult, path: string): (string | undefined)[] {
  return [
    `${path}: ${bytes.toLocaleString('en-US')} bytes, all pages and indexes intact, version ${version}.`,
    held ? recordWords(held) : 'The copy has another version, so its record of budget changes was not checked.',
    held && newestRunWords(held),
    'Not included: your settings, queries, rules, .env, and answers from phones that wait in inbox.sqlite for pacekeeper serve. Files made by pacekeeper publish need no copy.',
  ];
}

export function recordWords({ events, head, unproven }: CopyContents): string {
  if (unproven.length === 0) {
    return `pacekeeper verified its record of budget changes: ${count(events, 'event')} in one unbroken chain, last hash ${head.slice(0, 12)}.`;
  }
  return `The record of budget changes in the copy is NOT sound: ${unproven[0]} To see all problems, run pacekeeper audit verify.`;
}

export function newestRunWords({ run }: Pick<CopyContents, 'run'>): string {
  return run === undefined
    ? 'It contains no run.'
    : `The newest run in it is ${run.id}, started ${minuteText(run.startedAt)}.`;
}

interface BackupResult {
  readonly path: string;
  readonly bytes: number;
  readonly version: string;
  /** Undefined if only another version of pacekeeper can read the copy. */
  readonly held: CopyContents | undefined;
}

export interface CopyContents extends StateSummary {
  readonly events: number;
  readonly head: string;
  readonly unproven: readonly string[];
}

/** Throws `InputError` for an unusable path, and SQLite's error for a damaged file. */
async function backupState(
  settings: Settings,
  clock: Clock,
  where: string,
  { force }: { readonly force: boolean },
): Promise<BackupResult> {
  const from = existingState(settings);
  const toFolder = /[\\/]$/.test(where) || isFolder(where);
  if (!toFolder) refuseBelowFile(where);
  const first = toFolder ? join(where, `state-${fileTime(clock)}.sqlite`) : fileBehind(where);
  refuseOwnFile(first, from, settings);
  if (!toFolder && !force && existsSync(first)) throw alreadyThere(first);
  if (!toFolder && !force) refuseJournals(first);
  makeFolder(dirname(first));
  const next = ownNextPath(first);
  await copyDatabase(from, next, first);
  try {
    removeAbandoned(first, next);
    const found = await readCopy(next, from);
    if (!toFolder && force) refuseEmptier(next, first, from);
    const { size } = statSync(next);
    const path = toFolder ? takeName(next, namesFrom(first)) : placed(next, first, force);
    if (path === undefined) throw alreadyThere(first);
    return { ...found, path, bytes: size };
  } finally {
    removeDatabase(next);
  }
}

function refuseBelowFile(where: string): void {
  const folder = dirname(where);
  if (existsSync(folder) && !isFolder(folder)) {
    throw new InputError(`${folder} is a file, expected a folder.`, { nextStep: 'Choose another path.' });
  }
}

function placed(next: string, path: string, force: boolean): string | undefined {
  if (!force) return takeName(next, [path]);
  replaceDatabase(next, path);
  return path;
}

function* namesFrom(first: string): Generator<string> {
  yield first;
  for (let count = 2; ; count++) yield first.replace(/\.sqlite$/, `-${count}.sqlite`);
}

function alreadyThere(path: string): InputError {
  return new InputError(`${path} already exists, and it may be your only copy.`, {
    nextStep: 'Name another file, or a folder where each copy gets its own name. --force replaces the file.',
  });
}

/** SQLite would read journals of another file as part of the copy. */
function refuseJournals(path: string): void {
  const [left] = journalsOf(path);
  if (left === undefined) return;
  throw new InputError(`${left} is left over from another file. SQLite would read it as part of the copy.`, {
    nextStep: 'Name another file, or move the leftover file away.',
  });
}

/** A copy without events must not replace a backup with events. */
function refuseEmptier(next: string, path: string, from: string): void {
  if (!existsSync(path) || countEvents(next) !== 0) return;
  const events = countEvents(path) ?? 0;
  if (events === 0) return;
  const counted = `${events.toLocaleString('en-US')} ${events === 1 ? 'event' : 'events'}`;
  throw new InputError(`${path} holds ${counted} of the record of budget changes, but ${from} has none.`, {
    nextStep:
      'Name another file, or a folder where each copy gets its own name. If state.sqlite was lost, run pacekeeper restore FILE.',
  });
}

/** Messages show the text `named` instead of the path. */
export async function readCopy(path: string, named: string): Promise<Pick<BackupResult, 'version' | 'held'>> {
  const look = lookAtState(path, 'thorough');
  if (look.kind === 'damaged' || look.kind === 'unreadable') {
    throw notCopied(`${named} is ${look.kind}: ${look.reason}`, 'SQLITE_CORRUPT');
  }
  const { version } = look;
  if (version === NOTHING_YET) {
    throw notCopied(`${named} is empty: it holds no pacekeeper tables`, 'SQLITE_NOTADB');
  }
  if (look.kind !== 'sound') return { version, held: undefined };
  return { version, held: await readContents(path) };
}

export async function readContents(path: string): Promise<CopyContents> {
  const state = await openStateToLook(path, 1000);
  try {
    const { events, head, broken, differences } = await verifyAudit(state);
    const unproven = [...broken.map(({ sentence }) => sentence), ...differences];
    return { ...(await summariseState(state)), events, head: head.hash, unproven };
  } finally {
    await state.close();
  }
}

/** A time without colons, because some systems do not allow colons in file names. */
export function fileTime(clock: Clock): string {
  return instantText(clock.now()).replaceAll(':', '');
}

function refuseOwnFile(path: string, from: string, { paths }: Settings): void {
  const isSame = (one: string, other: string) => existsSync(one) && realpathSync(one) === realpathSync(other);
  const isIn = isSame(dirname(resolve(path)), paths.data) && !/^state-.*\.sqlite$/.test(basename(path));
  if (!isIn && !isSame(path, from)) return;
  const why = isIn ? 'is in the data folder. Copies there must be named state-….sqlite' : 'is the file in use';
  throw new InputError(`${path} ${why}.`, {
    nextStep: 'Name a folder outside the data folder, ideally on another disk: pacekeeper backup backups/',
  });
}

/** Only the owner can read a new folder. Throws `InputError`. */
function makeFolder(folder: string): void {
  const absent: string[] = [];
  for (let place = folder; !existsSync(place) && dirname(place) !== place; place = dirname(place))
    absent.unshift(place);
  try {
    // Node's recursive mkdir never returns if the system always answers ENOENT, as in /proc.
    for (const place of absent) if (!existsSync(place)) mkdirSync(place, { mode: 0o700 });
  } catch (cause) {
    if (isFolder(folder)) return;
    throw new InputError(`Cannot create ${folder}: ${cause instanceof Error ? cause.message : cause}.`, {
      nextStep: 'Choose another path.',
      cause,
    });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const LEFT = new RegExp(`^(\\.(.+)\\.[0-9a-f]{12}\\.next)(?:${JOURNALS.join('|')})?$`);
const COPY_NAME = /^state-.*\.sqlite$/;
/** In milliseconds. A running backup writes more often. */
const LEFT_ALONE_MS = 3_600_000;

/** Removes copies that killed backups left behind. */
function removeAbandoned(path: string, next: string): void {
  const nowMs = statSync(next).mtimeMs;
  for (const entry of readdirSync(dirname(path))) {
    const [, name, of = ''] = LEFT.exec(entry) ?? [];
    if (name === undefined || (of !== basename(path) && !COPY_NAME.test(of))) continue;
    const left = join(dirname(path), name);
    const found = lstatSync(join(dirname(path), entry), { throwIfNoEntry: false });
    if (found?.isFile() && nowMs - found.mtimeMs > LEFT_ALONE_MS && !isHeld(left)) removeDatabase(left);
  }
}
