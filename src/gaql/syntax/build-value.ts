import type { CstNode, IToken } from 'chevrotain';
import { InvariantError } from '../../domain/errors.ts';
import type { Report } from '../report.ts';
import { tokensOf } from './cst.ts';
import { quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';
import type { Value } from './tree.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', "'": "'", '"': '"', n: '\n', r: '\r', t: '\t' };

/** What a string literal stands for: without its quotes, escapes resolved. */
export function textOf(literal: IToken): string {
  return literal.image.slice(1, -1).replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

/** A `value` of the grammar; undefined where it is none, which has been reported then. */
export function buildValue(node: CstNode, report: Report): Value | undefined {
  const token = tokensOf(node)[0];
  if (!token) return undefined;
  const span = tokenSpan(token);
  switch (token.tokenType) {
    case t.NumberLiteral:
      return { kind: 'number', text: token.image, span };
    // A date without quotes is no value of any type; taken as one word it gives one message.
    case t.UnquotedDate:
    case t.Name:
    case t.Any:
    case t.All:
    case t.None:
      return { kind: 'name', text: token.image, span };
    case t.PlaceholderToken:
      return buildPlaceholder(token, report);
    case t.StringLiteral:
      reportEscapes(token, report);
      return { kind: 'string', text: textOf(token), raw: token.image, span };
    case t.BadNumber:
      report({
        code: 'BAD_NUMBER',
        span,
        message: `Found ${quote(token.image)}, expected a number written in digits, such as 1500 or -0.5.`,
      });
      return undefined;
    case t.NewlineInString:
      report({
        code: 'PROHIBITED_NEWLINE_IN_STRING',
        span,
        message: `The text ${quote(token.image)} goes on over the end of its line.`,
        hint: 'Write \\n for a line end within a text.',
      });
      return undefined;
    case t.UnterminatedString:
      report({
        code: 'STRING_NOT_TERMINATED',
        span,
        message: `The text that begins with ${quote(token.image.slice(0, 20))} has no closing ${token.image[0]} on its line.`,
      });
      return undefined;
    default:
      if (t.REFUSED_WORDS.has(token.tokenType)) return undefined;
      throw new InvariantError(`A value made of a ${token.tokenType.name} token.`);
  }
}

/** More digits would lose their precision; no account is that old. */
const DAYS_DIGITS_MAX = 6;

function buildPlaceholder(token: IToken, report: Report): Value | undefined {
  const [, name = '', sign, digits] = /^:(\w+)(?:([+-])(\d+))?$/.exec(token.image) ?? [];
  const span = tokenSpan(token);
  if (digits === undefined) return { kind: 'placeholder', name, days: undefined, span };
  if (digits.length > DAYS_DIGITS_MAX) {
    report({
      code: 'BAD_VALUE',
      span,
      message: `Found ${quote(token.image)}, expected at most ${DAYS_DIGITS_MAX} digits after ${sign}.`,
    });
    return undefined;
  }
  const days = Number(digits);
  return { kind: 'placeholder', name, days: sign === '-' && days > 0 ? -days : days, span };
}

function reportEscapes(token: IToken, report: Report): void {
  const bad = /\\[^\\'"nrt]/u.exec(token.image.replaceAll('\\\\', '__'));
  if (!bad) return;
  report({
    code: 'BAD_ESCAPE_SEQUENCE',
    span: tokenSpan(token),
    message: `Found the escape ${quote(bad[0])}, expected one of \\\\ \\' \\" \\n \\r \\t.`,
    hint: 'Write \\\\ for a backslash itself; in LIKE, [%] and [_] stand for the signs themselves.',
  });
}
