import { type BigIntStats, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { InputError } from '../../../domain/errors.ts';

interface NextSteps {
  readonly link: string;
  readonly other: string;
}

const NAME_A_FILE: NextSteps = { link: 'Name a file.', other: 'Name a file.' };

/** Resolves a symbolic link. Throws `InputError` if the link is broken, or if the path exists and is not a file. */
export function fileBehind(path: string, nextSteps = NAME_A_FILE): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return path;
  const found = statsBehind(path);
  if (found === undefined) {
    const message = `${path} is a link, but its target ${readlinkSync(path)} does not exist.`;
    throw new InputError(message, { nextStep: nextSteps.link });
  }
  if (!found.isFile()) {
    const message = `${path} is ${found.isDirectory() ? 'a folder' : 'not a file'}.`;
    throw new InputError(message, { nextStep: nextSteps.other });
  }
  return entry.isSymbolicLink() ? realpathSync(path) : path;
}

/** Returns undefined for a missing file or a circular link. */
export function statsBehind(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

const ANEW = 'Without a copy, run pacekeeper adopt to take over the record of warehouse.sqlite.';
const STATE_STEPS: NextSteps = {
  link: `Restore the target of the link: mount its disk, for example. Or remove the link and put a copy back with pacekeeper restore FILE. ${ANEW}`,
  other: `Move it away, and put a copy back with pacekeeper restore FILE. ${ANEW}`,
};

/** Throws `InputError` for a broken link. Otherwise SQLite would create an empty file at the link's target. */
export function stateFileBehind(path: string): string {
  return fileBehind(path, STATE_STEPS);
}

/** The returned function reports a removed or replaced file, because locks on such a file have no effect. */
export function watchFiles(paths: readonly string[]): () => string | undefined {
  const watched = paths.map((path) => ({ path, was: identityOf(path) }));
  return () => {
    const gone = watched.find(({ path, was }) => identityOf(path) !== was);
    return gone && `${basename(gone.path)} was removed or replaced while this process was running`;
  };
}

function identityOf(path: string): string {
  const found = statsBehind(path);
  return found === undefined ? 'none' : `${found.dev} ${found.ino}`;
}

/** Another text after each change of one of the files. */
export function standingOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = statsBehind(path);
      return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
    })
    .join();
}
