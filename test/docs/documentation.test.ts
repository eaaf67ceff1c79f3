import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LIVE_NAMES, SERVE_NAMES } from '../../src/config/live-names.ts';
import { PROXY_NAMES } from '../../src/config/read-proxy.ts';
import { settingsSchema } from '../../src/config/settings-schema.ts';

const read = (path: string) => readFileSync(path, 'utf8');

/** Dotted names of all settings, ids in angle brackets. */
function settingNames(schema: z.ZodType, prefix: string): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return settingNames(schema.unwrap() as z.ZodType, prefix);
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) =>
      settingNames(inner as z.ZodType, prefix === '' ? key : `${prefix}.${key}`),
    );
  }
  if (schema instanceof z.ZodRecord) {
    const keys: Readonly<Record<string, string>> = {
      ...{ params: '<name>', 'extract.settle_days': '<query>', 'alerts.recipients': '<name>' },
    };
    const id = keys[prefix] ?? (prefix.includes('<') ? '<budget_id>' : '<customer_id>');
    return settingNames(schema.valueType as z.ZodType, `${prefix}.${id}`);
  }
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) {
    return settingNames(schema.element, `${prefix}[]`);
  }
  return [prefix];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

describe('the documentation', () => {
  const names = settingNames(settingsSchema, '');

  it('knows every setting', () => {
    expect(names.length).toBeGreaterThan(30);
    const text = read('docs/configuration.md');
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('knows every environment name', () => {
    const text = read('docs/configuration.md');
    const all = [
      ...LIVE_NAMES,
      ...SERVE_NAMES,
      ...PROXY_NAMES,
      'PACEKEEPER_TARGET',
      'PACEKEEPER_NOW',
      'PACEKEEPER_MARKET',
    ];
    expect(all.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('P1: has the layout and, the scheduler’s apart, the packages that were asked for', () => {
    for (const place of ['package.json', 'tsconfig.json', 'README.md']) expect(exists(place)).toBe(true);
    for (const folder of ['src', 'migrations', 'queries', 'test'])
      expect(readdirSync(folder).length).toBeGreaterThan(0);
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const wanted = ['kysely', 'better-sqlite3', 'undici', 'chevrotain', 'zod', 'vitest'];
    expect(wanted.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
  });

  it('gives a reason for every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const text = read('docs/dependencies.md');
    const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    expect(all.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('is locked for every platform: npm ci refuses a lock that leaves out what another platform needs', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const wanted = Object.values(packages).flatMap(({ optionalDependencies }) =>
      Object.keys(optionalDependencies ?? {}),
    );
    const locked = Object.keys(packages);
    const has = (name: string) => locked.some((path) => path.endsWith(`node_modules/${name}`));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((name) => !has(name))).toEqual([]);
  });

  it('names every command in the README', () => {
    const commands = filesBelow('src/cli').flatMap((path) => /program\.command\('(\w+)'/.exec(read(path))?.[1] ?? []);
    expect(commands.length).toBeGreaterThan(2);
    const text = read('README.md');
    expect(commands.filter((command) => !text.includes(`pacekeeper ${command}`))).toEqual([]);
  });

  it('describes every room and only rooms that exist', () => {
    const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const text = read('docs/architecture.md');
    expect(rooms.map(({ name }) => name).filter((name) => !text.includes(`| \`src/${name}/`))).toEqual([]);
  });

  it('names only files that exist where it names one of a room', () => {
    const rooms = readdirSync('src').join('|');
    const named = read('docs/architecture.md').matchAll(
      new RegExp(`\\x60(?:src/)?((?:${rooms})/[\\w/-]*\\w)\\x60`, 'g'),
    );
    const paths = [...new Set([...named].map((match) => match[1] ?? ''))];
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !exists(`src/${path}.ts`))).toEqual([]);
  });
});

describe('the specification’s coverage', () => {
  const rows = new Map(
    [...read('docs/specification-coverage.md').matchAll(/^\| ([ABCDP]\d+) \| (\S+) \|.*$/gm)].map((match) => [
      match[1] ?? '',
      { status: match[2], line: match[0] },
    ]),
  );
  const counts = { A: 11, B: 17, C: 5, D: 3, P: 6 };

  it('has a test of each side for areas A, C and D', () => {
    const both = [...rows]
      .filter(([row]) => /^[ACD]/.test(row))
      .filter(([, { line }]) => /`test\/sandbox\//.test(line));
    const client = both.filter(([, { line }]) => /`test\/(?!sandbox\/)/.test(line));
    expect(client.map(([row]) => row)).toEqual([...rows.keys()].filter((row) => /^[ACD]/.test(row)));
  });

  it('has every requirement, each once', () => {
    const expected = Object.entries(counts).flatMap(([area, count]) =>
      Array.from({ length: count }, (_, index) => `${area}${index + 1}`),
    );
    expect([...rows.keys()]).toEqual(expected);
  });

  it('names a test by its requirement for every row that is done or begun', () => {
    const titles = filesBelow('test').map(read).join('\n');
    const begun = [...rows].filter(([, { status }]) => status !== 'open').map(([row]) => row);
    expect(begun.length).toBeGreaterThan(15);
    const untested = begun.filter((row) => !new RegExp(`['\`"](?:[^'\`"\\n]* )?${row}\\b`).test(titles));
    expect(untested).toEqual([]);
  });

  it('points at files that exist', () => {
    const paths = [
      ...read('docs/specification-coverage.md').matchAll(/`((?:src|test|queries|rules|migrations)\/[\w./-]+)`/g),
    ];
    expect(paths.length).toBeGreaterThan(20);
    const missing = paths.map((match) => match[1] ?? '').filter((path) => !path.endsWith('/') && !exists(path));
    expect(missing).toEqual([]);
  });
});

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
