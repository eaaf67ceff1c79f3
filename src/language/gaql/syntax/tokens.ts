import { createToken, type ITokenConfig, Lexer, type TokenType } from 'chevrotain';

/** `line_breaks: false` avoids a slow analysis of each pattern. */
const inLine = (config: ITokenConfig): TokenType => createToken({ line_breaks: false, ...config });

/** A field, resource, column name, enum constant or period, depending on the position in the query. */
export const Name = inLine({ name: 'Name', pattern: /[a-zA-Z][a-zA-Z0-9_.]*/ });

const keyword = (word: string): TokenType => inLine({ name: word, pattern: new RegExp(word, 'i'), longer_alt: Name });

/** A word that is part of an operator, but a name elsewhere: `campaign.serving_status = NONE`. */
const softKeyword = (word: string): TokenType =>
  inLine({ name: word, pattern: new RegExp(word, 'i'), longer_alt: Name, categories: Name });

export const Select = keyword('SELECT');
export const As = keyword('AS');
export const From = keyword('FROM');
export const Where = keyword('WHERE');
export const And = keyword('AND');
export const Or = keyword('OR');
export const Order = keyword('ORDER');
export const By = keyword('BY');
export const Asc = keyword('ASC');
export const Desc = keyword('DESC');
export const Limit = keyword('LIMIT');
export const Parameters = keyword('PARAMETERS');
export const In = keyword('IN');
export const Not = keyword('NOT');
export const Like = keyword('LIKE');
export const RegexpMatch = keyword('REGEXP_MATCH');
export const Contains = keyword('CONTAINS');
export const Any = softKeyword('ANY');
export const All = softKeyword('ALL');
export const None = softKeyword('NONE');
export const Between = keyword('BETWEEN');
export const During = keyword('DURING');
export const Is = keyword('IS');
export const Null = keyword('NULL');

export const Comma = inLine({ name: 'Comma', pattern: ',' });
export const LeftParen = inLine({ name: 'LeftParen', pattern: '(' });
export const RightParen = inLine({ name: 'RightParen', pattern: ')' });
export const Semicolon = inLine({ name: 'Semicolon', pattern: ';' });

export const ForeignOperator = inLine({ name: 'ForeignOperator', pattern: /==|<>|=<|=>/ });
export const ComparisonOperator = inLine({ name: 'ComparisonOperator', pattern: /!=|<=|>=|=|<|>/ });

export const UnquotedDate = inLine({ name: 'UnquotedDate', pattern: /\d{4}-\d{2}-\d{2}(?![\w.])/ });
/** Matches `1e6`, `5k` and `1.2.3` as one token, so that only one error is reported. */
export const BadNumber = inLine({ name: 'BadNumber', pattern: /-?\.?\d[\w.]*/ });
const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}

/** No regular expression, because a very long number could overflow the stack. */
function matchNumber(text: string, offset: number): [string] | null {
  const first = text[offset] === '-' ? offset + 1 : offset;
  const whole = endOfDigits(text, first);
  if (whole === first) return null;
  const end = text[whole] === '.' && isDigit(text, whole + 1) ? endOfDigits(text, whole + 1) : whole;
  return [text.slice(offset, end)];
}

export const NumberLiteral = inLine({
  name: 'Number',
  pattern: matchNumber,
  start_chars_hint: [...'-0123456789'],
  longer_alt: BadNumber,
});
/** No regular expression, because a very long text could overflow the stack. */
function matchString(text: string, offset: number): [string] | null {
  const mark = text[offset];
  if (mark !== "'" && mark !== '"') return null;
  for (let at = offset + 1; at < text.length; at += 1) {
    if (text[at] === mark) return [text.slice(offset, at + 1)];
    if (text[at] === '\\') at += 1;
    if (text[at] === '\n' || text[at] === '\r') return null;
  }
  return null;
}

export const StringLiteral = inLine({
  name: 'String',
  pattern: matchString,
  start_chars_hint: ["'", '"'],
});
/** A quote without an end on its line. One token causes only one error message. */
export const UnterminatedString = inLine({ name: 'UnterminatedString', pattern: /['"][^\r\n]*/ });

const CLAUSE_START = /^\s*(?:--|#|AND|OR|FROM|WHERE|ORDER|LIMIT|PARAMETERS)/i;

/** Matches a text in quotes that contains one line break. */
function matchNewlineInString(text: string, offset: number): [string] | null {
  // After an invalid symbol, the lexer calls this function for every character.
  if (text[offset] !== "'" && text[offset] !== '"') return null;
  const [lineEnd = ''] = NEXT_LINE_END.exec(text.slice(offset, offset + LINE_MAX)) ?? [];
  const from = offset + lineEnd.length;
  const line = text.slice(from, from + LINE_MAX).split(/[\r\n]/, 1)[0] ?? '';
  const quotes = line.split(text[offset] ?? '').length - 1;
  if (lineEnd === '' || quotes % 2 === 0 || CLAUSE_START.test(line)) return null;
  return [text.slice(offset, from + line.indexOf(text[offset] ?? '') + 1)];
}

const LINE_MAX = 10_000;
const NEXT_LINE_END = /^[^\r\n]*(?:\r\n|\r|\n)/;

export const NewlineInString = createToken({
  name: 'NewlineInString',
  pattern: matchNewlineInString,
  start_chars_hint: ["'", '"'],
  line_breaks: true,
});

export const PlaceholderToken = inLine({ name: 'Placeholder', pattern: /:[a-zA-Z_]\w*(?:[+-]\d+)?/ });

/** Such a word is never valid, but the parser accepts it as a name and continues. */
const refused = (name: string, pattern: RegExp): TokenType => inLine({ name, pattern, categories: Name });

export const Star = refused('Star', /(?:[a-zA-Z][\w.]*\.)?\*/);
/** The end of a comment without a start. */
export const CommentEnd = refused('CommentEnd', /\*\//);
export const TypographicText = refused('TypographicText', /[‘’‚‛“”„‟«»‹›][^‘’‚‛“”„‟«»‹›'"\r\n]*[‘’‚‛“”„‟«»‹›]/);
/** A word with non-ASCII letters or invisible characters. */
export const ForeignLetters = refused(
  'ForeignLetters',
  /[\w.]*(?:[\u0080-\u009F\u00A1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\uFEFE\uFF00-\uFFFF][\w.]*)+/,
);
/** Matches `{name}`, `${name}`, `{{ name }}`, `%s`, `%(name)s`, `@name`, `$1` and `?`. */
export const Template = refused('Template', /\$?\{\{?[^{}\r\n]*\}\}?|%\(\w+\)[sd]|%[sd](?!\w)|@\w+|\$\w+|\?/);
export const Backquoted = refused('Backquoted', /`[^`\r\n]*`(?:\.`[^`\r\n]*`)*/);
const PART = /(?<=\.\w*):[a-zA-Z_][\w.]*/y;

function matchPart(text: string, offset: number): [string] | null {
  PART.lastIndex = offset;
  const [part] = PART.exec(text) ?? [];
  return part === undefined ? null : [part];
}

/** Matches `:nested.name` directly after a field. */
export const PartOfField = inLine({
  name: 'PartOfField',
  pattern: matchPart,
  start_chars_hint: [':'],
  categories: Name,
});
/** Replaces each query in parentheses before the parser runs. */
export const NestedQuery = refused('NestedQuery', Lexer.NA);
export const HeadlessWord = refused('HeadlessWord', /[_.][\w.]*/);

const REFUSED_SIGNS = [PartOfField, CommentEnd, Star, TypographicText, ForeignLetters];
const REFUSED_NAMES = [Template, Backquoted, HeadlessWord, NestedQuery];
export const REFUSED_WORDS: ReadonlySet<TokenType> = new Set([...REFUSED_SIGNS, ...REFUSED_NAMES]);

export const UnterminatedComment = createToken({
  name: 'UnterminatedComment',
  pattern: /\/\*[\s\S]*/,
  line_breaks: true,
});

export const WhiteSpace = createToken({
  name: 'WhiteSpace',
  pattern: /[\s\uFEFF]+/,
  group: Lexer.SKIPPED,
  line_breaks: true,
});
const LineComment = inLine({ name: 'LineComment', pattern: /(?:--|#|\/\/)[^\r\n]*/, group: 'comments' });
const BlockComment = createToken({
  name: 'BlockComment',
  pattern: /\/\*[\s\S]*?\*\//,
  group: 'comments',
  line_breaks: true,
});

const BLANKS = [WhiteSpace, LineComment, BlockComment, UnterminatedComment];
const CLAUSE_WORDS = [Select, From, Where, And, Asc, As, Order, Or, By, Desc, Limit, Parameters];
const OPERATOR_WORDS = [Between, During, Like, Not, Null, RegexpMatch, Contains, Any, All, None, Is, In];
const SIGNS = [Comma, LeftParen, RightParen, Semicolon, ForeignOperator, ComparisonOperator];
export const NUMBERS = [PlaceholderToken, UnquotedDate, NumberLiteral, BadNumber];
export const STRINGS = [StringLiteral, NewlineInString, UnterminatedString];

/** Order matters: keywords before names, longer operators before their prefixes, closed strings before open ones. */
export const QUERY_TOKENS: TokenType[] = [
  ...BLANKS,
  ...REFUSED_SIGNS,
  ...CLAUSE_WORDS,
  ...OPERATOR_WORDS,
  Name,
  ...SIGNS,
  ...NUMBERS,
  ...STRINGS,
  ...REFUSED_NAMES,
];

export const LEXER_OPTIONS = { positionTracking: 'full', recoveryEnabled: true, ensureOptimizations: true } as const;

/** Only a test validates the tokens, because validation is slow. */
export const queryLexer = new Lexer(QUERY_TOKENS, { ...LEXER_OPTIONS, skipValidations: true });
