import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type * as z from 'zod';
import { InputError } from '../domain/errors.ts';
import { type Facts, type Place, placeOf, type Secrecy } from '../language/settings/declare.ts';
import { SECTIONS, settingsSchema } from './settings.ts';

/** An empty value counts as missing. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable NAME of a secret can be given as NAME_FILE, the path of a file with the secret. */
export const FILE_SUFFIX = '_FILE';

/** `folder` is that of the settings file. The process's environment wins over `.env`. Reads the secrets that are in files. */
export function readEnvironment(folder: string, processEnv: Environment): Environment {
  const named = Object.fromEntries(Object.entries(processEnv).filter(([, value]) => value?.trim()));
  const found: Record<string, string | undefined> = { ...readEnvFile(folder), ...named };
  for (const name of SECRET_NAMES) {
    const fileName = name + FILE_SUFFIX;
    if (named[name] && !named[fileName]) delete found[fileName];
    if (named[fileName] && !named[name]) delete found[name];
    const file = found[fileName]?.trim();
    if (!file) continue;
    if (found[name]?.trim()) {
      throw new InputError(`Found both ${name} and ${fileName}, expected one of them.`, {
        nextStep: 'Remove one of them from the environment or from .env.',
      });
    }
    found[name] = secretIn(resolve(folder, file), fileName);
  }
  return found;
}

/** Errors never repeat the content. */
function secretIn(path: string, name: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new InputError(
      `${name} names ${path}, which cannot be read: found ${(cause as NodeJS.ErrnoException).code}, expected a file with the secret.`,
      { nextStep: `Correct ${name}, or let this user read the file.`, cause },
    );
  }
  if (text.trim() !== '') return text;
  throw new InputError(`${name} names ${path}, which is empty: expected a file with the secret.`, {
    nextStep: `Write the secret into the file, or remove ${name}.`,
  });
}

/** Empty if there is no file. Paths in the file are relative to its folder. Throws `InputError` for an unreadable file. */
export function readEnvFile(folder: string): Environment {
  const path = join(folder, '.env');
  try {
    const found = parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    for (const name of PATH_NAMES) if (found[name]?.trim()) found[name] = resolve(folder, found[name].trim());
    return found;
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ENOENT') return {};
    throw new InputError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, {
      nextStep: 'Check that it is a file and that this user can read it.',
      cause,
    });
  }
}

export type Path = readonly (string | number)[];

export function isGroup(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Setting {
  /** Example: `schedule[].name`. */
  readonly at: string;
  readonly path: string | undefined;
  readonly env: readonly string[];
  readonly secrecy: Secrecy;
  /** Markdown. */
  readonly meaning: string;
  /** The default, as Markdown. Undefined for a required setting without a default. */
  readonly without: string | undefined;
  readonly isLive: boolean;
  readonly facts: Facts;
}

export const LISTED = SECTIONS.map((section) => ({
  section,
  settings: Object.entries(section.keys).flatMap(([key, schema]) => [...settingsBelow(schema, key, section.live)]),
}));

/** Documentation, JSON Schema and redaction derive from these settings. */
export const SETTINGS: readonly Setting[] = LISTED.flatMap(({ settings }) => settings);

const PATH_NAMES = SETTINGS.flatMap(({ env, facts }) => (facts.isPath ? env : []));

function* settingsBelow(schema: z.ZodType, at: string, live: boolean): Generator<Setting> {
  const place = placeOf(schema);
  switch (place.kind) {
    case 'group':
      for (const [key, inner] of Object.entries(place.keys)) yield* settingsBelow(inner, `${at}.${key}`, live);
      return;
    case 'list':
      return yield* settingsBelow(place.of, `${at}[]`, live);
    case 'each':
      return yield* settingsBelow(place.of, `${at}.${place.name}`, live);
    default: {
      const { facts, meaning } = place;
      yield {
        at,
        path: facts.environmentOnly ? undefined : at,
        env: facts.env ?? [],
        secrecy: facts.secrecy ?? 'shown',
        meaning,
        without: withoutIt(facts),
        isLive: live && !facts.bothTargets,
        facts,
      };
    }
  }
}

function withoutIt({ without, default: value, required }: Facts): string | undefined {
  if (without !== undefined) return without;
  if (value === undefined) return required ? undefined : 'none';
  return typeof value === 'string' ? `\`${value}\`` : String(value);
}

export function placeAt(path: Path): Place | undefined {
  let place: Place | undefined = placeOf(settingsSchema);
  for (const [depth, part] of path.entries()) {
    place = below(place, part, depth === path.length - 1);
    if (place === undefined) return undefined;
  }
  return place;
}

function below(place: Place, part: string | number, isLast: boolean): Place | undefined {
  if (place.kind === 'list') return typeof part === 'number' ? placeOf(place.of) : undefined;
  if (place.kind === 'setting') {
    const { named, ...facts } = place.facts;
    const isOne = named === undefined ? typeof part === 'number' : typeof part === 'string' && named.test(part);
    return isOne && isLast ? { ...place, facts } : undefined;
  }
  if (typeof part === 'number') return undefined;
  if (place.kind === 'each') return place.shown.test(part) ? placeOf(place.of) : undefined;
  const inner = Object.hasOwn(place.keys, part) ? place.keys[part] : undefined;
  return inner && placeOf(inner);
}

export function valueAt(tree: unknown, path: Path): unknown {
  let found = tree;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[key];
  }
  return found;
}

export function keyOf(at: Path): string {
  return at.map((part, depth) => (typeof part === 'number' ? `[${part}]` : `${depth > 0 ? '.' : ''}${part}`)).join('');
}

export const SECRET_SETTINGS = SETTINGS.filter(({ secrecy }) => secrecy === 'secret');
const SECRET_NAMES = SECRET_SETTINGS.flatMap(({ env }) => env);

/** All names of variables that pacekeeper reads as settings. */
export const VARIABLES: readonly string[] = [
  ...SETTINGS.flatMap(({ env }) => env),
  ...SECRET_NAMES.map((name) => name + FILE_SUFFIX),
];
