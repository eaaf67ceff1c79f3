import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogueNamed, loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { CatalogueResource } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { patternFault } from '../../../src/language/gaql/check/pattern-fault.ts';
import { queryForDay } from '../../../src/language/gaql/check/query-for-range.ts';
import { CODES } from '../../../src/language/gaql/codes.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printQuery, withoutAliases } from '../../../src/language/gaql/syntax/print-query.ts';
import { EUR, freshSandbox, post } from '../../sandbox/sandbox-client.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const TODAY = civilDate('2026-11-20');

/** What only a file of ours has, and the service never sees. */
const OF_FILES = ['BAD_ALIAS', 'BAD_TABLE_NAME', 'DUPLICATE_COLUMN', 'UNREADABLE_FILE'];

const shipped = globSync('queries/**/*.sql').map((path) => readFileSync(path, 'utf8'));

const documented = [
  ...globSync('{docs/*.md,README.md}').flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(/```sql\n(.*?)```/gs), ([, text = '']) => text),
  ),
  ...[...CODES].flatMap(([code, { wrong, right, of = 'query' }]) =>
    of === 'query' && !OF_FILES.includes(code) ? [wrong, right] : [],
  ),
  ...globSync('test/fuzz/corpus/*/*.sql').map((path) => readFileSync(path, 'utf8')),
].filter((text) => /\bFROM\s+[a-z_.]+/i.test(text) && !/\bGROUP BY\b|\bWITH\b|\bJOIN\b/.test(text));

/** Every resource of the client's package, with what its own lists offer, and with one name too many. */
const ofPackage = [...loadCatalogue('v25').resources.values()].flatMap((resource) => [
  offered(resource, []),
  offered(resource, ['metrics.video_trueview_views', 'segments.hour']),
]);

function offered({ name, key, metrics }: CatalogueResource, more: readonly string[]): string {
  const fields = [...key, `${name}.resource_name`, ...[...metrics].filter((_, index) => index % 40 === 0), ...more];
  return `SELECT ${[...new Set(fields)].join(', ')} FROM ${name} WHERE segments.date DURING YESTERDAY`;
}

/** The text as a request has it. */
function asSent(text: string, sent: string | undefined): string {
  const { tree, diagnostics } = parseQuery(text);
  return sent ?? (diagnostics.length === 0 ? printQuery(withoutAliases(tree)) : text);
}

describe('check with a refreshed catalogue and the sandbox that it came from', () => {
  const corpus = [...new Set([...shipped, ...documented, ...ofPackage])];

  it('give the same verdict on every query', async () => {
    expect(corpus.length).toBeGreaterThan(300);
    const folder = tempDir();
    expect((await runInProcess(['catalogue', 'refresh'], { folder })).code).toBe(0);
    const settings = {
      target: 'sandbox',
      ads: { version: 'v25', catalogue: 'auto' },
      paths: { data: join(folder, 'data') },
    } as const;
    const catalogue = catalogueNamed('v25', settings);
    const sandbox = await freshSandbox({ clock: { now: () => Date.parse(`${TODAY}T12:00:00Z`) } });
    const verdicts = { accepted: 0, refused: 0 };
    const differing: string[] = [];
    for (const text of corpus) {
      const { query, diagnostics } = checkQueryFile('a_query', text, {
        catalogue,
        today: TODAY,
        patternFault,
        parameters: new Map([['campaigns', ['1']]]),
      });
      const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
      if (errors.some((code) => OF_FILES.includes(code))) continue;
      const request = asSent(text, query && queryForDay(query, TODAY));
      const { status, json } = await post(sandbox, `/v25/customers/${EUR}/googleAds:search`, {
        query: request,
        validateOnly: true,
      });
      verdicts[query ? 'accepted' : 'refused'] += 1;
      if ((status === 200) !== (query !== undefined)) {
        differing.push(
          `${errors.join(' ') || 'accepted'}, sandbox ${status}: ${request.slice(0, 200)} ${JSON.stringify(json).slice(0, 300)}`,
        );
      }
    }
    expect(differing).toEqual([]);
    expect(verdicts.accepted).toBeGreaterThan(60);
    expect(verdicts.refused).toBeGreaterThan(60);
  });
});
