import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';
import { shippedPackages } from './shipped-packages.ts';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  /** False for a package with sources that needs no compiler. */
  readonly gypfile?: boolean;
  readonly link?: boolean;
  /** It comes within the bytes of the package above it. */
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly engines?: { readonly node?: string };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

function lockfilesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'data', '.git'].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? lockfilesBelow(path) : entry.name === 'package-lock.json' ? [path] : [];
  });
}

/** The workspace that brings a Node. */
const RUNTIME = 'runtime';
const isRuntime = (path: string, { resolved, link }: Locked) =>
  path === RUNTIME || (path === 'node_modules/pacekeeper-runtime' && link === true && resolved === RUNTIME);

/**
 * Packages of a lock that are not fixed to the bytes of one package of the public registry, a sentence each. The locks leave
 * out where a package comes from, so that a mirror may serve it: its bytes count.
 */
function looseIn(packages: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { resolved, integrity = '', link } = locked;
    if (path === '' || isRuntime(path, locked) || locked.inBundle) return [];
    const name = path.split('node_modules/').at(-1) ?? '';
    const isOurs = link !== true && (resolved ?? '').startsWith(`https://registry.npmjs.org/${name}/-/`);
    return [
      ...(isOurs || (link === undefined && resolved === undefined)
        ? []
        : [`${path} comes from ${link === true ? 'a folder' : resolved}`]),
      ...(isHashed(integrity) || isToolElsewhere(path, locked) ? [] : [`${path} has no SHA-512 of its bytes`]),
    ];
  });
}

const isHashed = (integrity: string) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity);

/** Binaries of two tools of ours for other platforms than the one that CI has: locked by version alone, and never installed there. */
function isToolElsewhere(path: string, { optional, dev, os }: Locked): boolean {
  const isTool = /^node_modules\/(@biomejs\/cli-|@oxc-parser\/binding-)/.test(path);
  return isTool && optional === true && dev === true && os !== undefined;
}

const LOCKS = lockfilesBelow('.');

describe('installed packages', () => {
  it('belong to the program and its companion folders', () => {
    expect(LOCKS).toContain('package-lock.json');
    expect(LOCKS).toContain(join('test', 'counterparties', 'package-lock.json'));
  });

  it.each(LOCKS)('are each one package of the public registry, by name and hash: %s', (path) => {
    const { packages } = jsonOf(path) as { packages: Record<string, Locked> };
    expect(Object.keys(packages).length).toBeGreaterThan(1);
    expect(looseIn(packages)).toEqual([]);
    const unhashed = Object.entries(packages).filter(
      ([name, locked]) =>
        name !== '' && !isRuntime(name, locked) && !locked.inBundle && !isHashed(locked.integrity ?? ''),
    );
    expect(unhashed.length).toBeLessThanOrEqual(path === 'package-lock.json' ? 23 : 0);
  });

  it.each(LOCKS)('are each requested by one version, the locked one: %s', (path) => {
    const manifests = [dirname(path), ...(path === 'package-lock.json' ? [RUNTIME] : [])];
    const { packages } = jsonOf(path) as { packages: Record<string, Locked> };
    const asked = manifests.flatMap((folder) => {
      const manifest = jsonOf(join(folder, 'package.json')) as Manifest;
      const { dependencies, devDependencies, optionalDependencies } = manifest;
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    });
    // An alias is written npm:NAME@VERSION.
    const other = asked.filter(
      ([name, wanted]) => packages[`node_modules/${name}`]?.version !== wanted.replace(/^npm:.*@/, ''),
    );
    expect(other).toEqual([]);
  });

  it('run no script on installation', () => {
    const { allowScripts = {} } = jsonOf('package.json') as Manifest;
    const { packages } = jsonOf('package-lock.json') as { packages: Record<string, Locked> };
    const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [path.split('node_modules/').at(-1) ?? ''] : [],
    );
    expect(withScript).toContain('esbuild');
    expect(withScript.filter((name) => !(name in allowScripts))).toEqual([]);
    expect(Object.values(allowScripts).filter((allowed) => allowed)).toEqual([]);
  });

  it('need no compilation by npm: npm 10 looks for "gypfile" only in the lock', () => {
    const { packages } = jsonOf('package-lock.json') as { packages: Record<string, Locked> };
    const withSource = Object.keys(packages).filter((path) => path !== '' && existsSync(join(path, 'binding.gyp')));
    expect(withSource).toContain('node_modules/better-sqlite3');
    expect(withSource.filter((path) => packages[path]?.gypfile !== false)).toEqual([]);
  });

  it('run on each Node that package.json names', () => {
    const oldest = jsonOf('package.json').engines.node.replace('>=', '');
    const { packages } = jsonOf('package-lock.json') as { packages: Record<string, Locked> };
    const needed = shippedPackages().map(({ folder }) => folder);
    const refused = needed.filter((folder) =>
      [`${oldest}.0`, '24.0.0', '26.0.0'].some((node) => !satisfies(node, packages[folder]?.engines?.node ?? '*')),
    );
    expect(refused).toEqual([]);
  });

  it.each<[sentence: string, locked: Locked, words: RegExp]>([
    [
      'another registry',
      { resolved: 'https://registry.example.com/a/-/a-1.0.0.tgz' },
      /comes from https:\/\/registry\.ex/,
    ],
    ['a repository', { resolved: 'git+ssh://git@example.com/a/a.git#0a1b' }, /comes from git/],
    [
      'another package under this name',
      { resolved: 'https://registry.npmjs.org/b/-/b-1.0.0.tgz' },
      /comes from .*\/b\//,
    ],
    ['a weak hash', { resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', integrity: 'sha1-x' }, /no SHA-512/],
    ['a folder', { resolved: '../a', link: true }, /comes from a folder/],
  ])('are reported if one comes from %s', (_, locked, words) => {
    expect(looseIn({ 'node_modules/a': locked }).join()).toMatch(words);
  });
});
