import { describe, expect, it } from 'vitest';
import { refusedLicenses, shippedPackages, thirdPartyNotices } from './shipped-packages.ts';

describe('packages that reach users', () => {
  const packages = shippedPackages();
  const names = packages.map(({ name }) => name);

  it('are those whose code is in the program, and those installed with it', () => {
    expect(names).toEqual(expect.arrayContaining(['zod', 'node-cron', 'better-sqlite3', 'dejavu-fonts-ttf']));
  });

  it('are no tools of ours', () => {
    expect(names).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(vitest|esbuild|typescript|node-linux)/)]),
    );
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
