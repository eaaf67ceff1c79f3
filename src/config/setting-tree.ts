import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type * as z from 'zod';
import { InputError } from '../domain/errors.ts';
import { type Facts, type Place, placeOf, type Secrecy } from './declared/declare.ts';
import { SECTIONS, settingsSchema } from './settings.ts';

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

export type Path = readonly (string | number)[];

export function isGroup(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One setting as it was declared, and its place. */
export interface Setting {
  /** Keys with dots between, `<name>` for a key that the user chooses, `[]` behind the name of a list of groups. */
  readonly at: string;
  /** The same; undefined for what the environment alone sets. */
  readonly path: string | undefined;
  readonly env: readonly string[];
  readonly secrecy: Secrecy;
  /** Markdown; empty where the setting before says it. */
  readonly meaning: string;
  /** The value without it, as Markdown; undefined where it must be there. */
  readonly without: string | undefined;
  /** Used with a live target only. */
  readonly isLive: boolean;
  readonly facts: Facts;
}

/** The settings of each section, as the section has them. */
export const LISTED = SECTIONS.map((section) => ({
  section,
  settings: Object.entries(section.keys).flatMap(([key, schema]) => [...settingsBelow(schema, key, section.live)]),
}));

/**
 * Every setting there is, in the order of the configuration page. The page, what `config show` prints, the descriptions of the
 * JSON Schema, what a message may repeat of the file, what is laid over it and which values are secret all follow from here.
 */
export const SETTINGS: readonly Setting[] = LISTED.flatMap(({ settings }) => settings);

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

/** What stands at the path in the file; undefined where there is no setting, and nothing is known of what stands there. */
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

/** Which values are given, and which of them by the environment. */
interface NamedValues {
  nameOf(path: Path): string | undefined;
  has(path: string): boolean;
}

/** The value at a path of a tree as it is read; undefined where there is none. */
export function valueAt(tree: unknown, path: Path): unknown {
  let found = tree;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[key];
  }
  return found;
}

/** A path as people write it: `schedule[0].cron`. */
export function keyOf(at: Path): string {
  return at.map((part, depth) => (typeof part === 'number' ? `[${part}]` : `${depth > 0 ? '.' : ''}${part}`)).join('');
}

/** As it is given, or else as it could be. */
export function nameAt(at: Path, given: NamedValues): string {
  const key = keyOf(at);
  return given.nameOf(at) ?? (given.has(key) ? key : (SETTINGS.find((setting) => setting.at === key)?.env[0] ?? key));
}

/** The settings that are secret; each stands at a path that the file's user does not choose. */
export const SECRET_SETTINGS = SETTINGS.filter(({ secrecy }) => secrecy === 'secret');
