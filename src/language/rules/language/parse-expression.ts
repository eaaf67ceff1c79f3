import { EOF, type IToken } from 'chevrotain';
import { type Diagnostic, spanAt } from '../../../domain/diagnostic.ts';
import { parseDecimal } from '../../../domain/rational.ts';
import { type Finding, reportTo } from '../../gaql/report.ts';
import { lexicalFinding, quote, tokenSpan } from '../../gaql/syntax/syntax-messages.ts';
import type { Expression, WrittenChange } from './expression.ts';
import { expressionReader } from './expression-grammar.ts';
import { signHint, wordHint } from './expression-messages.ts';
import {
  AndWord,
  LeftParen,
  Minus,
  NotWord,
  OrWord,
  RightParen,
  UnsignedNumber,
  UnterminatedString,
} from './expression-tokens.ts';

/** Deeper nesting could overflow the stack. */
const NESTING_MAX = 50;
const SIGNS_MAX = 5;
/** A text with more words could make a tree so deep that the stack overflows. */
const WORDS_MAX = 2_000;
const CHARACTERS_MAX = 20_000;
const FINDINGS_MAX = 10;

const COMMENT_HINT =
  'A # after a space starts a comment in the file. If the text contains #, put the whole condition in quotes.';

export type Parsed<Tree> =
  | { readonly kind: 'ok'; readonly tree: Tree }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

/** Spans count from the start of `source`. Never throws. */
export const parseCondition = (source: string): Parsed<Expression> => parse(source, 'condition');

export const parseValue = (source: string): Parsed<Expression> => parse(source, 'value');

export const parseChange = (source: string): Parsed<WrittenChange> => parse(source, 'change');

type Kind = 'condition' | 'value' | 'change';

function parse<Tree>(source: string, kind: Kind): Parsed<Tree> {
  if (source.length > CHARACTERS_MAX) {
    return refuseWhole(source, `The ${kind} has ${source.length} characters, expected at most ${CHARACTERS_MAX}.`);
  }
  const { lexer, grammar } = expressionReader();
  const { tokens, errors } = lexer.tokenize(source);
  const diagnostics: Diagnostic[] = [];
  const report = reportTo(diagnostics);
  for (const error of errors.slice(0, FINDINGS_MAX)) {
    const found = source.slice(error.offset, error.offset + error.length);
    const hint = signHint(found, source.slice(Math.max(0, error.offset - 1), error.offset));
    report({ ...lexicalFinding(error, source, 'condition'), hint });
  }
  for (const found of badWords(tokens)) report(found);
  if (diagnostics.length > 0) return { kind: 'refused', diagnostics };
  const tooMuch = beyondLimits(tokens, kind);
  if (tooMuch !== undefined) return refuseWhole(source, tooMuch);

  grammar.input = tokens;
  const tree = grammar[kind]();
  if (grammar.errors.length === 0) return { kind: 'ok', tree: tree as Tree };
  return { kind: 'refused', diagnostics: syntaxErrors(tokens, source, kind) };
}

function refuseWhole<Tree>(source: string, message: string): Parsed<Tree> {
  const span = spanAt(source, 0, source.length);
  return { kind: 'refused', diagnostics: [{ code: 'UNEXPECTED_INPUT', severity: 'error', span, message }] };
}

function badWords(tokens: readonly IToken[]): Finding[] {
  return tokens.flatMap((token): Finding[] => {
    if (token.tokenType === UnterminatedString) {
      const message = `The text starting with ${quote(token.image)} has no closing ${token.image[0]}.`;
      return [{ code: 'STRING_NOT_TERMINATED', span: tokenSpan(token), message, hint: COMMENT_HINT }];
    }
    if (token.tokenType === UnsignedNumber && !parseDecimal(token.image)) {
      const message = `Found ${quote(token.image)}, expected a number of at most 30 digits.`;
      return [{ code: 'BAD_NUMBER', span: tokenSpan(token), message }];
    }
    return [];
  });
}

function beyondLimits(tokens: readonly IToken[], kind: Kind): string | undefined {
  if (tokens.length > WORDS_MAX) return `The ${kind} has ${tokens.length} words, expected at most ${WORDS_MAX}.`;
  let open = 0;
  let signs = 0;
  for (const { tokenType } of tokens) {
    if (tokenType === LeftParen) open += 1;
    if (tokenType === RightParen) open -= 1;
    signs = tokenType === Minus || tokenType === NotWord ? signs + 1 : 0;
    if (open > NESTING_MAX) return `The ${kind} has more than ${NESTING_MAX} nested parentheses.`;
    if (signs > SIGNS_MAX) return `The ${kind} has more than ${SIGNS_MAX} signs or NOTs in a row.`;
  }
  return undefined;
}

/** After an error in a condition, continues after the next AND or OR, to find further errors. */
function syntaxErrors(all: readonly IToken[], source: string, kind: Kind): Diagnostic[] {
  const { grammar } = expressionReader();
  const diagnostics: Diagnostic[] = [];
  const report = reportTo(diagnostics);
  let tokens = [...all];
  while (tokens.length > 0 || diagnostics.length === 0) {
    grammar.input = tokens;
    grammar[diagnostics.length === 0 ? kind : 'condition']();
    const exception = grammar.errors[0];
    if (!exception) break;
    const { token, message: expected } = exception;
    const atEnd = token.tokenType === EOF;
    const before = source.slice(0, atEnd ? source.length : token.startOffset);
    report(
      atEnd
        ? {
            code: 'UNEXPECTED_END_OF_QUERY',
            span: spanAt(source, source.length, source.length + 1),
            message: `The ${kind} ends too early, expected ${expected}.`,
          }
        : {
            code: 'UNEXPECTED_INPUT',
            span: tokenSpan(token),
            message: `Found ${quote(token.image)}, expected ${expected}.`,
            hint: wordHint(token.image, before.trimEnd(), source.slice((token.endOffset ?? 0) + 1)),
          },
    );
    const rest = atEnd || kind !== 'condition' ? [] : behindNextJoint(tokens, tokens.indexOf(token));
    if (rest.length === 0 || !isBalanced(rest) || diagnostics.length >= FINDINGS_MAX) break;
    tokens = rest;
  }
  return diagnostics;
}

function behindNextJoint(tokens: readonly IToken[], from: number): IToken[] {
  const joint = tokens.findIndex(({ tokenType }, index) => index > from && [AndWord, OrWord].includes(tokenType));
  return joint < 0 ? [] : tokens.slice(joint + 1);
}

function isBalanced(tokens: readonly IToken[]): boolean {
  let open = 0;
  for (const { tokenType } of tokens) {
    if (tokenType === LeftParen) open += 1;
    if (tokenType === RightParen) open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}
