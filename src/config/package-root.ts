import { existsSync, readFileSync } from 'node:fs';

/** Searches upwards, because sources and the built program have different depths. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return folder;
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8')) as { version: string };
  return version;
}
