import type { IToken } from 'chevrotain';
import type { Finding, Report } from '../report.ts';
import { explainForeignLetters, NO_ARITHMETIC, withoutForeignLetters } from './foreign-words.ts';
import { quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';

/** Words that may stand nowhere in a query are told, and read as what was meant where that can be seen. */
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
      // The function of `count(*)` is refused as a whole.
      if (before?.tokenType === t.LeftParen && twoBefore?.tokenType === t.Name) return 'elsewhere';
      return {
        message: `Found ${quote(token.image)}, which has no meaning in a query.`,
        hint: isOperand(before) ? NO_ARITHMETIC : 'Name the fields: pacekeeper fields RESOURCE lists them.',
      };
    case t.CommentEnd:
      return {
        message: 'Found the end of a comment that has no beginning.',
        hint: 'A comment within a comment ends both.',
      };
    case t.TypographicText:
    case t.ForeignLetters:
      return explainForeignLetters(token.image);
    case t.Template: {
      const name = token.image.replace(/%\((\w+)\)[sd]|%[sd]|\W/g, '$1').replace(/^\d+/, '');
      return {
        message: `Found the template ${quote(token.image)}; a query holds no pasted text.`,
        hint: `A value that is given from outside is written :${name || 'name'}, without quotes.`,
      };
    }
    case t.Backquoted:
      return {
        message: `Found ${quote(token.image)}; names are written without quotes.`,
        hint: `Write ${token.image.replaceAll('`', '') || 'campaign.name'}.`,
      };
    case t.HeadlessWord:
      return {
        message: `Found ${quote(token.image)}; a name begins with a letter.`,
        ...(before?.tokenType === t.As ? { code: 'BAD_ALIAS' as const } : {}),
      };
    case t.UnterminatedComment:
      return explainUnterminatedComment(token);
    default:
      return undefined;
  }
}

/** `metrics.clicks *` is arithmetic, `SELECT *` and `, *` are not. */
function isOperand(before: IToken | undefined): boolean {
  return before?.tokenType === t.Name || before?.tokenType === t.NumberLiteral || before?.tokenType === t.RightParen;
}

function explainUnterminatedComment(token: IToken): Explanation {
  const { start } = tokenSpan(token);
  return {
    code: 'COMMENT_NOT_TERMINATED',
    span: { start, end: { ...start, offset: start.offset + 2, column: start.column + 2 } },
    message: 'The comment that begins here has no end.',
    hint: 'Close it with */, or begin the line with --.',
  };
}

/** The word itself where nobody can tell what was meant: it takes the place of a name. */
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
