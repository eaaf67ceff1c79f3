import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Settings } from '../../config/settings.ts';

/** Identifies the settings folder without revealing its path. */
export function folderMark({ paths }: Pick<Settings, 'paths'>): string {
  const folder = realpathSync(dirname(paths.config));
  return createHash('sha256').update(`${hostname()}\n${folder}`).digest('hex').slice(0, 12);
}
