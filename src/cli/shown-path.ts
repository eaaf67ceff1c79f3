import { relative } from 'node:path';

/** The path for messages: relative to `folder` if the path is inside it, otherwise unchanged. */
export function shownPath(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : below;
}
