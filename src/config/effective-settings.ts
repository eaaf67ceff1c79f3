import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import * as z from 'zod';
import { readYaml, type YamlPlaces } from '../yaml/read-yaml.ts';
import { type Environment, readEnvFile } from './environment.ts';
import { SETTINGS_QUOTING } from './hide-values.ts';
import { SETTINGS } from './registry/sections.ts';
import type { Setting, ValueKind } from './registry/setting.ts';
import { type Place, SETTING_TREE } from './setting-tree.ts';

/** A setting as it holds, for a person: secrets are hidden and telephone numbers masked. */
export interface EffectiveSetting {
  /** Its path with the keys and places of the file, or its name where only the environment sets it. */
  readonly key: string;
  readonly value: string;
  /** `default`, `pacekeeper.yaml:12`, `.env ADS_URL`, `environment ADS_URL`. */
  readonly from: string;
  /** Where it is set as well, and not used. */
  readonly instead: string | undefined;
}

export const HIDDEN = 'set (hidden)';

/**
 * Every setting that is not at its default; with `all` the others, too, but those that belong to a name or a place of a list. The
 * settings must have been read before: what is wrong with them is told there.
 */
export function effectiveSettings(
  folder: string,
  configFile: string,
  processEnv: Environment,
  all: boolean,
): EffectiveSetting[] {
  const inFile = settingsInFile(folder, configFile);
  const named = new Map<Setting, NamedValue>();
  const envFile = readEnvFile(folder);
  for (const setting of SETTINGS) {
    const found = namedValue(setting, processEnv, envFile);
    if (found) named.set(setting, found);
  }
  return entryByEntry(
    SETTINGS.flatMap((setting): EffectiveSetting[] => {
      const { path, value: kind } = setting;
      const written = inFile.filter((one) => one.path === path);
      const name = named.get(setting);
      if (name) {
        const key = path ?? name.name;
        return [{ key, value: shownValue(kind, name.value), from: name.from, instead: written[0]?.from }];
      }
      if (written.length > 0) return written.map(({ key, value, from }) => ({ key, value, from, instead: undefined }));
      if (!all || path === undefined || /[<[]/.test(path)) return [];
      const value = (setting.default ?? 'none').replaceAll('`', '');
      return [{ key: path, value, from: 'default', instead: undefined }];
    }),
  );
}

/** What belongs to one entry of a list stands together, at the place of the list's first: `schedule[0].name`, `schedule[0].cron`. */
function entryByEntry(settings: readonly EffectiveSetting[]): EffectiveSetting[] {
  const lists = new Map<string, number>();
  const ranked = settings.map((one, index) => {
    const [, list, entry] = /^(.*?)\[(\d+)\]\./.exec(one.key) ?? [];
    if (list === undefined) return { one, rank: index, entry: 0 };
    if (!lists.has(list)) lists.set(list, index);
    return { one, rank: lists.get(list) ?? index, entry: Number(entry) };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank || a.entry - b.entry).map(({ one }) => one);
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

function namedValue({ env = [] }: Setting, processEnv: Environment, envFile: Environment): NamedValue | undefined {
  for (const name of env) {
    const outer = processEnv[name]?.trim();
    if (outer) return { name, value: outer, from: `environment ${name}` };
    const inner = envFile[name]?.trim();
    if (inner) return { name, value: inner, from: `.env ${name}` };
  }
  return undefined;
}

interface WrittenSetting {
  /** As the registry has it. */
  readonly path: string;
  readonly key: string;
  readonly value: string;
  readonly from: string;
}

function settingsInFile(folder: string, configFile: string): WrittenSetting[] {
  if (!existsSync(configFile)) return [];
  const reading = readYaml(readFileSync(configFile, 'utf8'), z.unknown(), SETTINGS_QUOTING);
  if (reading.kind !== 'ok') return [];
  const inside = relative(folder, configFile);
  const file = inside.startsWith('..') ? configFile : inside;
  return [...walk(reading.value, SETTING_TREE, { at: [], path: '' }, reading.places, file)];
}

/** Where the walk stands: in the file, and in the registry. */
interface Position {
  readonly at: readonly (string | number)[];
  readonly path: string;
}

function* walk(
  value: unknown,
  place: Place,
  { at, path }: Position,
  places: YamlPlaces,
  file: string,
): Generator<WrittenSetting> {
  if (typeof place === 'string') {
    const parts = (Array.isArray(value) ? value : [value]).map((part) => shownValue(place, String(part)));
    const { line } = places.spanOf(at).start;
    yield { path, key: keyOf(at), value: [...new Set(parts)].join(', '), from: `${file}:${line}` };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const index = Array.isArray(value) ? Number(key) : key;
    const below = belowOf(place, path, key);
    if (below) yield* walk(inner, below.place, { at: [...at, index], path: below.path }, places, file);
  }
}

const CHOSEN = new Map(
  SETTINGS.flatMap(({ path = '' }) =>
    [...path.matchAll(/<\w+>/g)].map((match) => [path.slice(0, Math.max(0, match.index - 1)), match[0]] as const),
  ),
);

function belowOf(place: Exclude<Place, string>, path: string, key: string): { place: Place; path: string } | undefined {
  const join = (step: string) => (path === '' ? step : `${path}.${step}`);
  switch (place.kind) {
    case 'list':
      return { place: place.place, path: `${path}[]` };
    case 'each': {
      // Names in place of one value have no step of their own in the registry.
      const chosen = CHOSEN.get(path);
      return { place: place.place, path: chosen === undefined ? path : join(chosen) };
    }
    case 'group': {
      const found = place.keys.get(key);
      return found && { place: found, path: join(key) };
    }
    default:
      return undefined;
  }
}

function keyOf(at: readonly (string | number)[]): string {
  return at.map((part, depth) => (typeof part === 'number' ? `[${part}]` : `${depth > 0 ? '.' : ''}${part}`)).join('');
}

function shownValue(kind: ValueKind, value: string): string {
  if (kind === 'secret') return HIDDEN;
  if (kind === 'number') return value.replace(/(\d{2})\d+(\d{2})(?!\d)/g, '$1…$2');
  return kind === 'address' && !isHarmlessAddress(value) ? HIDDEN : value;
}

function isHarmlessAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === '';
}
