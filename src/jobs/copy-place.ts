import { existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../domain/errors.ts';
import { JOURNALS, removeDatabase } from '../files/journals.ts';
import { isHeld } from '../store/copy-database.ts';

/** File systems take 255 bytes; while a copy is made its name has some more: `ownNextPath`. */
const NAME_BYTES_MAX = 200;

/** Throws `InputError` for a path of which a part is longer than a copy's name may be. */
export function refuseLongName(path: string): void {
  const long = path.split(/[\\/]/).find((name) => Buffer.byteLength(name) > NAME_BYTES_MAX);
  if (long === undefined) return;
  throw new InputError(`${long.slice(0, 20)}… is a name of ${Buffer.byteLength(long)} bytes.`, {
    nextStep: `Name a file, or a folder, of at most ${NAME_BYTES_MAX} bytes.`,
  });
}

/** Makes a folder for copies, which is for its owner only; one that is there stays as it is. Throws `InputError`. */
export function makeFolder(folder: string): void {
  const absent: string[] = [];
  for (let place = folder; !existsSync(place) && dirname(place) !== place; place = dirname(place))
    absent.unshift(place);
  try {
    // One by one: Node's own way of making all of them tries for ever where the system says that a parent is not there.
    for (const place of absent) if (!existsSync(place)) mkdirSync(place, { mode: 0o700 });
  } catch (cause) {
    if (isFolder(folder)) return;
    throw new InputError(`${folder} cannot be made: ${cause instanceof Error ? cause.message : cause}.`, {
      nextStep: 'Name another place.',
      cause,
    });
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // What stands below a file cannot be looked at, and is no folder either.
    return false;
  }
}

const LEFT = new RegExp(`^(\\.(.+)\\.[0-9a-f]{12}\\.next)(?:${JOURNALS.join('|')})?$`);
const COPY_NAME = /^state-.*\.sqlite$/;
/** Nobody leaves a copy that he makes alone for as long. */
const LEFT_ALONE_MS = 3_600_000;

/**
 * Removes what backups that were killed left beside `path`: copies under names of `ownNextPath` that nobody has open
 * and nobody wrote to for an hour, by the clock of the disk, which also dated `next`.
 */
export function removeAbandoned(path: string, next: string): void {
  const nowMs = statSync(next).mtimeMs;
  for (const entry of readdirSync(dirname(path))) {
    const [, name, of = ''] = LEFT.exec(entry) ?? [];
    if (name === undefined || (of !== basename(path) && !COPY_NAME.test(of))) continue;
    const left = join(dirname(path), name);
    const found = lstatSync(join(dirname(path), entry), { throwIfNoEntry: false });
    if (found?.isFile() && nowMs - found.mtimeMs > LEFT_ALONE_MS && !isHeld(left)) removeDatabase(left);
  }
}
