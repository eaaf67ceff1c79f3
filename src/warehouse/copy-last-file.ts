import { constants, copyFileSync, statSync } from 'node:fs';

/**
 * Copies the file that was published last, unless anybody wrote to it since: what it holds would not be known. Answers
 * whether it did. Where the file system can, the copy shares the file's blocks until they are written to.
 */
export function copyLastFile(path: string, next: string, stamp: string): boolean {
  try {
    if (stampOf(path) !== stamp) return false;
    copyFileSync(path, next, constants.COPYFILE_FICLONE);
    return true;
  } catch {
    // It is gone, or cannot be read.
    return false;
  }
}

/** A file's size and the moment it was last written to. */
export function stampOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}
