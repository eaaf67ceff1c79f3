import { existsSync } from 'node:fs';

/** Sources are deeper below package.json than the built program. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}
