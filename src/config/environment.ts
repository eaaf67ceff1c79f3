import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { InputError } from '../domain/errors.ts';

/** Names and values; a name without a value counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment over the folder's `.env`, when there is one. */
export function readEnvironment(folder: string, processEnv: Environment): Environment {
  const path = join(folder, '.env');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ENOENT') return processEnv;
    throw new InputError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, { cause });
  }
  const named = Object.entries(processEnv).filter(([, value]) => value?.trim());
  return { ...parseEnv(text.replace(/^\uFEFF/, '')), ...Object.fromEntries(named) };
}
