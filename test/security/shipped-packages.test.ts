import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refusedLicenses, shippedPackages, thirdPartyNotices } from './shipped-packages.ts';

describe('packages that reach users', () => {
  const packages = shippedPackages();
  const names = packages.map(({ name }) => name);

  it('are those whose code is in the program, and those installed with it', () => {
    expect(names).toEqual(expect.arrayContaining(['zod', 'node-cron', 'better-sqlite3', 'dejavu-fonts-ttf']));
  });

  it('are those that dependencies.md has in the program, or come with them: no tool of ours', () => {
    const { inputs } = JSON.parse(readFileSync('dist/bundle.json', 'utf8')) as {
      inputs: Record<string, { imports: { path: string }[] }>;
    };
    const asked = Object.entries(inputs).flatMap(([file, { imports }]) =>
      file.startsWith('src/')
        ? imports.flatMap(({ path }) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
        : [],
    );
    const [, table = ''] = readFileSync('docs/dependencies.md', 'utf8').split(/^## /m);
    const listed = table.split('\n').flatMap((line) => /^\| (.+?) \|/.exec(line)?.[1]?.split(', ') ?? []);
    expect(asked.length).toBeGreaterThan(50);
    expect([...new Set(asked)].filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('have a licence of the list', () => {
    expect(refusedLicenses(packages)).toEqual([]);
  });

  it('are refused with their place if the licence is another', () => {
    const folder = 'node_modules/left';
    expect(refusedLicenses([{ folder, name: 'left', version: '1.0.0', license: 'GPL-3.0' }])).toEqual([
      expect.stringMatching(/^node_modules\/left\/package\.json: found the licence "GPL-3\.0", expected one of /),
    ]);
  });

  it('are each named in the notices, with the text of the licence', () => {
    const notices = thirdPartyNotices(packages);
    expect(packages.filter(({ name, version }) => !notices.includes(`\n${name} ${version} (`))).toEqual([]);
    expect(notices).toContain('Permission is hereby granted, free of charge');
  });
});
