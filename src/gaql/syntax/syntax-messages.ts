import type { ILexingError, IParserErrorMessageProvider, IRecognitionException, IToken } from 'chevrotain';
import { type Diagnostic, type Position, positionAt, type Span, spanAt } from '../../domain/diagnostic.ts';

interface Expectation {
  readonly code: string;
  readonly expected: string;
}

const FIELD: Expectation = { code: 'BAD_FIELD_NAME', expected: 'a field such as campaign.name' };
const VALUE: Expectation = { code: 'BAD_VALUE', expected: "a value: 'text', a number or a constant such as ENABLED" };
const OPERATOR: Expectation = {
  code: 'BAD_OPERATOR',
  expected: 'an operator: =, !=, <, <=, >, >=, IN, NOT IN, LIKE, NOT LIKE, BETWEEN, DURING or IS NULL',
};

/** What each place of the grammar waits for, by the name of the token or, before it, of the rule. */
const BY_TOKEN: Readonly<Record<string, Expectation>> = {
  SELECT: { code: 'EXPECTED_SELECT', expected: 'SELECT at the start of the query' },
  FROM: { code: 'EXPECTED_FROM', expected: 'FROM and a resource such as keyword_view' },
  BY: { code: 'EXPECTED_BY', expected: 'BY after ORDER' },
  AND: { code: 'EXPECTED_VALUE_WITH_BETWEEN_OPERATOR', expected: "AND between BETWEEN's two values" },
  LeftParen: { code: 'EXPECTED_LIST', expected: 'a list in parentheses after IN' },
  RightParen: { code: 'EXPECTED_LIST', expected: 'a comma or the closing parenthesis of the list' },
  NULL: { code: 'BAD_OPERATOR', expected: 'NULL or NOT NULL after IS' },
};

const BY_RULE: Readonly<Record<string, Expectation>> = {
  field: FIELD,
  fromClause: { code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE', expected: 'a resource such as keyword_view' },
  value: VALUE,
  condition: OPERATOR,
  comparison: OPERATOR,
};

const OTHERWISE: Expectation = { code: 'UNEXPECTED_INPUT', expected: 'the next clause or the end of the query' };

const encode = (expectation: Expectation): string => JSON.stringify(expectation);

/** Hands the parser's expectation on; {@link syntaxDiagnostic} makes the sentence. */
export const syntaxMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected, ruleName }) =>
    encode(BY_TOKEN[expected.name] ?? BY_RULE[ruleName] ?? OTHERWISE),
  buildNoViableAltMessage: ({ ruleName }) => encode(BY_RULE[ruleName] ?? OTHERWISE),
  buildEarlyExitMessage: ({ ruleName }) => encode(BY_RULE[ruleName] ?? OTHERWISE),
  buildNotAllInputParsedMessage: ({ firstRedundant }) =>
    encode(CLAUSE_ORDER[firstRedundant.tokenType.name] ?? OTHERWISE),
};

const IN_ORDER = 'the clauses in the order SELECT, FROM, WHERE, ORDER BY, LIMIT, each once';
const CLAUSE_ORDER: Readonly<Record<string, Expectation>> = Object.fromEntries(
  ['SELECT', 'FROM', 'WHERE', 'ORDER', 'LIMIT'].map((name) => [name, { code: 'UNEXPECTED_INPUT', expected: IN_ORDER }]),
);

/** The parser's exception as a finding. At the end of the text the parser has no place: the last word's end is it. */
export function syntaxDiagnostic(
  exception: IRecognitionException,
  source: string,
  lastToken: IToken | undefined,
): Diagnostic {
  const { code, expected } = JSON.parse(exception.message) as Expectation;
  const token = exception.token;
  if (Number.isNaN(token.startOffset)) {
    const end = lastToken === undefined ? 0 : (lastToken.endOffset ?? 0) + 1;
    const message = lastToken === undefined ? 'The query is empty' : `The query ends after ${quote(lastToken.image)}`;
    return {
      code: lastToken === undefined ? code : 'UNEXPECTED_END_OF_QUERY',
      severity: 'error',
      span: spanAt(source, end, end + 1),
      message: `${message}, expected ${expected}.`,
    };
  }
  return {
    code,
    severity: 'error',
    span: tokenSpan(token),
    message: `Found ${quote(token.image)}, expected ${expected}.`,
  };
}

/** Characters that begin no word of the language; a condition has no comments. */
export function lexicalDiagnostic(error: ILexingError, source: string, of: 'query' | 'condition'): Diagnostic {
  const found = source.slice(error.offset, error.offset + error.length);
  // The lexer counts lines as it goes; counting them again for every symbol would be quadratic.
  const start: Position = { offset: error.offset, line: error.line ?? 1, column: error.column ?? 1 };
  return {
    code: 'BAD_SYMBOL',
    severity: 'error',
    span: { start, end: endOf(start, found) },
    message: `Found ${quote(found)}, which has no meaning in a ${of}.`,
    hint: of === 'query' ? 'Text belongs in quotes, a comment after --.' : 'Text belongs in quotes.',
  };
}

function endOf(start: Position, text: string): Position {
  const { offset, line, column } = positionAt(text, text.length);
  return {
    offset: start.offset + offset,
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  };
}

/** Found text as a message shows it: quoted, control characters escaped, cut when long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

export function tokenSpan(first: IToken, last: IToken = first): Span {
  const end: Position = {
    offset: (last.endOffset ?? last.startOffset) + 1,
    line: last.endLine ?? 1,
    column: (last.endColumn ?? 1) + 1,
  };
  return { start: { offset: first.startOffset, line: first.startLine ?? 1, column: first.startColumn ?? 1 }, end };
}

/** An empty place, for a text without a single word. */
export function emptySpan(source: string): Span {
  const start = positionAt(source, 0);
  return { start, end: start };
}
