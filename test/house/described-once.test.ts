import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The code of `src` without its comments, which may explain what is declared elsewhere. */
const SOURCES = globSync('src/**/*.ts')
  .toSorted()
  .map((path) => ({
    file: path.replaceAll('\\', '/').replace('src/', ''),
    code: readFileSync(path, 'utf8').replaceAll(/^\s*(?:\/\/|\/\*\*|\*).*$/gm, ''),
  }));

describe('one file declares', () => {
  it.each<[sentence: string, mention: RegExp, file: string]>([
    ['the path of the page of a budget', /\bbudgets\/(?:[:([\\]|\$\{)/, 'page/status/pages.ts'],
    ['the path of the page of proposals', /\/proposals(?:\?[^"'`]*)?["'`]/, 'page/status/pages.ts'],
    ['the path of the login', /["'`/}]\/login\b/, 'page/status/pages.ts'],
    ['how a new file takes its name', /\b(?:rename|link)Sync\(next,/, 'files/replace-file.ts'],
    ['the path that area C reports to', /webhooks\/messages/, 'server/paths.ts'],
  ])('%s', (_sentence, mention, file) => {
    expect(SOURCES.filter(({ code }) => mention.test(code)).map((source) => source.file)).toEqual([file]);
  });
});
