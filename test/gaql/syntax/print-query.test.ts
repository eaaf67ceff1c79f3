import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuery } from '../../../src/gaql/syntax/parse-query.ts';
import { printQuery } from '../../../src/gaql/syntax/print-query.ts';

const KEYWORDS = /^(select|from|where|and|or|order|by|asc|desc|limit|in|not|like|between|during|is|null)$/i;
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}(\.[a-z0-9_]{1,8}){0,2}$/).filter((text) => !KEYWORDS.test(text));
const text = fc
  .string({ unit: fc.constantFrom('a', ' ', '#', '--', ';', ' FROM ', '{', '"', "\\'", '\\\\', '\\n', 'é', '😀', '%') })
  .map((inner) => `'${inner}'`);
const value = fc.oneof(
  text,
  fc.integer().map(String),
  fc.stringMatching(/^[A-Z][A-Z_]{3,9}$/).filter((word) => !KEYWORDS.test(word)),
);
const space = fc.constantFrom(' ', '\n', '\t', ' -- so\n', '\r\n');
const condition = fc.oneof(
  fc
    .tuple(name, fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'LIKE', 'NOT LIKE'), value)
    .map((parts) => parts.join(' ')),
  fc
    .tuple(name, fc.constantFrom('IN', 'NOT IN'), fc.array(value, { minLength: 1, maxLength: 4 }))
    .map(([field, operator, values]) => `${field} ${operator} (${values.join(', ')})`),
  fc.tuple(name, value, value).map(([field, low, high]) => `${field} BETWEEN ${low} AND ${high}`),
  name.map((field) => `${field} DURING LAST_7_DAYS`),
  fc.tuple(name, fc.constantFrom('IS NULL', 'IS NOT NULL')).map((parts) => parts.join(' ')),
);
const clause = (word: string, parts: readonly string[], joint: string) =>
  parts.length === 0 ? '' : ` ${word} ${parts.join(joint)}`;
const printed = fc
  .record({
    select: fc.array(name, { minLength: 1, maxLength: 4 }),
    from: fc.stringMatching(/^[a-z][a-z_]{0,9}$/).filter((word) => !KEYWORDS.test(word)),
    where: fc.array(condition, { maxLength: 3 }),
    orderBy: fc.array(
      fc.tuple(name, fc.constantFrom('ASC', 'DESC')).map((parts) => parts.join(' ')),
      { maxLength: 2 },
    ),
    limit: fc.option(fc.integer({ min: 1, max: 2_147_483_647 })),
  })
  .map(
    ({ select, from, where, orderBy, limit }) =>
      `SELECT ${select.join(', ')} FROM ${from}${clause('WHERE', where, ' AND ')}${clause('ORDER BY', orderBy, ', ')}${limit === null ? '' : ` LIMIT ${limit}`}`,
  );

it('a printed query is read and printed as itself', () => {
  fc.assert(
    fc.property(printed, (source) => {
      const { tree, diagnostics } = parseQuery(source);
      expect(diagnostics).toEqual([]);
      expect(printQuery(tree)).toBe(source);
    }),
    { numRuns: 500 },
  );
});

it('is the same whatever stands between its words', () => {
  fc.assert(
    fc.property(printed, fc.array(space, { minLength: 1, maxLength: 20 }), (source, spaces) => {
      let index = 0;
      const spread = source.replace(/'(?:[^'\\]|\\.)*'| /g, (part) =>
        part === ' ' ? (spaces[index++ % spaces.length] ?? ' ') : part,
      );
      expect(printQuery(parseQuery(spread).tree)).toBe(source);
    }),
    { numRuns: 500 },
  );
});
