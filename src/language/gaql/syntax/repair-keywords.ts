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
  let clause: Clause = { keyword: undefined, index: 0 };
  for (const [index, token] of tokens.entries()) {
    const meant = keywordsMeant(token, { done, clause, hasFrom, after: tokens[index + 1] });
    if (meant.length > 0) reportMisspelt(token, meant, report);
    const read = meant.length > 0 ? meant.map((keyword) => readAs(token, keyword)) : [token];
    const [first] = read;
    if (first && CLAUSES.includes(first.tokenType)) clause = { keyword: first.tokenType, index: done.length };
    done.push(...read);
  }
  return done;
}

const CLAUSES: readonly TokenType[] = [t.Select, t.From, t.Where, t.Order, t.Limit, t.Parameters];

interface Clause {
  readonly keyword: TokenType | undefined;
  readonly index: number;
}

interface Place {
  readonly done: readonly IToken[];
  readonly clause: Clause;
  readonly hasFrom: boolean;
  readonly after: IToken | undefined;
}

export function readAs(token: IToken, type: TokenType): IToken {
  return { ...token, tokenType: type, tokenTypeIdx: type.tokenTypeIdx ?? token.tokenTypeIdx };
}

function keywordsMeant(token: IToken, place: Place): readonly TokenType[] {
  if (token.tokenType !== t.Name || token.image.includes('.') || token.image.length > LENGTH_MAX) return [];
  if (wordHint(token.image) !== undefined) return [];
  const word = token.image.toUpperCase();
  const expected = expectedKeywords(place);
  if (word === 'ORDERBY' && expected.includes(t.Order)) return [t.Order, t.By];
  const [nearest] = expected
    .map((keyword) => ({ keyword, score: distance(word, keyword.name) }))
    .filter(({ keyword: { name }, score }) => score <= 2 && (word[0] === name[0] || word.at(-1) === name.at(-1)))
    .sort((a, b) => a.score - b.score);
  return nearest ? [nearest.keyword] : [];
}

const LENGTH_MAX = 20;

function expectedKeywords(place: Place): readonly TokenType[] {
  const { done, clause, hasFrom, after } = place;
  const twoBefore = done.at(-2)?.tokenType;
  const before = done.at(-1)?.tokenType;
  switch (clause.keyword) {
    case undefined:
      return done.length === 0 ? [t.Select] : [];
    case t.Select:
      return !hasFrom && (before === t.Name || before === t.Comma) && after?.tokenType === t.Name ? [t.From] : [];
    case t.From:
      return done.length === clause.index + 2 ? [t.Where, t.Order, t.Limit, t.Parameters] : [];
    case t.Where:
      return expectedInWhere(place);
    case t.Order:
      if (before === t.Order) return [t.By];
      if (before === t.Asc || before === t.Desc) return [t.Limit, t.Parameters];
      return before === t.Name ? [t.Desc, t.Asc, t.Limit, t.Parameters] : [];
    case t.Limit:
      return twoBefore === t.Limit ? [t.Parameters] : [];
    default:
      return [];
  }
}

const VALUES: readonly (TokenType | undefined)[] = [
  t.StringLiteral,
  t.NumberLiteral,
  t.UnquotedDate,
  t.PlaceholderToken,
  t.RightParen,
  t.Null,
  t.Name,
];
const BEFORE_FIELD: readonly (TokenType | undefined)[] = [t.Where, t.And, t.Or];
const BEFORE_NAMED_VALUE: readonly (TokenType | undefined)[] = [t.ComparisonOperator, t.During, t.Like, t.RegexpMatch];

function expectedInWhere({ done, after }: Place): readonly TokenType[] {
  const twoBefore = done.at(-2)?.tokenType;
  const before = done.at(-1)?.tokenType;
  if (before === t.Is) return [t.Null, t.Not];
  if (before === t.Not) return twoBefore === t.Is ? [t.Null] : [];
  if (before === t.Contains) return [t.Any, t.All, t.None];
  if (before === t.Name && BEFORE_FIELD.includes(twoBefore)) return [t.Between, t.Contains];
  if (!VALUES.includes(before)) return [];
  if (twoBefore === t.Between) return [t.And];
  // A name after an operator is a value. Any other name is a field.
  if (before === t.Name && !BEFORE_NAMED_VALUE.includes(twoBefore)) return [];
  if (after?.tokenType === t.By) return [t.Order];
  if (after?.tokenType === t.NumberLiteral) return [t.Limit];
  return after?.tokenType === t.Name ? (after.image.includes('.') ? [t.And, t.Order] : [t.Order, t.Parameters]) : [];
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
