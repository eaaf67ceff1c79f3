import type { CstElement, CstNode, IToken } from 'chevrotain';
import { InvariantError } from '../../../domain/errors.ts';
import type { Report } from '../report.ts';
import { quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';
import { Name, REFUSED_WORDS } from './tokens.ts';
import type { FieldRef, Value } from './tree.ts';

const isToken = (element: CstElement): element is IToken => 'image' in element;

function written(token: IToken | undefined): IToken | undefined {
  return token?.isInsertedInRecovery ? undefined : token;
}

export function tokens(node: CstNode, name: string): IToken[] {
  return (node.children[name] ?? []).filter(isToken).filter((token) => written(token) !== undefined);
}

export function children(node: CstNode | undefined, name: string): CstNode[] {
  return (node?.children[name] ?? []).filter((element): element is CstNode => !isToken(element));
}

export const child = (node: CstNode, name: string): CstNode | undefined => children(node, name)[0];

/** Returns tokens in text order, without tokens that the parser inserted. */
export function tokensOf(node: CstNode, deep = true): IToken[] {
  const found: IToken[] = [];
  const collect = (from: CstNode): void => {
    for (const element of Object.values(from.children).flat()) {
      if (isToken(element)) {
        if (written(element)) found.push(element);
      } else if (deep) collect(element);
    }
  };
  collect(node);
  return found.sort((a, b) => a.startOffset - b.startOffset);
}

export function nameOf(node: CstNode): IToken | undefined {
  const name = tokens(node, Name.name)[0];
  return name && !REFUSED_WORDS.has(name.tokenType) ? name : undefined;
}

export function buildField(node: CstNode): FieldRef[] {
  const name = nameOf(node);
  return name ? [{ kind: 'field', name: name.image, span: tokenSpan(name) }] : [];
}

/** Returns the first item that no separator divides from the item before. */
export function missingSeparator<Item extends { readonly span: FieldRef['span'] }>(
  items: readonly Item[],
  separators: readonly IToken[],
): Item | undefined {
  let next = 0;
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]?.span.end.offset;
    while (before !== undefined && (separators[next]?.startOffset ?? Number.POSITIVE_INFINITY) < before) next += 1;
    const offset = separators[next]?.startOffset ?? Number.POSITIVE_INFINITY;
    if (before !== undefined && offset > item.span.start.offset) return item;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', "'": "'", '"': '"', n: '\n', r: '\r', t: '\t' };

export function textOf(literal: IToken): string {
  return literal.image.slice(1, -1).replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

export function buildValue(node: CstNode, report: Report): Value | undefined {
  const token = tokensOf(node)[0];
  if (!token) return undefined;
  const span = tokenSpan(token);
  switch (token.tokenType) {
    case t.NumberLiteral:
      return { kind: 'number', text: token.image, span };
    // An unquoted date is always wrong. As a single token, it causes only one message.
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
        message: `The text ${quote(token.image)} contains a line break.`,
        hint: 'Write \\n for a line break within a text.',
      });
      return undefined;
    case t.UnterminatedString:
      report({
        code: 'STRING_NOT_TERMINATED',
        span,
        message: `The text starting with ${quote(token.image.slice(0, 20))} has no closing ${token.image[0]} on its line.`,
      });
      return undefined;
    default:
      if (t.REFUSED_WORDS.has(token.tokenType)) return undefined;
      throw new InvariantError(`Unexpected token ${token.tokenType.name} for a value.`);
  }
}

/** Limits the distance to about 2,700 years. */
const DAYS_DIGITS_MAX = 6;

function buildPlaceholder(token: IToken, report: Report): Value | undefined {
  const [, name = '', sign, digits] = /^:(\w+)(?:([+-])(\d+))?$/.exec(token.image) ?? [];
  const span = tokenSpan(token);
  if (digits === undefined) return { kind: 'placeholder', name, days: undefined, span };
  if (digits.length > DAYS_DIGITS_MAX) {
    const message = `Found ${quote(token.image)}, expected at most ${DAYS_DIGITS_MAX} digits after ${sign}.`;
    report({ code: 'BAD_VALUE', span, message });
    return undefined;
  }
  const days = Number(digits);
  return { kind: 'placeholder', name, days: sign === '-' && days > 0 ? -days : days, span };
}

function reportEscapes(token: IToken, report: Report): void {
  const bad = /\\[^\\'"nrt]/u.exec(token.image.replaceAll('\\\\', '__'));
  if (!bad) return;
  const message = `Found the escape ${quote(bad[0])}, expected one of \\\\ \\' \\" \\n \\r \\t.`;
  const hint = 'Write \\\\ for a backslash. In LIKE, write [%] and [_] to match the characters % and _.';
  report({ code: 'BAD_ESCAPE_SEQUENCE', span: tokenSpan(token), message, hint });
}
