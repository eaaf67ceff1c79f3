import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { InputError } from '../domain/errors.ts';

/** Names and values; a name without a value counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment over the folder's `.env`, when there is one. */
export function readEnvironment(folder: string, processEnv: Environment): Environment {
  const named = Object.entries(processEnv).filter(([, value]) => value?.trim());
  return { ...readEnvFile(folder), ...Object.fromEntries(named) };
}

/** What the folder's `.env` says; nothing where there is none. Throws `InputError` when it cannot be read. */
export function readEnvFile(folder: string): Environment {
  const path = join(folder, '.env');
  try {
    return parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ENOENT') return {};
    throw new InputError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, { cause });
  }
}
