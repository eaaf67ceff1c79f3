import { readFileSync } from 'node:fs';
import { QUIETLY, SIZE_MAX } from '../language/yaml/parsing.ts';
import { configPath, type PathOptions, settingsFolder } from './folders.ts';
import { secretsIn } from './read-settings.ts';
import { type Environment, readEnvFile, readEnvironment, valueAt } from './setting-tree.ts';

export interface LastResort {
  readonly secrets: readonly string[];
  readonly logFormat: 'text' | 'json' | undefined;
  readonly startAtMs: number | undefined;
}

/** Never throws. Skips everything that cannot be read. */
export async function readLastResort(
  folder: string,
  options: PathOptions,
  processEnv: Environment,
): Promise<LastResort> {
  const beside = settingsFolder(folder, options);
  const envFile = envFileOf(beside);
  const file = await settingsOf(configPath(folder, options));
  const env = (name: string) => processEnv[name]?.trim() || envFile[name]?.trim() || undefined;
  const format = env('PACEKEEPER_LOG') ?? valueAt(file, ['log', 'format']);
  const startAtMs = Date.parse(env('PACEKEEPER_NOW') ?? '');
  return {
    secrets: secretsIn(file, processEnv, envFile, secretFilesOf(beside, processEnv)),
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

function secretFilesOf(folder: string, processEnv: Environment): Environment {
  try {
    return readEnvironment(folder, processEnv);
  } catch {
    return {};
  }
}

/** Ignores mistakes in the file, because an unfinished file can contain secrets too. */
async function settingsOf(path: string): Promise<unknown> {
  try {
    const text = readFileSync(path, 'utf8');
    const [{ parseDocument }, { beyondBounds }] = await Promise.all([
      import('yaml'),
      import('../language/yaml/parsing.ts'),
    ]);
    if (text.length > SIZE_MAX || beyondBounds(text) !== undefined) return undefined;
    return parseDocument(text, QUIETLY).toJS();
  } catch {
    return undefined;
  }
}
