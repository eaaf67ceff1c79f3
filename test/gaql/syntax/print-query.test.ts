import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { printForService, printQuery } from '../../../src/language/gaql/syntax/print-query.ts';
import { queryLexer } from '../../../src/language/gaql/syntax/tokens.ts';
import { byEffort } from '../../support/effort.ts';
import { queryTree, withoutSpans } from './query-arbitrary.ts';
import { S, W } from './readings.ts';

it('any printed query reads and prints as the same query', () => {
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

it('prints the same with any text between words', () => {
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

it('a sent query has no aliases', () => {
  const { tree } = parseQuery('SELECT campaign.id AS c, campaign.name FROM campaign LIMIT 5');
  expect(printForService(tree)).toBe('SELECT campaign.id, campaign.name FROM campaign LIMIT 5');
  expect(printForService(parseQuery(S).tree)).toBe(S);
});

it('never sends a query with a placeholder', () => {
  expect(() => printForService(parseQuery(`${W} IN (1, :ids)`).tree)).toThrow('The query to send still contains :ids.');
});

const WORDS = [
  ...'SELECT FROM WHERE AND OR ORDER BY DESC ASC LIMIT PARAMETERS AS IN NOT LIKE REGEXP_MATCH CONTAINS ANY NONE'.split(
    ' ',
  ),
  ...'BETWEEN DURING IS NULL FORM WHRE GROUP JOIN UNION TOP CASE campaign.id campaign a.b x count'.split(' '),
  ...`( ) , ; = != == < 'text' "t" 'open 5 0 1e6 -3 :x :today-7 2026-01-01 * % {x} сampaign */ “q” . _a ?`.split(' '),
  '`a`',
  '-- c\n',
  '/* c */',
  '/* open',
  '\u0000',
  '\u200b',
];
const QUERY = "SELECT a.b , c.d AS e FROM f WHERE a.b = 1 AND c.d IN ( 'x' , 2 ) ORDER BY a.b DESC LIMIT 5".split(' ');

/** A right query in which some words were replaced, put in or taken away. */
const damaged = fc
  .array(fc.tuple(fc.nat(QUERY.length), fc.constantFrom('replace', 'insert', 'remove'), fc.constantFrom(...WORDS)), {
    maxLength: 4,
  })
  .map((edits) => {
    const words = [...QUERY];
    for (const [at, how, word] of edits)
      words.splice(at, how === 'insert' ? 0 : 1, ...(how === 'remove' ? [] : [word]));
    return words.join(' ');
  });

/** The words of a text, without what has no part in its meaning. */
const wordsOf = (text: string) =>
  queryLexer
    .tokenize(text)
    .tokens.map(({ image, tokenType }) => (tokenType.name === 'String' ? image : image.toUpperCase()))
    .filter((word) => word !== ';' && word !== 'ASC');

it.each([
  ['damaged queries', damaged],
  ['any row of words', fc.array(fc.constantFrom(...WORDS), { maxLength: 16 }).map((words) => words.join(' '))],
])('reads accepted text completely, and reports skipped text: %s', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      const { tree, diagnostics } = parseQuery(text);
      if (diagnostics.length > 0) return;
      expect(wordsOf(printQuery(tree))).toEqual(wordsOf(text));
    }),
    { numRuns: byEffort({ quick: 400, thorough: 1_500 }) },
  );
});
