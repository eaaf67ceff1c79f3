import { resolve } from 'node:path';
import { type Environment, isGroup, keyOf, type Path, SETTINGS, type Setting, valueAt } from './setting-tree.ts';

/** In messages, `says` follows the setting's name, or is a full sentence if `at` is empty. */
export interface Problem {
  readonly at: Path;
  readonly says: string;
}

export interface Given {
  readonly tree: unknown;
  readonly environmentTree: unknown;
  /** Settings of live services that `tree` omits, because the target is not live. */
  readonly unused: readonly Setting[];
  nameOf(path: Path): string | undefined;
  settingOf(path: Path): Setting | undefined;
  /** Returns false for an empty list. */
  has(path: string): boolean;
}

export interface From {
  readonly file: string;
  readonly environment: string;
}

/** The environment wins over the file. Without `live`, omits the settings of live services. */
export function layOver(file: unknown, environment: Environment, live: boolean, from: From): Given {
  const ways = new Map<string, { readonly setting: Setting; readonly name: string }>();
  let tree = file;
  let environmentTree: unknown = {};
  const unused: Setting[] = [];
  for (const setting of SETTINGS) {
    const steps = setting.at.split('.');
    const name = setting.env.find((one) => environment[one]?.trim());
    if (setting.isLive && !live) {
      if (valueAt(tree, steps) === undefined) continue;
      unused.push(setting);
      tree = without(tree, steps);
    } else if (name !== undefined) {
      const value = givenValue(setting, environment[name]?.trim() ?? '', from.environment);
      if (setting.path === undefined) environmentTree = withValue(environmentTree, steps, value);
      else tree = withValue(tree, steps, value);
      ways.set(setting.at, { setting, name });
    } else if (setting.facts.isPath) {
      const path = valueAt(tree, steps);
      if (typeof path === 'string' && path.trim() !== '')
        tree = withValue(tree, steps, resolve(from.file, path.trim()));
    }
  }
  const wayOf = (path: Path) => [...ways].find(([at]) => `${path.join('.')}.`.startsWith(`${at}.`))?.[1];
  return {
    tree,
    environmentTree,
    unused,
    nameOf: (path) => wayOf(path)?.name,
    settingOf: (path) => wayOf(path)?.setting,
    has(path) {
      const value = valueAt(tree, path.split('.'));
      return value !== undefined && !(Array.isArray(value) && value.length === 0);
    },
  };
}

/** If the setting is missing, returns the name that the user should write. */
export function nameAt(at: Path, given: Given): string {
  const key = keyOf(at);
  return given.nameOf(at) ?? (given.has(key) ? key : (SETTINGS.find((setting) => setting.at === key)?.env[0] ?? key));
}

function givenValue({ facts: { separator, isPath } }: Setting, text: string, folder: string): string | string[] {
  if (isPath) return resolve(folder, text);
  if (separator === undefined) return text;
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function withValue(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (!isGroup(tree)) return tree;
  return { ...tree, [key]: withValue(tree[key] ?? {}, rest, value) };
}

function without(tree: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || !isGroup(tree) || !Object.hasOwn(tree, key)) return tree;
  if (rest.length > 0) return { ...tree, [key]: without(tree[key], rest) };
  const { [key]: _, ...others } = tree;
  return others;
}
