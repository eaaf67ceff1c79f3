import { existsSync } from 'node:fs';

/** Searches upwards, because sources and the built program have different depths. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}
