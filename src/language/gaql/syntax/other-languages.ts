import type { IToken, TokenType } from 'chevrotain';
import type { Finding, Report } from '../report.ts';
import {
  explainForeignLetters,
  GAARF,
  NO_ARITHMETIC,
  NO_PARTS,
  withoutForeignLetters,
  wordHint,
} from './foreign-words.ts';
import { readAs } from './repair-keywords.ts';
import { quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';

const AFTER_SELECT: readonly string[] = ['DISTINCT', 'TOP', 'ALL'];
const EXPRESSIONS: readonly string[] = ['CASE', 'EXISTS'];
const JOINS: readonly string[] = ['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'OUTER', 'CROSS', 'ON'];
const WITH_A_QUERY: readonly string[] = ['UNION', 'EXCEPT', 'INTERSECT'];
const CLAUSES: readonly string[] = ['GROUP', 'HAVING', 'OFFSET', 'FETCH', ...JOINS, ...WITH_A_QUERY];

/** A clause of another language ends at one of these tokens. */
const CLAUSE_STARTS: readonly TokenType[] = [t.Where, t.Order, t.Limit, t.Parameters, t.Semicolon];
const CLAUSE_ENDS: readonly TokenType[] = [...t.NUMBERS, t.StringLiteral, t.Name, t.RightParen, t.Null, t.Asc, t.Desc];

/** Skips clauses of other languages. `left` contains the offset after each skipped clause. */
export function leaveOutForeignClauses(
  tokens: readonly IToken[],
  report: Report,
): { readonly kept: readonly IToken[]; readonly left: readonly number[] } {
  const kept: IToken[] = [];
  const left: number[] = [];
  let from = false;
  let depth = 0;
  for (let index = 0; index < tokens.length; ) {
    const end = endOfForeign(tokens, index, kept.at(-1)?.tokenType, from && depth === 0);
    const token = tokens[index];
    if (!token) break;
    if (end > index) {
      const expected = from ? 'the next clause or the end of the query' : 'a field such as campaign.name';
      const message = `Found ${quote(token.image)}, expected ${expected}.`;
      report({ code: 'UNEXPECTED_INPUT', span: tokenSpan(token), message, hint: wordHint(token.image) });
      left.push((tokens[end - 1]?.endOffset ?? token.startOffset) + 1);
      index = end;
      continue;
    }
    if (token.tokenType === t.From) from = true;
    if (token.tokenType === t.LeftParen) depth += 1;
    if (token.tokenType === t.RightParen) depth -= 1;
    kept.push(token);
    index += 1;
  }
  return { kept, left };
}

function endOfForeign(
  tokens: readonly IToken[],
  index: number,
  before: TokenType | undefined,
  inClauses: boolean,
): number {
  const word = foreignWord(tokens[index]);
  if (word === undefined || !before) return index;
  if (inClauses)
    return CLAUSES.includes(word) && CLAUSE_ENDS.includes(before) ? endOfClause(tokens, index, word) : index;
  const after = tokens[index + 1]?.tokenType;
  if (after === undefined || [t.Comma, t.From, t.As].includes(after)) return index;
  if (before === t.Select && AFTER_SELECT.includes(word)) return after === t.NumberLiteral ? index + 2 : index + 1;
  if ((before === t.Select || before === t.Comma) && EXPRESSIONS.includes(word)) {
    return indexWhere(tokens, index + 1, ({ tokenType }) => tokenType === t.Comma || tokenType === t.From);
  }
  return index;
}

function foreignWord(token: IToken | undefined): string | undefined {
  return token && (token.tokenType === t.Name || token.tokenType === t.All) ? token.image.toUpperCase() : undefined;
}

function endOfClause(tokens: readonly IToken[], index: number, word: string): number {
  if (WITH_A_QUERY.includes(word)) return tokens.length;
  return indexWhere(tokens, index + 1, (token) => {
    if (CLAUSE_STARTS.includes(token.tokenType)) return true;
    const next = foreignWord(token);
    return next !== undefined && CLAUSES.includes(next) && wordHint(next) !== wordHint(word);
  });
}

function indexWhere(tokens: readonly IToken[], from: number, wanted: (token: IToken) => boolean): number {
  let index = from;
  for (let token = tokens[index]; token && !wanted(token); token = tokens[index]) index += 1;
  return index;
}

/** Replaces each query in parentheses by one token, so that only one error is reported. */
export function replaceNestedQueries(tokens: readonly IToken[], report: Report): readonly IToken[] {
  if (tokens[0]?.tokenType !== t.Select) return tokens;
  const kept: IToken[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const begins = depth === 0 && token.tokenType === t.LeftParen && next?.tokenType === t.Select;
    if (begins) {
      const message = 'Found a query within the query.';
      report({ code: 'UNEXPECTED_INPUT', span: tokenSpan(next), message, hint: wordHint(next.image) });
    }
    const isNested = begins || depth > 0;
    if (isNested && token.tokenType === t.LeftParen) depth += 1;
    if (isNested && token.tokenType === t.RightParen) depth -= 1;
    if (!isNested) kept.push(token);
    else if (depth === 0 || next === undefined) kept.push(readAs(token, t.NestedQuery));
  }
  return kept;
}

export function refuseWords(tokens: readonly IToken[], report: Report): IToken[] {
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    const finding = explain(token, before, tokens[index - 2]);
    if (!finding) return [token];
    if (finding !== 'elsewhere') report({ code: 'BAD_SYMBOL', span: tokenSpan(token), ...finding });
    return meant(token);
  });
}

type Explanation = Pick<Finding, 'message' | 'hint'> & Partial<Finding>;

function explain(
  token: IToken,
  before: IToken | undefined,
  twoBefore: IToken | undefined,
): Explanation | 'elsewhere' | undefined {
  switch (token.tokenType) {
    case t.Star:
      if (before?.tokenType === t.LeftParen && twoBefore?.tokenType === t.Name) return 'elsewhere';
      return {
        message: `Found ${quote(token.image)}, which has no meaning in a query.`,
        hint: isOperand(before) ? NO_ARITHMETIC : 'Name the fields. Run pacekeeper fields RESOURCE to list them.',
      };
    case t.CommentEnd:
      return {
        message: 'Found the end of a comment, but no start.',
        hint: 'Comments cannot be nested.',
      };
    case t.TypographicText:
    case t.ForeignLetters:
      return explainForeignLetters(token.image);
    case t.Template: {
      const name = token.image.replace(/%\((\w+)\)[sd]|%[sd]|\W/g, '$1').replace(/^\d+/, '');
      return {
        message: `Found the template ${quote(token.image)}, expected a parameter.`,
        hint: `Write a parameter as :${name || 'name'}, without quotes.${token.image.startsWith('{') ? ` ${GAARF}` : ''}`,
      };
    }
    case t.PartOfField:
      return { message: `Found ${quote(token.image)}, which asks for a part of a field.`, hint: NO_PARTS };
    case t.Backquoted:
      return {
        message: `Found ${quote(token.image)}, expected a name without quotes.`,
        hint: `Write ${token.image.replaceAll('`', '') || 'campaign.name'}.`,
      };
    case t.HeadlessWord:
      return {
        message: `Found ${quote(token.image)}, expected a name that begins with a letter.`,
        ...(before?.tokenType === t.As ? { code: 'BAD_ALIAS' as const } : {}),
      };
    case t.UnterminatedComment:
      return explainUnterminatedComment(token);
    default:
      return undefined;
  }
}

function isOperand(before: IToken | undefined): boolean {
  return before?.tokenType === t.Name || before?.tokenType === t.NumberLiteral || before?.tokenType === t.RightParen;
}

function explainUnterminatedComment(token: IToken): Explanation {
  const { start } = tokenSpan(token);
  return {
    code: 'COMMENT_NOT_TERMINATED',
    span: { start, end: { ...start, offset: start.offset + 2, column: start.column + 2 } },
    message: 'This comment has no end.',
    hint: 'Close it with */, or begin the line with --.',
  };
}

/** A word with an unclear meaning is returned unchanged. */
function meant(token: IToken): IToken[] {
  if (token.tokenType === t.UnterminatedComment) return [];
  if (token.tokenType !== t.Backquoted && token.tokenType !== t.ForeignLetters) return [token];
  const text = token.tokenType === t.Backquoted ? token.image.replaceAll('`', '') : withoutForeignLetters(token.image);
  if (text === '') return token.tokenType === t.Backquoted ? [token] : [];
  const { tokens, errors } = text === undefined ? { tokens: [], errors: [] } : t.queryLexer.tokenize(text);
  const [word] = tokens;
  if (!word || tokens.length > 1 || errors.length > 0 || t.REFUSED_WORDS.has(word.tokenType)) return [token];
  return [{ ...token, image: word.image, tokenType: word.tokenType, tokenTypeIdx: word.tokenTypeIdx }];
}
