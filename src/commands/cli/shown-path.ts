import { relative } from 'node:path';

export function shownPath(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : below;
}
