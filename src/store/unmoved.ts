import { statSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Remembers which files these are. What it answers with names the first of them that is another one now, or none: what is
 * written to it then is read by nobody, and a lock on it keeps nobody out.
 */
export function watchFiles(paths: readonly string[]): () => string | undefined {
  const watched = paths.map((path) => ({ path, was: identityOf(path) }));
  return () => {
    const gone = watched.find(({ path, was }) => identityOf(path) !== was);
    return gone && `${basename(gone.path)} was removed or replaced while this process worked`;
  };
}

function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.dev} ${found.ino}`;
}
