import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { minuteText } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { Clock, Log, Pauses } from '../../domain/ports.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import { appendEvent, newestEvent } from '../../storage/records/budgets/event-table.ts';
import { adoptionHold, freezeState, recordFreeze } from '../../storage/records/budgets/freeze-record.ts';
import { isBusy } from '../../storage/records/is-busy.ts';
import type { RecordStore, StateDb } from '../../storage/records/record-store.ts';

export interface KillSwitch {
  /** Returns the reason for a freeze, or undefined. Reads a file, so call outside transactions. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  standing(show?: ShowInstant): Promise<Frozen | undefined>;
  /** The reason why this process may change nothing. No person can lift this freeze. */
  unfit(): Promise<string | undefined>;
}

interface Deps {
  readonly state: RecordStore;
  readonly clock: Clock;
}

const FILE = 'FREEZE';

export function freezeFile(dataFolder: string): string {
  return join(dataFolder, FILE);
}

const REASON_LENGTH_MAX = 200;
const READ_BYTES_MAX = 4096;
const ACTOR = `the file ${FILE}`;

/** Even an unreadable `FREEZE` file freezes budgets. `whyUnfit` says why this process may change nothing. */
export function killSwitch(
  deps: Deps,
  dataFolder: string,
  whyUnfit: () => Promise<string | undefined> = async () => undefined,
): KillSwitch {
  const path = freezeFile(dataFolder);
  const unfit = async () => {
    const words = await whyUnfit();
    return words && `frozen: ${words}`;
  };
  const standing = async (show: ShowInstant = minuteText): Promise<Frozen | undefined> => {
    const why = await unfit();
    if (why !== undefined) return { why, isLiftable: false };
    const byFile = await readFreezeFile(path);
    await recordWhenFree(deps, dataFolder, byFile);
    const event = await freezeState(deps.state.db);
    const hold = await adoptionHold(deps.state.db, deps.clock.now());
    const held = hold && `frozen until ${show(hold.until)}: ${hold.by} adopted the data folder`;
    const byPerson = event && `frozen by ${event.by} since ${show(event.at)}: ${harmless(event.why)}`;
    const found = fileWords(byFile) ?? byPerson ?? held;
    // No person can lift the hold after an adoption of the data folder.
    return found === undefined ? undefined : { why: found, isLiftable: hold === undefined };
  };
  return {
    unfit,
    frozen: async (show) => (await standing(show))?.why,
    standing,
  };
}

export async function frozenByFile(dataFolder: string): Promise<Frozen | undefined> {
  const why = fileWords(await readFreezeFile(freezeFile(dataFolder)));
  return why === undefined ? undefined : { why, isLiftable: true };
}

function fileWords(firstLine: string | undefined): string | undefined {
  if (firstLine === undefined) return undefined;
  return firstLine === '' ? `frozen by ${ACTOR}` : `frozen by ${ACTOR}: ${firstLine}`;
}

/** The first line of the file. Empty if unreadable, undefined without a file. */
async function readFreezeFile(path: string): Promise<string | undefined> {
  try {
    await lstat(path);
  } catch (error) {
    // Only a proven absence of the file means "not frozen".
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return '';
  }
  try {
    // Without O_NONBLOCK, opening a pipe would block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return '';
      const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES_MAX), 0, READ_BYTES_MAX, 0);
      const text = buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
      return harmless(text.split(/\r\n|\r|\n/, 1)[0] ?? '');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** Replaces control characters and invisible signs with blanks, and cuts long text. */
function harmless(text: string): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= REASON_LENGTH_MAX ? plain : `${characters.slice(0, REASON_LENGTH_MAX).join('')}…`;
}

/** If the database is busy, the next call records the file. */
async function recordWhenFree(deps: Deps, dataFolder: string, firstLine: string | undefined): Promise<void> {
  const { state } = deps;
  if (state.isReadOnly) return;
  try {
    if (state.server === undefined) await recordFile(deps, firstLine);
    else if (firstLine !== undefined) await freezeForAll(deps, dataFolder);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

async function recordFile({ state, clock }: Deps, firstLine: string | undefined): Promise<void> {
  const there = firstLine !== undefined;
  const isKnown = async (db: StateDb) => ((await newestEvent(db, FILE_EVENTS))?.kind === 'freeze_file_found') === there;
  if (await isKnown(state.db)) return;
  await state.db.transaction().execute(async (trx) => {
    if (await isKnown(trx)) return;
    const kind = there ? 'freeze_file_found' : 'freeze_file_gone';
    const detail: Record<string, string> = there ? { first_line: firstLine } : {};
    await appendEvent(trx, { intentId: undefined, kind, actor: ACTOR, detail }, clock.now());
  });
}

const FILE_EVENTS = ['freeze_file_found', 'freeze_file_gone'] as const;

/**
 * Only processes of its data folder see the file, but other folders share the records. So a process that finds it records
 * a freeze, which every process reads before each request. Nobody else can say that the file is gone: only `unfreeze` ends
 * this freeze. It removes its file before it commits, so the file is read again in the transaction. A file that still stands
 * in another folder freezes again.
 */
export async function freezeForAll({ state, clock }: Deps, dataFolder: string): Promise<void> {
  if ((await freezeState(state.db)) !== undefined) return;
  await state.db.transaction().execute(async (trx) => {
    const firstLine = await readFreezeFile(freezeFile(dataFolder));
    if (firstLine === undefined || (await freezeState(trx)) !== undefined) return;
    const by = `${ACTOR} on ${hostname()} (${resolve(dataFolder)})`;
    await recordFreeze(trx, { by, why: firstLine || 'no reason given' }, clock.now());
  });
}

interface Watching extends Pick<Deps, 'clock'> {
  readonly log: Log;
  readonly pauses: Pauses;
  open(): Promise<RecordStore>;
}

const LOOK_MS = 1000;

/** Until a stop, also while this process only reads or waits, because others may be changing budgets. */
export async function watchFreezeFile(watching: Watching, dataFolder: string, until: AbortSignal): Promise<void> {
  const { open, clock, log, pauses } = watching;
  for (let isLogged = false; !until.aborted; await pauses.pause(LOOK_MS, until)) {
    if ((await readFreezeFile(freezeFile(dataFolder))) === undefined) continue;
    try {
      const state = await open();
      await freezeForAll({ state, clock }, dataFolder).finally(() => state.close());
    } catch (error) {
      if (!isLogged)
        log.warn(`The file ${FILE} stops only this data folder now: ${error instanceof Error ? error.message : error}`);
      isLogged = true;
    }
  }
}
