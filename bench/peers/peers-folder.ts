import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The manifest of what is compared with, which has an installation of its own. Run from the project's folder. */
export const PEERS_MANIFEST = resolve('bench/peers/package.json');

const CLIENT = join(dirname(PEERS_MANIFEST), 'node_modules', 'google-ads-api', 'package.json');

/** The installed version of the community client; undefined when it is not installed. */
export function installedClient(): string | undefined {
  if (!existsSync(CLIENT)) return undefined;
  return (JSON.parse(readFileSync(CLIENT, 'utf8')) as { version: string }).version;
}
