import { Lexer } from 'chevrotain';
import { expect, it } from 'vitest';
import { QueryGrammar } from '../../../src/language/gaql/syntax/query-grammar.ts';
import { LEXER_OPTIONS, QUERY_TOKENS } from '../../../src/language/gaql/syntax/tokens.ts';

it('the grammar is unambiguous', () => {
  expect(() => new QueryGrammar({ skipValidations: false })).not.toThrow();
});

it('no word hides another', () => {
  const { lexerDefinitionErrors } = new Lexer(QUERY_TOKENS, { ...LEXER_OPTIONS, deferDefinitionErrorsHandling: true });
  expect(lexerDefinitionErrors).toEqual([]);
});
