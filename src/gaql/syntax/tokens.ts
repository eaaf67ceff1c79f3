import { createToken, Lexer, type TokenType } from 'chevrotain';

/** A dotted field, a resource, an enum constant or a named period; the parser knows which by its place. */
export const Name = createToken({ name: 'Name', pattern: /[a-zA-Z][a-zA-Z0-9_.]*/ });

const keyword = (word: string): TokenType =>
  createToken({ name: word, pattern: new RegExp(word, 'i'), longer_alt: Name });

export const Select = keyword('SELECT');
export const From = keyword('FROM');
export const Where = keyword('WHERE');
export const And = keyword('AND');
export const Or = keyword('OR');
export const Order = keyword('ORDER');
export const By = keyword('BY');
export const Asc = keyword('ASC');
export const Desc = keyword('DESC');
export const Limit = keyword('LIMIT');
export const In = keyword('IN');
export const Not = keyword('NOT');
export const Like = keyword('LIKE');
export const Between = keyword('BETWEEN');
export const During = keyword('DURING');
export const Is = keyword('IS');
export const Null = keyword('NULL');

export const Comma = createToken({ name: 'Comma', pattern: ',' });
export const LeftParen = createToken({ name: 'LeftParen', pattern: '(' });
export const RightParen = createToken({ name: 'RightParen', pattern: ')' });
export const Semicolon = createToken({ name: 'Semicolon', pattern: ';' });

/** Spellings of other languages, taken as one word so that the message can name the right one. */
export const ForeignOperator = createToken({ name: 'ForeignOperator', pattern: /==|<>|=<|=>/ });
export const ComparisonOperator = createToken({ name: 'ComparisonOperator', pattern: /!=|<=|>=|=|<|>/ });

export const UnquotedDate = createToken({ name: 'UnquotedDate', pattern: /\d{4}-\d{2}-\d{2}/ });
export const NumberLiteral = createToken({ name: 'Number', pattern: /-?\d+(?:\.\d+)?/ });
export const StringLiteral = createToken({
  name: 'String',
  pattern: /'(?:[^'\\\r\n]|\\[^\r\n])*'|"(?:[^"\\\r\n]|\\[^\r\n])*"/,
});
/** A quote that is never closed on its line: one token, so that one message is given and not twenty. */
export const UnterminatedString = createToken({ name: 'UnterminatedString', pattern: /['"][^\r\n]*/ });

const WhiteSpace = createToken({ name: 'WhiteSpace', pattern: /[\s\uFEFF]+/, group: Lexer.SKIPPED, line_breaks: true });
export const Comment = createToken({ name: 'Comment', pattern: /--[^\r\n]*/, group: 'comments' });

/** Order decides: keywords before names, longer operators before their beginnings, closed strings before open ones. */
export const QUERY_TOKENS: TokenType[] = [
  WhiteSpace,
  Comment,
  ...[Select, From, Where, And, Order, Or, By, Asc, Desc, Limit, Between, During, Like, Not, Null, Is, In],
  Name,
  ...[Comma, LeftParen, RightParen, Semicolon, ForeignOperator, ComparisonOperator],
  ...[UnquotedDate, NumberLiteral, StringLiteral, UnterminatedString],
];

export const queryLexer = new Lexer(QUERY_TOKENS, { positionTracking: 'full', recoveryEnabled: true });
