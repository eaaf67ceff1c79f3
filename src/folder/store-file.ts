import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';

const storeFile = ({ paths }: Settings) => join(paths.data, 'store.txt');

/** So that no later command begins a second record in files of this folder. */
export function rememberStore(settings: Settings, where: string): void {
  if (rememberedStore(settings) === where) return;
  mkdirSync(settings.paths.data, { recursive: true, mode: 0o755 });
  writeFileSync(storeFile(settings), `${where}\n`);
}

/** The address of the database to which the data folder belongs. Undefined for a folder with its own files. */
export function rememberedStore(settings: Settings): string | undefined {
  const path = storeFile(settings);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
