import type { IToken, TokenType } from 'chevrotain';
import { renamedField } from '../catalogue/catalogue.ts';
import { quote, tokenSpan } from '../syntax/syntax-messages.ts';
import * as t from '../syntax/tokens.ts';
import { Computed, DayMacro, Macro } from './dialect-tokens.ts';
import { rangeOf } from './edits.ts';
import { currentName, HAS_MACRO } from './select-items.ts';
import type { Draft } from './turn-select.ts';

const BEFORE_VALUE: readonly (TokenType | undefined)[] = [
  t.ComparisonOperator,
  t.ForeignOperator,
  t.Like,
  t.RegexpMatch,
  t.During,
  t.Between,
  t.LeftParen,
  t.Comma,
];
const BEFORE_LIST: readonly (TokenType | undefined)[] = [t.In, t.Any, t.All, t.None];

export function turnConditions(tokens: readonly IToken[], { context, report, note, edits }: Draft): void {
  let isBetween = false;
  let isWhere = false;
  for (const [index, token] of tokens.entries()) {
    const { tokenType, image } = token;
    const before = tokens[index - 1]?.tokenType;
    const span = tokenSpan(token);
    if (tokenType === t.Where) isWhere = true;
    if (tokenType === t.Order || tokenType === t.Limit || tokenType === t.Parameters) isWhere = false;
    if (tokenType === t.Between) isBetween = true;
    const isSecond = isBetween && before === t.And;
    if (isSecond) isBetween = false;
    const isList = BEFORE_LIST.includes(before);
    const isValue = isWhere && (isSecond || isList || BEFORE_VALUE.includes(before));
    if (tokenType === t.Name) {
      const field = currentName(image, context.catalogue);
      if (field === image) continue;
      edits.push({ ...rangeOf(token), text: field });
      note(span, `${image} is ${field} since ${renamedField(image)?.since}.`);
    } else if (tokenType === t.StringLiteral && HAS_MACRO.test(image)) {
      const message = `Found a macro within the text ${quote(image)}, but a parameter is a whole value.`;
      const hint = 'Make the whole text a macro, and give the rest with its value.';
      report({ code: 'BAD_VALUE', span, message, hint });
    } else if (VALUES.includes(tokenType)) {
      const parameter = isValue ? parameterFor(textWithoutQuotes(image)) : undefined;
      if (parameter === undefined) {
        const message = `Found ${quote(image)}, which cannot become a parameter: expected one value after an operator of WHERE.`;
        const hint = 'Write the text itself, or a day such as :today-7 (docs/query-language.md).';
        report({ code: 'BAD_SYMBOL', span, message, hint });
        edits.push({ ...rangeOf(token), text: ':value' });
        continue;
      }
      edits.push({ ...rangeOf(token), text: isList ? `(${parameter})` : parameter });
      note(
        span,
        `${textWithoutQuotes(image)} is now ${parameter}${WINDOW.has(parameter) ? `, ${WINDOW.get(parameter)}` : ''}.`,
      );
    }
  }
}

const VALUES: readonly TokenType[] = [Macro, Computed, DayMacro];
const textWithoutQuotes = (image: string): string => image.replace(/^['"]|['"]$/g, '');

const FIRST_DAY = ':today-30';
const LAST_DAY = ':yesterday';
const WINDOW: ReadonlyMap<string, string> = new Map([
  [FIRST_DAY, 'the first of the 30 last complete days'],
  [LAST_DAY, 'the last complete day'],
]);
const DAYS: ReadonlyMap<string, string> = new Map([
  ['{start_date}', FIRST_DAY],
  ['{end_date}', LAST_DAY],
  ['{yesterday_iso}', LAST_DAY],
  ['{current_date}', ':today'],
  ['{date_iso}', ':today'],
]);

/** Returns undefined if a computed macro is not a day. */
function parameterFor(macro: string): string | undefined {
  const day = DAYS.get(macro);
  if (day !== undefined) return day;
  if (macro.startsWith(':')) return `:today${macro.slice(':YYYYMMDD'.length)}`;
  if (macro.startsWith('{')) return `:${macro.slice(1, -1).replaceAll('-', '_')}`;
  const computed = /^\$\{\s?(today|yesterday)\(\)(?: ?([+-]) ?(?:(\d{1,6})|period\(['"]P(\d{1,6})D['"]\)))? ?\}$/.exec(
    macro,
  );
  if (!computed) return undefined;
  const [, name = '', sign = '', days = '', periodDays = ''] = computed;
  return `:${name}${sign}${days}${periodDays}`;
}
