import { relative } from 'node:path';

/** A path as the user would type it in `folder`, where that is shorter. */
export function shownPath(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : below;
}
