import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { type Place, placeOf, type Secrecy } from '../language/settings/declare.ts';
import { openYaml, type YamlPlaces } from '../language/yaml/read-yaml.ts';
import { SETTINGS_QUOTING } from './hide-values.ts';
import {
  type Environment,
  FILE_SUFFIX,
  isGroup,
  keyOf,
  type Path,
  readEnvFile,
  SETTINGS,
  type Setting,
} from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

export interface EffectiveSetting {
  readonly key: string;
  readonly value: string;
  /** Examples: `default`, `pacekeeper.yaml:12`, `.env ADS_URL`. */
  readonly from: string;
  /** Another source that also sets the key, but is ignored. */
  readonly instead: string | undefined;
}

type Found = Omit<EffectiveSetting, 'instead'>;

const HIDDEN = 'set (hidden)';

/** `all` adds defaults. Call `readSettings` first to report mistakes. */
export function effectiveSettings(
  folder: string,
  configFile: string,
  processEnv: Environment,
  all: boolean,
): EffectiveSetting[] {
  const inFile = settingsInFile(folder, configFile);
  const envFile = readEnvFile(dirname(configFile));
  return entryByEntry(
    SETTINGS.flatMap((setting): EffectiveSetting[] => {
      const { path, without } = setting;
      const written = inFile.filter((one) => one.path === path);
      const named = namedValue(setting, processEnv, envFile);
      if (named) return [{ ...named, instead: written[0]?.from }];
      if (written.length > 0) return written.map(({ key, value, from }) => ({ key, value, from, instead: undefined }));
      if (!all || path === undefined || /[<[]/.test(path)) return [];
      const value = (without ?? 'none').replaceAll('`', '');
      return [{ key: path, value, from: 'default', instead: undefined }];
    }),
  );
}

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

function namedValue({ env, path, secrecy }: Setting, processEnv: Environment, envFile: Environment): Found | undefined {
  for (const name of env) {
    const key = path ?? name;
    const names = secrecy === 'secret' ? [name, name + FILE_SUFFIX] : [name];
    const outer = names.find((one) => processEnv[one]?.trim());
    if (outer)
      return { key, value: shownValue(secrecy, processEnv[outer]?.trim() ?? ''), from: `environment ${outer}` };
    const inner = names.find((one) => envFile[one]?.trim());
    if (inner) return { key, value: shownValue(secrecy, envFile[inner]?.trim() ?? ''), from: `.env ${inner}` };
  }
  return undefined;
}

interface WrittenSetting extends Found {
  readonly path: string;
}

function settingsInFile(folder: string, configFile: string): WrittenSetting[] {
  if (!existsSync(configFile)) return [];
  const opened = openYaml(readFileSync(configFile, 'utf8'), SETTINGS_QUOTING);
  if (opened.kind !== 'ok') return [];
  const inside = relative(folder, configFile);
  const file = inside.startsWith('..') ? configFile : inside;
  return [...walk(opened.tree, placeOf(settingsSchema), { at: [], path: '' }, opened.places, file)];
}

function* walk(
  value: unknown,
  place: Place,
  { at, path }: { readonly at: Path; readonly path: string },
  places: YamlPlaces,
  file: string,
): Generator<WrittenSetting> {
  if (place.kind === 'setting' && place.facts.named && isGroup(value)) {
    const { named: _, ...facts } = place.facts;
    for (const [name, one] of Object.entries(value)) {
      yield* walk(one, { ...place, facts }, { at: [...at, name], path }, places, file);
    }
  } else if (place.kind === 'setting') {
    const parts = Array.isArray(value) ? value : [value];
    const shown = parts.map((part) => shownValue(place.facts.secrecy, String(part)));
    const { line } = places.spanOf(at).start;
    yield { path, key: keyOf(at), value: [...new Set(shown)].join(', '), from: `${file}:${line}` };
  } else if (place.kind === 'list' && Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      yield* walk(one, placeOf(place.of), { at: [...at, index], path: `${path}[]` }, places, file);
    }
  } else if (isGroup(value)) {
    const join = (step: string) => (path === '' ? step : `${path}.${step}`);
    for (const [key, one] of Object.entries(value)) {
      const [schema, step] = place.kind === 'each' ? [place.of, place.name] : [keysOf(place)[key], key];
      if (schema) yield* walk(one, placeOf(schema), { at: [...at, key], path: join(step) }, places, file);
    }
  }
}

function keysOf(place: Place) {
  return place.kind === 'group' ? place.keys : {};
}

function shownValue(kind: Secrecy | undefined, value: string): string {
  if (kind === 'secret') return HIDDEN;
  if (kind === 'number') return value.replace(/(\d{2})\d+(\d{2})(?!\d)/g, '$1…$2');
  return kind === 'address' && !isHarmlessAddress(value) ? HIDDEN : value;
}

function isHarmlessAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === '';
}
