import { type Diagnostic, spanAt } from '../domain/diagnostic.ts';
import { parseDecimal } from '../domain/rational.ts';
import { reportTo } from '../gaql/report.ts';
import { lexicalFinding, quote, tokenSpan } from '../gaql/syntax/syntax-messages.ts';
import { UnterminatedString } from '../gaql/syntax/tokens.ts';
import type { Expression } from './expression.ts';
import { expressionReader, UnsignedNumber } from './expression-grammar.ts';

/** Parentheses and signs nest at most this deep: a file cannot exhaust the stack. */
const NESTING_MAX = 200;
/** A row of AND or of sums is as deep a tree as it is long. */
const WORDS_MAX = 2_000;

const COMMENT_HINT =
  'After a space # begins a comment of the file: where the text holds one, quote the whole condition.';

export type ExpressionReading =
  | { readonly kind: 'ok'; readonly tree: Expression }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

/** Text to tree. Spans count from the text's own start. */
export function parseExpression(source: string): ExpressionReading {
  const { lexer, grammar } = expressionReader();
  const lexed = lexer.tokenize(source);
  if (lexed.errors.length > 0) {
    const diagnostics: Diagnostic[] = [];
    const report = reportTo(diagnostics);
    for (const error of lexed.errors) report(lexicalFinding(error, source, 'condition'));
    return { kind: 'refused', diagnostics };
  }
  const refuse = (code: string, span: Diagnostic['span'], message: string, hint?: string): ExpressionReading => ({
    kind: 'refused',
    diagnostics: [{ code, severity: 'error', span, message, ...(hint === undefined ? {} : { hint }) }],
  });
  const nesting = lexed.tokens.filter(({ image }) => image === '(' || image === '-' || /^not$/i.test(image)).length;
  if (nesting > NESTING_MAX) {
    return refuse(
      'UNEXPECTED_INPUT',
      spanAt(source, 0, source.length),
      `The condition nests more than ${NESTING_MAX} deep.`,
    );
  }
  if (lexed.tokens.length > WORDS_MAX) {
    const message = `The condition has ${lexed.tokens.length} words, the most is ${WORDS_MAX}.`;
    return refuse('UNEXPECTED_INPUT', spanAt(source, 0, source.length), message);
  }
  const open = lexed.tokens.find(({ tokenType }) => tokenType === UnterminatedString);
  if (open) {
    const message = `The text that begins with ${quote(open.image)} has no closing ${open.image[0]}.`;
    return refuse('STRING_NOT_TERMINATED', tokenSpan(open), message, COMMENT_HINT);
  }
  const long = lexed.tokens.find((token) => token.tokenType === UnsignedNumber && !parseDecimal(token.image));
  if (long) {
    return refuse('BAD_NUMBER', tokenSpan(long), `Found ${quote(long.image)}, expected a number of at most 30 digits.`);
  }
  grammar.input = lexed.tokens;
  const tree = grammar.condition();
  const exception = grammar.errors[0];
  if (!exception) return { kind: 'ok', tree };
  const token = exception.token;
  const expected = 'a comparison such as clicks >= 30, joined with AND or OR';
  if (Number.isNaN(token.startOffset)) {
    const end = spanAt(source, source.length, source.length + 1);
    return refuse('UNEXPECTED_END_OF_QUERY', end, `The condition ends too early, expected ${expected}.`);
  }
  return refuse('UNEXPECTED_INPUT', tokenSpan(token), `Found ${quote(token.image)}, expected ${expected}.`);
}
