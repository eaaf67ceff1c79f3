import {
  EOF,
  type ILexingError,
  type IParserErrorMessageProvider,
  type IRecognitionException,
  type IToken,
} from 'chevrotain';
import { type Position, positionAt, type Span, spanAt } from '../../../domain/diagnostic.ts';
import type { DiagnosticCode } from '../codes.ts';
import type { Finding } from '../report.ts';
import { GAARF, symbolHint, wordHint } from './foreign-words.ts';
import type { FieldRef } from './tree.ts';

interface Expectation {
  readonly code: DiagnosticCode;
  readonly expected: string;
  readonly hint?: string;
}

const FIELD: Expectation = { code: 'BAD_FIELD_NAME', expected: 'a field such as campaign.name' };
const VALUE: Expectation = { code: 'BAD_VALUE', expected: "a value: 'text', a number or a constant such as ENABLED" };
const OPERATOR: Expectation = {
  code: 'BAD_OPERATOR',
  expected: 'an operator such as =, !=, <, >=, IN, LIKE, BETWEEN, DURING, CONTAINS ANY or IS NULL',
};
const BOUND: Expectation = {
  code: 'EXPECTED_VALUE_WITH_BETWEEN_OPERATOR',
  expected: 'a value: BETWEEN takes two, with AND between them',
};

const BY_TOKEN: Readonly<Record<string, Expectation>> = {
  SELECT: { code: 'EXPECTED_SELECT', expected: 'SELECT at the start of the query' },
  FROM: { code: 'EXPECTED_FROM', expected: 'FROM and a resource such as keyword_view' },
  BY: { code: 'EXPECTED_BY', expected: 'BY after ORDER' },
  AND: { code: 'EXPECTED_AND', expected: "AND between BETWEEN's two values" },
  LeftParen: { code: 'EXPECTED_LIST', expected: 'a list in parentheses' },
  RightParen: { code: 'EXPECTED_LIST', expected: 'a comma or the closing parenthesis of the list' },
  NULL: { code: 'BAD_OPERATOR', expected: 'NULL or NOT NULL after IS' },
};

const BY_RULE: Readonly<Record<string, Expectation>> = {
  field: FIELD,
  alias: {
    code: 'BAD_ALIAS',
    expected: 'a column name after AS',
    hint: 'Use lower-case letters, digits and underscores, without quotes. Keywords are not allowed.',
  },
  fromClause: { code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE', expected: 'a resource such as keyword_view' },
  value: VALUE,
  operand: VALUE,
  bound: BOUND,
  rowCount: { code: 'BAD_LIMIT_VALUE', expected: 'a whole number of rows' },
  condition: OPERATOR,
  comparison: OPERATOR,
  parameter: { code: 'BAD_PARAMETER_NAME', expected: 'a request parameter such as include_drafts = true' },
};

const OTHERWISE: Expectation = { code: 'UNEXPECTED_INPUT', expected: 'the next clause or the end of the query' };
const CLAUSE_ORDER: Expectation = {
  code: 'UNEXPECTED_INPUT',
  expected: 'the clauses in the order SELECT, FROM, WHERE, ORDER BY, LIMIT, PARAMETERS, each once',
};
const SECOND_QUERY: Expectation = {
  code: 'UNEXPECTED_INPUT',
  expected: 'the end: a file holds one query',
  hint: 'Write two query files.',
};
const CLAUSES = ['FROM', 'WHERE', 'ORDER', 'LIMIT', 'PARAMETERS'];

const encode = (expectation: Expectation): string => JSON.stringify(expectation);

/** Each message is JSON, which {@link syntaxFinding} turns into a sentence. */
export const syntaxMessages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected, ruleName }) =>
    encode(BY_TOKEN[expected.name] ?? BY_RULE[ruleName] ?? OTHERWISE),
  buildNoViableAltMessage: ({ ruleName }) => encode(BY_RULE[ruleName] ?? OTHERWISE),
  buildEarlyExitMessage: ({ ruleName }) => encode(BY_RULE[ruleName] ?? OTHERWISE),
  buildNotAllInputParsedMessage: ({ firstRedundant: { tokenType } }) => {
    if (tokenType.name === 'SELECT') return encode(SECOND_QUERY);
    return encode(CLAUSES.includes(tokenType.name) ? CLAUSE_ORDER : OTHERWISE);
  },
};

/** An error at the end of the text gets the position after the last word. */
export function syntaxFinding(exception: IRecognitionException, source: string, words: readonly IToken[]): Finding {
  const { code, expected, hint } = JSON.parse(exception.message) as Expectation;
  const { token } = exception;
  const lastToken = words.at(-1);
  if (token.tokenType === EOF) {
    const end = lastToken === undefined ? 0 : (lastToken.endOffset ?? 0) + 1;
    const message = lastToken === undefined ? 'The query is empty' : `The query ends after ${quote(lastToken.image)}`;
    return {
      code: lastToken === undefined ? code : 'UNEXPECTED_END_OF_QUERY',
      span: spanAt(source, end, end + 1),
      message: `${message}, expected ${expected}.`,
      hint: endHint(expected, lastToken, words),
    };
  }
  return {
    code,
    span: tokenSpan(token),
    message: `Found ${quote(token.image)}, expected ${expected}.`,
    hint: hint ?? hintFor(token, code, source, words),
  };
}

function endHint(expected: string, last: IToken | undefined, words: readonly IToken[]): string | undefined {
  if (expected === BY_TOKEN.FROM?.expected) return fromHint(words);
  return /^during$/i.test(last?.image ?? '') ? 'Write a period, such as LAST_7_DAYS.' : undefined;
}

function fromHint(words: readonly IToken[]): string {
  const owners = words.flatMap(({ image }) => /^([a-z_]+)\.[a-z_]/.exec(image)?.[1] ?? []);
  const owner = owners.find((name) => name !== 'metrics' && name !== 'segments');
  return `Add FROM and a resource, for example FROM ${owner ?? 'campaign'}.`;
}

function hintFor(token: IToken, code: DiagnosticCode, source: string, words: readonly IToken[]): string | undefined {
  const { image, startOffset, endOffset = startOffset } = token;
  if (code === 'EXPECTED_FROM') return wordHint(image) ?? fromHint(words);
  if (code === 'UNEXPECTED_INPUT' && image === ';') return 'Remove it: a query needs at most one semicolon.';
  // Example: "SELECT campaign.id, 'x' AS label"
  const isConstant = /^['"\d-]/.test(image) && /^\s*AS\b/i.test(source.slice(endOffset + 1, endOffset + AFTER_MAX));
  if (code === 'BAD_FIELD_NAME' && isConstant) return `Add constants in SQL on the table. ${GAARF}`;
  // Example: "SELECT campaign.id, FROM campaign"
  const follows = code === 'BAD_FIELD_NAME' && /^from$/i.test(token.image);
  if (follows && /,\s*$/.test(source.slice(0, token.startOffset))) return 'Remove the comma before FROM.';
  if (!/^['"]/.test(token.image)) return wordHint(token.image);
  if (isDoubledQuote(token, source)) return QUOTE_HINT;
  return NAMED.includes(code) ? 'Write names without quotes.' : undefined;
}

const AFTER_MAX = 20;

const NAMED: readonly DiagnosticCode[] = ['BAD_FIELD_NAME', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE'];

export const QUOTE_HINT = "Write a backslash before a quote within a text: 'it\\'s'.";

/** True for the second part of `'it''s'`. */
function isDoubledQuote({ startOffset, image }: IToken, source: string): boolean {
  return /^['"]/.test(image) && source[startOffset - 1] === image[0];
}

export function callFinding(field: FieldRef, list: Span): Finding {
  return {
    code: 'BAD_FIELD_NAME',
    span: { start: field.span.start, end: list.end },
    message: `Found ${quote(`${field.name}(…)`)}, expected a field: the query language has no functions.`,
    hint: 'The service sums metrics. Calculate the rest in SQL on the table.',
  };
}

export function lexicalFinding(error: ILexingError, source: string, of: 'query' | 'condition'): Finding {
  const found = source.slice(error.offset, error.offset + error.length);
  // Uses the lexer's line numbers, because counting again would take quadratic time.
  const start: Position = { offset: error.offset, line: error.line ?? 1, column: error.column ?? 1 };
  return {
    code: 'BAD_SYMBOL',
    span: { start, end: endOf(start, found) },
    message: `Found ${quote(found)}, which has no meaning in a ${of}.`,
    hint:
      of === 'query'
        ? symbolHint(found, source.slice(Math.max(0, error.offset - 70), error.offset))
        : 'Put text in quotes.',
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
