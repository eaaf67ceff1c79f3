import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { openYaml, type YamlPlaces } from '../yaml/read-yaml.ts';
import { type Place, placeOf, type Secrecy } from './declared/declare.ts';
import { SETTINGS_QUOTING } from './hide-values.ts';
import { type Environment, isGroup, keyOf, readEnvFile, SETTINGS, type Setting } from './setting-tree.ts';
import { settingsSchema } from './settings.ts';

/** Secrets are hidden, phone numbers masked. */
export interface EffectiveSetting {
  /** A path in the file, or an environment name. */
  readonly key: string;
  readonly value: string;
  /** `default`, `pacekeeper.yaml:12`, `.env ADS_URL`, `environment ADS_URL`. */
  readonly from: string;
  /** Another source that also sets it, unused. */
  readonly instead: string | undefined;
}

export const HIDDEN = 'set (hidden)';

/** `all` adds defaults, except below names and lists. Read the settings first: reading reports mistakes. */
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
      const { path, secrecy, without } = setting;
      const written = inFile.filter((one) => one.path === path);
      const name = named.get(setting);
      if (name) {
        const key = path ?? name.name;
        return [{ key, value: shownValue(secrecy, name.value), from: name.from, instead: written[0]?.from }];
      }
      if (written.length > 0) return written.map(({ key, value, from }) => ({ key, value, from, instead: undefined }));
      if (!all || path === undefined || /[<[]/.test(path)) return [];
      const value = (without ?? 'none').replaceAll('`', '');
      return [{ key: path, value, from: 'default', instead: undefined }];
    }),
  );
}

/** Keeps the settings of a list entry together: `schedule[0].name`, `schedule[0].cron`. */
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

function namedValue({ env }: Setting, processEnv: Environment, envFile: Environment): NamedValue | undefined {
  for (const name of env) {
    const outer = processEnv[name]?.trim();
    if (outer) return { name, value: outer, from: `environment ${name}` };
    const inner = envFile[name]?.trim();
    if (inner) return { name, value: inner, from: `.env ${name}` };
  }
  return undefined;
}

interface WrittenSetting {
  readonly path: string;
  readonly key: string;
  readonly value: string;
  readonly from: string;
}

function settingsInFile(folder: string, configFile: string): WrittenSetting[] {
  if (!existsSync(configFile)) return [];
  const opened = openYaml(readFileSync(configFile, 'utf8'), SETTINGS_QUOTING);
  if (opened.kind !== 'ok') return [];
  const inside = relative(folder, configFile);
  const file = inside.startsWith('..') ? configFile : inside;
  return [...walk(opened.tree, placeOf(settingsSchema), { at: [], path: '' }, opened.places, file)];
}

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
