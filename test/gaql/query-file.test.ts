import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { checkQueryFile, RESERVED_TABLE_NAMES } from '../../src/language/gaql/query-file.ts';
import { place } from './findings.ts';

const S = 'SELECT campaign.id FROM campaign';
const check = (name: string, source: string) => checkQueryFile(name, source, { catalogue: loadCatalogue('v25') });

describe('a query file', () => {
  it('fills the table of its name and takes its description from the first comment', () => {
    const { query, diagnostics } = check('keyword_stats', `-- What it is for.\n${S};\n`);
    expect(diagnostics).toEqual([]);
    expect(query).toMatchObject({ name: 'keyword_stats', description: 'What it is for.', text: S });
  });

  it.each(['a', 'a1', 'keyword_stats', `a${'b'.repeat(62)}`, 'accounts', 'runs'])('may be called %s', (name) => {
    expect(check(name, S).query?.name).toBe(name);
  });

  it.each(['', '1a', '_a', 'A', 'keyword-stats', 'a b', 'a.b', 'ä', `a${'b'.repeat(63)}`, 'a"b', '../a'])(
    'may not be called %j, an invalid table name',
    (name) => {
      const { query, diagnostics } = check(name, S);
      expect(query).toBeUndefined();
      expect(diagnostics.map(place)).toEqual(['BAD_TABLE_NAME 1:1-1:1']);
    },
  );

  const OWN = ['sqlite_master', 'kysely_migration', 'keyword_stats_by_day', 'slice', 'outbox', 'budget_intent'];
  it.each([...new Set([...RESERVED_TABLE_NAMES, ...OWN])])("may not be called %s, the program's own", (name) => {
    const { query, diagnostics } = check(name, S);
    expect(query).toBeUndefined();
    expect(diagnostics.map(({ message }) => message)).toEqual([`The table name "${name}" is reserved.`]);
  });

  it('reports findings of its name and its text together', () => {
    expect(check('A', `${S} LIMIT 0`).diagnostics.map(place)).toEqual([
      'BAD_TABLE_NAME 1:1-1:1',
      'LIMIT_VALUE_TOO_LOW 1:40-1:41',
    ]);
  });

  it('is refused with one message if it is not text', () => {
    const { query, diagnostics } = check('a', `${S}\u0000\u0001\u0002`);
    expect(query).toBeUndefined();
    expect(diagnostics.map(({ message }) => message)).toEqual(['The file is not text: it contains NUL bytes.']);
  });

  it('is refused with one message if it is too large', () => {
    const { query, diagnostics } = check('a', `${S} ${' '.repeat(4 * 1024 * 1024)}`);
    expect(query).toBeUndefined();
    expect(diagnostics.map(place)).toEqual(['UNREADABLE_FILE 1:1-1:1']);
  });

  it('is refused if it is empty', () => {
    expect(check('a', '').diagnostics.map(({ message }) => message)).toEqual([
      'The query is empty, expected SELECT at the start of the query.',
    ]);
  });
});
