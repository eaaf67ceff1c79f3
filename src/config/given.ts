import { resolve } from 'node:path';
import { type Environment, isGroup, type Path, SETTINGS, type Setting, valueAt } from './setting-tree.ts';

/** A mistake that no schema sees; its sentence begins with the name of the setting, or is whole where there is no path. */
export interface Problem {
  readonly at: Path;
  readonly says: string;
}

/** The trees that schemas read: the file with the environment laid over it, and what the environment alone sets. */
export interface Given {
  readonly tree: unknown;
  readonly environmentTree: unknown;
  /** Settings of live services in the file, which the tree does not have. */
  readonly unused: readonly Setting[];
  /** The name in the environment that a value at the path, or below a setting of it, comes from. */
  nameOf(path: Path): string | undefined;
  /** The setting that such a value belongs to. */
  settingOf(path: Path): Setting | undefined;
  /** Whether there is a value; an empty list is none. */
  has(path: string): boolean;
}

/** Folders from which the paths of settings count. */
export interface From {
  readonly file: string;
  readonly environment: string;
}

/**
 * Lays the environment over the file's tree. Without `live` what belongs to live services is left out, and that of the environment
 * is read by nobody.
 */
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

function givenValue({ facts: { separator, isPath } }: Setting, text: string, folder: string): string | string[] {
  if (isPath) return resolve(folder, text);
  if (separator === undefined) return text;
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What is no group stays as it is, so that the schema finds it. */
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

/** The tree without the value at the path, or without what is around it where there is none: it lacks something. */
export function withoutMistake(tree: unknown, path: Path): unknown {
  const place = path.findIndex((part) => typeof part === 'number');
  // The places of a list are those of its text, and would move.
  const steps = place === -1 ? path : path.slice(0, place);
  const depth = steps.findLastIndex((_, index) => valueAt(tree, steps.slice(0, index + 1)) !== undefined);
  return depth === -1 ? {} : without(tree, steps.slice(0, depth + 1));
}
