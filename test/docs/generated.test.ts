import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedPages } from '../../docs/generator/generated-pages.ts';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const pages = generatedPages(read);

describe('the generated documentation', () => {
  it.each([...pages.keys()])('%s matches the code; npm run docs writes it again', (path) => {
    expect(read(path)).toBe(pages.get(path));
  });

  it('explains every code of a change, a reading or an answer', () => {
    const troubleshoot = pages.get('docs/troubleshoot.md') ?? '';
    const sources = ['alerts', 'commands', 'engine', 'services'].flatMap((district) =>
      sourcesBelow(join('src', district)),
    );
    const codes = sources.filter((path) => !/engine.(?:queue|schedule)/.test(path)).flatMap(codesIn);
    expect(new Set(codes).size).toBeGreaterThan(30);
    expect([...new Set(codes)].filter((code) => !troubleshoot.includes(`\`${code}\``))).toEqual([]);
  });

  it('begins the page of queries with a valid one', () => {
    const [, query = ''] = /```sql\n(-- Clicks and cost.*?)```/s.exec(pages.get('docs/query-language.md') ?? '') ?? [];
    const { diagnostics } = checkQueryFile('clicks', query, { catalogue: loadCatalogue('v25') });
    expect(diagnostics).toEqual([]);
  });
});

/** Codes as they are written where they are given; names of the environment, of Node's failures and of a request's values are none of ours. */
function codesIn(path: string): string[] {
  const given = /(?:refused|malformed|superseded|leftOpen)\((?:[\w.]+, )?'([A-Z_]+)'|(?:code|status): '([A-Z_]+)'/g;
  const named = /'((?:[A-Z]+_)+[A-Z]+)'/g;
  const text = read(path);
  const words = [...text.matchAll(given), ...text.matchAll(named)].map((match) => match[1] ?? match[2] ?? '');
  return words.filter(
    (word) =>
      !/^(ADS|PACEKEEPER|MESSAGES|GRAPH|CONTAINER|SERVE|UND|ERR|HPE|Z)_|_PROXY$|^EAI_|^RESOURCE_NAME_ONLY$/.test(word),
  );
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourcesBelow(path) : [path];
  });
}
