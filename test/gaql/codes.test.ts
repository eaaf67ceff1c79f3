import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import type { Diagnostic } from '../../src/domain/diagnostic.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Catalogue } from '../../src/language/gaql/catalogue/catalogue.ts';
import { patternFault } from '../../src/language/gaql/check/pattern-fault.ts';
import { CODES, CODES_BY_SUBJECT, type Explanation } from '../../src/language/gaql/codes.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';

const context = { catalogue: withCombinations(loadCatalogue('v25')), today: civilDate('2026-06-15'), patternFault };

/** The shipped catalogue does not know what goes with what, a refreshed one does. */
function withCombinations(shipped: Catalogue): Catalogue {
  const fields = new Map(shipped.fields);
  const limit = (name: string, ...others: string[]) => {
    const field = fields.get(name);
    if (field) fields.set(name, { ...field, selectableWith: new Set(others) });
  };
  limit('segments.conversion_action', 'metrics.conversions', 'segments.date');
  return { ...shipped, fields };
}

function findingsOf(example: string, of: Explanation['of']): readonly Diagnostic[] {
  return of === 'file name'
    ? checkQueryFile(example.replace(/\.sql$/, ''), 'SELECT campaign.id FROM campaign', context).diagnostics
    : checkQueryFile('a_query', example, context).diagnostics;
}

const codesOf = (found: readonly Diagnostic[]) => [...new Set(found.map(({ code }) => code))];
const errorsIn = (found: readonly Diagnostic[]) => codesOf(found.filter(({ severity }) => severity === 'error'));

describe('every code has an example with the mistake', () => {
  it.each([...CODES])('%s, and no other error', (code, { wrong, of }) => {
    const found = findingsOf(wrong, of);
    expect(codesOf(found)).toContain(code);
    expect(errorsIn(found).filter((other) => other !== code)).toEqual([]);
  });
});

describe('every code has a corrected example', () => {
  it.each([...CODES])('no %s and no error in it', (code, { right, of }) => {
    const found = findingsOf(right, of);
    expect(codesOf(found)).not.toContain(code);
    expect(errorsIn(found)).toEqual([]);
  });
});

describe('the registry of codes', () => {
  const sources = filesBelow('src/language/gaql')
    .filter((path) => !path.startsWith(join('src', 'language', 'gaql', 'codes')))
    .map((path) => readFileSync(path, 'utf8'));
  const quoted = new Set(
    sources.flatMap((text) => [...text.matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code]) => code)),
  );
  const reported = sources.flatMap((text) => [...text.matchAll(/code: '(\w+)'/g)].map(([, code = '']) => code));

  it('has every code that a check reports', () => {
    expect(reported.length).toBeGreaterThan(30);
    expect(reported.filter((code) => !CODES.has(code))).toEqual([]);
  });

  it('has no unused code', () => {
    expect([...CODES.keys()].filter((code) => !quoted.has(code))).toEqual([]);
  });

  it('has each code under one subject', () => {
    const all = CODES_BY_SUBJECT.flatMap(({ codes }) => codes.map(([code]) => code));
    expect(all).toHaveLength(new Set(all).size);
    expect(all).toEqual([...CODES.keys()]);
  });

  it('explains each code in sentences', () => {
    for (const [code, { meaning }] of CODES) expect(meaning, code).toMatch(/^\S.*\.$/);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
