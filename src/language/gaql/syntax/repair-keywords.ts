import type { IToken, TokenType } from 'chevrotain';
import { distance } from 'fastest-levenshtein';
import type { Report } from '../report.ts';
import { wordHint } from './foreign-words.ts';
import { quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';

/** Corrects a word only where the query allows no name. */
export function repairKeywords(tokens: readonly IToken[], report: Report): IToken[] {
  const hasFrom = tokens.some(({ tokenType }) => tokenType === t.From);
  const done: IToken[] = [];
  let clause: TokenType | undefined;
  for (const [index, token] of tokens.entries()) {
    const meant = keywordsMeant(token, expectedKeywords(done, clause, hasFrom, tokens[index + 1]));
    if (meant.length > 0) reportMisspelt(token, meant, report);
    const read = meant.length > 0 ? meant.map((keyword) => readAs(token, keyword)) : [token];
    const [first] = read;
    if (first && CLAUSES.has(first.tokenType)) clause = first.tokenType;
    done.push(...read);
  }
  return done;
}

export function readAs(token: IToken, type: TokenType): IToken {
  return { ...token, tokenType: type, tokenTypeIdx: type.tokenTypeIdx ?? token.tokenTypeIdx };
}

function keywordsMeant({ tokenType, image }: IToken, expected: readonly TokenType[]): readonly TokenType[] {
  if (tokenType !== t.Name || image.includes('.') || image.length > LENGTH_MAX || wordHint(image)) return [];
  const word = image.toUpperCase();
  if (word === 'ORDERBY' && expected.includes(t.Order)) return [t.Order, t.By];
  const [nearest] = expected
    .map((keyword) => ({ keyword, score: distance(word, keyword.name) }))
    .filter(({ score }) => score <= 2 && score < word.length)
    .filter(({ keyword: { name } }) => word[0] === name[0] || word.at(-1) === name.at(-1))
    .sort((a, b) => a.score - b.score);
  return nearest ? [nearest.keyword] : [];
}

const LENGTH_MAX = 20;

/** Clauses with the keywords that can follow a finished part of them. */
const CLAUSES: ReadonlyMap<TokenType | undefined, readonly TokenType[]> = new Map([
  [t.Select, []],
  [t.From, [t.Where, t.Order, t.Limit, t.Parameters]],
  [t.Where, [t.And, t.Order, t.Limit, t.Parameters]],
  [t.Order, [t.Desc, t.Asc, t.Limit, t.Parameters]],
  [t.Limit, [t.Parameters]],
  [t.Parameters, []],
]);

/** After these words, a keyword must follow. */
const AFTER_WORD: ReadonlyMap<TokenType | undefined, readonly TokenType[]> = new Map([
  [undefined, [t.Select]],
  [t.Order, [t.By]],
  [t.Is, [t.Null, t.Not]],
  [t.Not, [t.Null]],
  [t.Contains, [t.Any, t.All, t.None]],
]);

/** A part of a clause ends with one of these. */
const ENDS: ReadonlySet<TokenType | undefined> = new Set([
  ...t.NUMBERS,
  ...t.STRINGS,
  t.RightParen,
  t.Null,
  t.Asc,
  t.Desc,
]);
const BEFORE_FIELD: readonly (TokenType | undefined)[] = [t.Where, t.And, t.Or];

function expectedKeywords(
  done: readonly IToken[],
  clause: TokenType | undefined,
  hasFrom: boolean,
  after: IToken | undefined,
): readonly TokenType[] {
  const twoBefore = done.at(-2)?.tokenType;
  const before = done.at(-1)?.tokenType;
  if (clause === t.Select) {
    return !hasFrom && (before === t.Name || before === t.Comma) && after?.tokenType === t.Name ? [t.From] : [];
  }
  const following = AFTER_WORD.get(before);
  if (following) return following;
  if (before === t.Name && BEFORE_FIELD.includes(twoBefore)) return [t.Between, t.Contains];
  if (twoBefore === t.Between) return [t.And];
  return before === t.Name || ENDS.has(before) ? (CLAUSES.get(clause) ?? []) : [];
}

const CODES = new Map([
  [t.Select, 'EXPECTED_SELECT'],
  [t.From, 'EXPECTED_FROM'],
  [t.By, 'EXPECTED_BY'],
  [t.And, 'EXPECTED_AND'],
  [t.Between, 'BAD_OPERATOR'],
  [t.Contains, 'BAD_OPERATOR'],
  [t.Any, 'BAD_OPERATOR'],
  [t.All, 'BAD_OPERATOR'],
  [t.None, 'BAD_OPERATOR'],
  [t.Null, 'BAD_OPERATOR'],
  [t.Not, 'BAD_OPERATOR'],
] as const);

function reportMisspelt(token: IToken, meant: readonly TokenType[], report: Report): void {
  const keyword = meant.map(({ name }) => name).join(' ');
  const code = meant[0] && CODES.get(meant[0]);
  const message = `Found ${quote(token.image)}, expected ${keyword}.`;
  const hint = `Did you mean ${keyword}?`;
  report({ code: code ?? 'UNEXPECTED_INPUT', span: tokenSpan(token), message, hint });
}
