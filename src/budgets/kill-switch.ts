import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frozen } from '../domain/frozen.ts';
import type { Clock } from '../domain/ports.ts';
import { asRecorded, type ShowInstant } from '../domain/wording.ts';
import { appendEvent, newestEvent } from '../store/budgets/event-table.ts';
import { adoptionHold, freezeState } from '../store/budgets/freeze-record.ts';
import { isBusy } from '../store/is-busy.ts';
import type { RecordStore, StateDb } from '../store/record-store.ts';

export interface KillSwitch {
  /** Returns the reason for a freeze, or undefined. Reads a file, so call outside transactions. */
  frozen(show?: ShowInstant): Promise<string | undefined>;
  standing(): Promise<Frozen | undefined>;
  /** The reason if files of this process were moved or replaced. No person can lift this freeze. */
  movedAway(): Promise<string | undefined>;
}

interface Deps {
  readonly state: RecordStore;
  readonly clock: Clock;
  /** True if the process of the run records when its file appears. */
  readonly isWorker?: boolean;
}

const FILE = 'FREEZE';

export function freezeFile(dataFolder: string): string {
  return join(dataFolder, FILE);
}

const REASON_LENGTH_MAX = 200;
const READ_BYTES_MAX = 4096;
const ACTOR = `the file ${FILE}`;

/** Even an unreadable `FREEZE` file freezes budgets. An event records when the file appears or disappears. */
export function killSwitch(
  deps: Deps,
  dataFolder: string,
  movedAway: () => Promise<string | undefined> = async () => undefined,
): KillSwitch {
  const path = freezeFile(dataFolder);
  const moved = async () => {
    const words = await movedAway();
    return words && `frozen: ${words}`;
  };
  const standing = async (show: ShowInstant = asRecorded): Promise<Frozen | undefined> => {
    const gone = await moved();
    if (gone !== undefined) return { why: gone, isLiftable: false };
    const byFile = await readFreezeFile(path);
    const event = await freezeState(deps.state.db);
    await recordWhenFree(deps, byFile);
    const hold = await adoptionHold(deps.state.db, deps.clock.now());
    const held = hold && `frozen until ${show(hold.until)}: ${hold.by} adopted the data folder`;
    const byPerson = event && `frozen by ${event.by} since ${show(event.at)}: ${harmless(event.why)}`;
    const why = byPerson ?? fileWords(byFile) ?? held;
    // No person can lift the hold after an adoption of the data folder.
    return why === undefined ? undefined : { why, isLiftable: hold === undefined };
  };
  return {
    movedAway: moved,
    frozen: async (show) => (await standing(show))?.why,
    standing: () => standing(),
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

/** If the database is busy, the next call records the event. */
async function recordWhenFree({ state, clock, isWorker }: Deps, firstLine: string | undefined): Promise<void> {
  if (state.isReadOnly || isWorker) return;
  const there = firstLine !== undefined;
  const isKnown = async (db: StateDb) => ((await newestEvent(db, FILE_EVENTS))?.kind === 'freeze_file_found') === there;
  try {
    if (await isKnown(state.db)) return;
    await state.db.transaction().execute(async (trx) => {
      if (await isKnown(trx)) return;
      const kind = there ? 'freeze_file_found' : 'freeze_file_gone';
      const detail: Record<string, string> = there ? { first_line: firstLine } : {};
      await appendEvent(trx, { intentId: undefined, kind, actor: ACTOR, detail }, clock.now());
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

const FILE_EVENTS = ['freeze_file_found', 'freeze_file_gone'] as const;
