import { existsSync } from 'node:fs';

/** The folder of package.json: the sources lie deeper in it than the built program does. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}
