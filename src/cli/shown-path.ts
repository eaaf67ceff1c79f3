import { relative } from 'node:path';

/** Relative where the path is below `folder`. */
export function shownPath(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : below;
}
