import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuery } from '../../../src/gaql/syntax/parse-query.ts';
import { printForService, printQuery } from '../../../src/gaql/syntax/print-query.ts';
import { queryLexer } from '../../../src/gaql/syntax/tokens.ts';
import { byEffort } from '../../support/effort.ts';
import { queryTree, withoutSpans } from './query-arbitrary.ts';
import { S, W } from './readings.ts';

it('any query is printed to a text that is read as the same query, and printed the same', () => {
  fc.assert(
    fc.property(queryTree, (query) => {
      const text = printQuery(query);
      const { tree, diagnostics } = parseQuery(text);
      expect(diagnostics).toEqual([]);
      expect(withoutSpans(tree)).toEqual(withoutSpans(query));
      expect(printQuery(tree)).toBe(text);
    }),
    { numRuns: byEffort({ quick: 150, thorough: 500 }) },
  );
});

it('is the same whatever stands between its words', () => {
  const space = fc.constantFrom(' ', '\n', '\t', ' -- so\n', '\r\n', '\r', '/* so */', '\u00a0', '\ufeff');
  fc.assert(
    fc.property(queryTree, fc.array(space, { minLength: 1, maxLength: 20 }), (query, spaces) => {
      const words = queryLexer.tokenize(printQuery(query)).tokens.map(({ image }) => image);
      const spread = words.map((word, index) => `${word}${spaces[index % spaces.length]}`).join('');
      expect(printQuery(parseQuery(spread).tree)).toBe(printQuery(query));
    }),
    { numRuns: byEffort({ quick: 150, thorough: 500 }) },
  );
});

it('what is sent has no columns', () => {
  const { tree } = parseQuery('SELECT campaign.id AS c, campaign.name FROM campaign LIMIT 5');
  expect(printForService(tree)).toBe('SELECT campaign.id, campaign.name FROM campaign LIMIT 5');
  expect(printForService(parseQuery(S).tree)).toBe(S);
});

it('a query with a placeholder is never sent', () => {
  expect(() => printForService(parseQuery(`${W} IN (1, :ids)`).tree)).toThrow('A query with :ids in it');
});
