import { readFileSync } from 'node:fs';
import { QUIETLY, SIZE_MAX } from '../yaml/parsing.ts';
import { configPath, type PathOptions, secretsIn } from './read-settings.ts';
import { type Environment, readEnvFile, valueAt } from './setting-tree.ts';

/** What an error is told by when the settings may be what is wrong. */
export interface LastResort {
  /** All of the environment, of `.env` and of the settings file that can be found. */
  readonly secrets: readonly string[];
  /** Undefined where nothing is said, or what is said cannot be read. */
  readonly logFormat: 'text' | 'json' | undefined;
  /** Instant, milliseconds, that the clock was given to begin with. */
  readonly startAtMs: number | undefined;
}

/** Never throws: what cannot be read is passed over, and the rest still counts. */
export async function readLastResort(
  folder: string,
  options: PathOptions,
  processEnv: Environment,
): Promise<LastResort> {
  const envFile = envFileOf(folder);
  const file = await settingsOf(configPath(folder, options));
  const env = (name: string) => processEnv[name]?.trim() || envFile[name]?.trim() || undefined;
  const format = env('PACEKEEPER_LOG') ?? valueAt(file, ['log', 'format']);
  const startAtMs = Date.parse(env('PACEKEEPER_NOW') ?? '');
  return {
    secrets: secretsIn(file, processEnv, envFile),
    logFormat: format === 'json' || format === 'text' ? format : undefined,
    startAtMs: Number.isNaN(startAtMs) ? undefined : startAtMs,
  };
}

function envFileOf(folder: string): Environment {
  try {
    return readEnvFile(folder);
  } catch {
    return {};
  }
}

/** What the file holds, as far as its text can be understood: an unfinished file has secrets, too. */
async function settingsOf(path: string): Promise<unknown> {
  try {
    const text = readFileSync(path, 'utf8');
    const [{ parseDocument }, { beyondBounds }] = await Promise.all([import('yaml'), import('../yaml/parsing.ts')]);
    if (text.length > SIZE_MAX || beyondBounds(text) !== undefined) return undefined;
    return parseDocument(text, QUIETLY).toJS();
  } catch {
    return undefined;
  }
}
