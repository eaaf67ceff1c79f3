import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../../docs/generator/markdown.ts';

const read = (path: string) => readFileSync(path, 'utf8');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

describe('the documentation', () => {
  it('P1: has the required layout and packages', () => {
    for (const place of ['package.json', 'tsconfig.json', 'README.md']) expect(exists(place)).toBe(true);
    for (const folder of ['src', 'migrations', 'queries', 'test'])
      expect(readdirSync(folder).length).toBeGreaterThan(0);
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const wanted = ['kysely', 'better-sqlite3', 'undici', 'chevrotain', 'zod', 'node-cron', 'vitest'];
    expect(wanted.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
  });

  it('gives a reason for every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const text = read('docs/dependencies.md');
    const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    expect(all.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('is locked for every platform: npm ci refuses a lock that lacks another platform’s packages', () => {
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

  it('names only existing commands', () => {
    const commands = new Set(
      [...read('docs/commands.md').matchAll(/^## pacekeeper ([\w-]+)/gm)].map(([, command]) => command),
    );
    expect(commands.size).toBeGreaterThan(15);
    const pages = ['README.md', ...filesBelow('docs').filter((path) => path.endsWith('.md'))];
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/(?:`|\$ |npx )pacekeeper ([a-z][\w-]*)/g)].map(
        ([, command = '']) => [page, command] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(([, command]) => !commands.has(command))).toEqual([]);
  });

  it('describes every room and only existing rooms', () => {
    const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const text = read('docs/architecture.md');
    expect(rooms.map(({ name }) => name).filter((name) => !text.includes(`| \`src/${name}/`))).toEqual([]);
  });

  it('names only existing files of rooms', () => {
    const rooms = readdirSync('src').join('|');
    const named = read('docs/architecture.md').matchAll(
      new RegExp(`\\x60(?:src/)?((?:${rooms})/[\\w/-]*\\w)\\x60`, 'g'),
    );
    const paths = [...new Set([...named].map((match) => match[1] ?? ''))];
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !exists(`src/${path}.ts`))).toEqual([]);
  });
});

describe('the pages', () => {
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    ...filesBelow('docs').filter((path) => path.endsWith('.md')),
  ];

  it('are all linked from the index', () => {
    const index = read('docs/README.md');
    const inDocs = pages.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    expect(inDocs.length).toBeGreaterThan(20);
    expect(inDocs.filter((path) => !index.includes(`](${relative('docs', path)}`))).toEqual([]);
  });

  it.each(pages)('%s links to pages and headings that exist', (page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const lost = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      return !exists(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });
});

describe('the tests named in pages', () => {
  const pages = [
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...filesBelow('docs').filter((path) => path.endsWith('.md')),
  ];
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`(test\/[\w./-]+\.test\.ts)`((?:(?:,| and) "[^"\n]+")*)/g)].map(
      ([, file = '', phrases = '']) => ({
        page,
        file,
        phrases: [...phrases.matchAll(/"([^"]+)"/g)].map(([, one = '']) => one),
      }),
    ),
  );

  it('are files that exist', () => {
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ file }) => !exists(file))).toEqual([]);
  });

  it('contain the text quoted after the file name', () => {
    const quoted = named.flatMap(({ page, file, phrases }) => phrases.map((phrase) => ({ page, file, phrase })));
    expect(quoted.length).toBeGreaterThan(3);
    expect(quoted.filter(({ file, phrase }) => !read(file).includes(phrase))).toEqual([]);
  });
});

const withoutCode = (text: string): string => text.replace(/^( *)```.*?^\1```$/gms, '').replace(/`[^`\n]*`/g, '');

const anchorsOf = (path: string): Set<string> =>
  new Set([...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading.replaceAll('`', ''))));

describe('the specification’s coverage', () => {
  const rows = new Map(
    [...read('docs/specification-coverage.md').matchAll(/^\| ([ABCDP]\d+) \|.*$/gm)].map(([line, row = '']) => [
      row,
      line,
    ]),
  );
  const counts = { A: 11, B: 17, C: 5, D: 3, P: 6 };

  it('has a test for each side of areas A, C and D', () => {
    const both = [...rows].filter(([row]) => /^[ACD]/.test(row)).filter(([, line]) => /`test\/sandbox\//.test(line));
    const client = both.filter(([, line]) => /`test\/(?!sandbox\/)/.test(line));
    expect(client.map(([row]) => row)).toEqual([...rows.keys()].filter((row) => /^[ACD]/.test(row)));
  });

  it('has every requirement exactly once', () => {
    const expected = Object.entries(counts).flatMap(([area, count]) =>
      Array.from({ length: count }, (_, index) => `${area}${index + 1}`),
    );
    expect([...rows.keys()]).toEqual(expected);
  });

  it('names a test by its requirement for every row', () => {
    const titles = filesBelow('test').map(read).join('\n');
    const untested = [...rows.keys()].filter((row) => !new RegExp(`['\`"](?:[^'\`"\\n]* )?${row}\\b`).test(titles));
    expect(untested).toEqual([]);
  });

  it('names only tests with the requirement in a title', () => {
    const named = [...rows].flatMap(([row, line]) =>
      [...line.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = '']) => [row, file] as const),
    );
    const titled = ([row, file]: readonly [string, string]) =>
      new RegExp(`['\`"](?:[A-Z]\\d+, |[A-Z]\\d+ and )*${row}(?:[:,]| and )`).test(read(file));
    expect(named.length).toBeGreaterThan(rows.size);
    expect(named.filter((one) => !titled(one))).toEqual([]);
  });

  it('names only existing files', () => {
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
