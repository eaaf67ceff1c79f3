import type { IToken } from 'chevrotain';
import type { Span } from '../../../domain/diagnostic.ts';
import { type Catalogue, renamedField } from '../catalogue/catalogue.ts';
import { columnName, MICROS } from '../check/column.ts';
import type { Report } from '../report.ts';
import { textOf } from '../syntax/build-value.ts';
import { quote, tokenSpan } from '../syntax/syntax-messages.ts';
import * as t from '../syntax/tokens.ts';
import { Arithmetic, Computed, Macro, Part, PartOfName } from './dialect-tokens.ts';
import { partOfNameSql, partSql, snakeName, textSql } from './model-text.ts';

/** The words between two commas of SELECT. */
export type Item =
  /** Empty, or invalid text that a later check reports. */
  | { readonly kind: 'other'; readonly tokens: readonly IToken[] }
  | { readonly kind: 'wrong'; readonly tokens: readonly IToken[] }
  | (Named & {
      readonly kind: 'field';
      readonly field: string;
      /** True if the query divides micros by 1,000,000 to get currency units. */
      readonly isDivided: boolean;
    })
  | (Named & {
      readonly kind: 'computed';
      readonly computation: Computation;
    });

interface Named {
  readonly tokens: readonly IToken[];
  readonly alias: string | undefined;
  readonly aliasSpan: Span;
}

const COMPUTE = 'Select the fields, and compute the column in a model: models/NAME.sql.';
const MICROS_IN_ONE = 1_000_000;

function isAlias({ tokenType, image }: IToken): boolean {
  return /^\w+$/.test(image) || tokenType === t.StringLiteral || tokenType === t.Backquoted;
}

const UNREAD = [t.Name, t.ForeignLetters, t.TypographicText, t.HeadlessWord];

export function currentName(name: string, { fields }: Catalogue): string {
  const renamed = fields.has(name) ? undefined : renamedField(name)?.name;
  return renamed !== undefined && fields.has(renamed) ? renamed : name;
}

export function readItem(tokens: readonly IToken[], catalogue: Catalogue, report: Report): Item {
  const as = tokens.findLastIndex(({ tokenType }) => tokenType === t.As);
  const body = as < 0 ? tokens : tokens.slice(0, as);
  const [first] = body;
  const word = as < 0 ? undefined : tokens[as + 1];
  if (!first || (as >= 0 && (!word || tokens.length > as + 2 || !isAlias(word)))) return { kind: 'other', tokens };
  const last = body.at(-1) ?? first;
  const named = {
    tokens,
    alias: word && /^['"]/.test(word.image) ? textOf(word) : word?.image.replaceAll('`', ''),
    aliasSpan: tokenSpan(word ?? last),
  };
  if (body.length === 1 && first.tokenType === t.Name) {
    return { ...named, kind: 'field', field: currentName(first.image, catalogue), isDivided: false };
  }
  const isUnread = body.every(({ tokenType }) => UNREAD.includes(tokenType));
  if (isUnread || (body.length === 1 && first.tokenType === t.Star)) return { kind: 'other', tokens };
  const read = compute(body, catalogue);
  if (typeof read === 'string') {
    report({ code: 'BAD_FIELD_NAME', span: tokenSpan(first, last), message: read, hint: COMPUTE });
    return { kind: 'wrong', tokens };
  }
  const amount = amountIn(body, catalogue);
  if (amount !== undefined && named.alias !== undefined)
    return { ...named, kind: 'field', field: amount, isDivided: true };
  if (read.isField && read.fields[0] !== undefined)
    return { ...named, kind: 'field', field: read.fields[0], isDivided: false };
  if (named.alias === undefined && read.name === undefined) {
    const message = `Found ${quote(textBetween(body))} without a name, expected AS and a column name.`;
    report({ code: 'BAD_ALIAS', span: tokenSpan(first, last), message });
    return { kind: 'wrong', tokens };
  }
  return { ...named, alias: named.alias ?? read.name, kind: 'computed', computation: read };
}

interface Computation {
  readonly name?: string;
  readonly isField?: boolean;
  readonly of?: string;
  readonly fields: readonly string[];
  readonly sql: (columnOf: (field: string) => string) => string;
}

/** Returns the reason as text if the column cannot be computed. */
function compute(body: readonly IToken[], catalogue: Catalogue): Computation | string {
  const [first, second] = body;
  if (body.length === 1 && first && isConstant(first)) {
    const sql = first.tokenType === t.StringLiteral ? textSql(textOf(first)) : first.image;
    return { fields: [], sql: () => sql };
  }
  if (body.length === 1 && (first?.tokenType === Macro || first?.tokenType === Computed)) {
    return `Found the macro ${quote(first.image)} as a column, but only WHERE takes values from outside.`;
  }
  const function_ = body.find(
    ({ tokenType, image }, index) =>
      tokenType === t.Backquoted ||
      image.startsWith(':$') ||
      (tokenType === t.LeftParen && body[index - 1]?.tokenType === t.Name),
  );
  if (function_)
    return `Found ${quote(textBetween(body))}, but a query has no function and no expression in backquotes.`;
  if (body.length === 2 && first?.tokenType === t.Name && second) {
    const field = currentName(first.image, catalogue);
    if (second.tokenType === Part) return computePart(field, second.image.slice(1), catalogue);
    if (second.tokenType === PartOfName) return computeId(field, Number(second.image.slice(1)), catalogue);
  }
  return computeNumber(body, catalogue);
}

function computePart(field: string, part: string, catalogue: Catalogue): Computation | string {
  const known = catalogue.fields.get(field);
  const whole = `${field}.${part}`;
  if (!known && catalogue.fields.has(whole))
    return { isField: true, fields: [whole], sql: (columnOf) => columnOf(whole) };
  if (known && known.type !== 'MESSAGE') return `${quote(field)} is not a message, so it has no part ${quote(part)}.`;
  const isList = known?.repeated === true;
  return {
    name: columnName(field),
    of: part,
    fields: [field],
    sql: (columnOf) => partSql(`base.${columnOf(field)}`, part, isList),
  };
}

function computeId(field: string, index: number, catalogue: Catalogue): Computation | string {
  const known = catalogue.fields.get(field);
  if (known && known.type !== 'RESOURCE_NAME' && known.type !== 'STRING')
    return `${quote(field)} is not a resource name, so ~${index} has no meaning.`;
  const isList = known?.repeated === true;
  const sql: Computation['sql'] = (columnOf) => partOfNameSql(`base.${columnOf(field)}`, index, isList);
  return { name: columnName(field), fields: [field], sql };
}

const NUMBERS: readonly string[] = ['INT64', 'DOUBLE'];
const SQL_NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e\d+)?$/i;

/** Refuses texts, lists and anything else that SQLite would silently treat as zero. */
function computeNumber(body: readonly IToken[], catalogue: Catalogue): Computation | string {
  const refusal = `${quote(textBetween(body))} cannot become a column: expected numbers, fields with numbers, + - * / and parentheses.`;
  const parts: ((columnOf: (field: string) => string) => string)[] = [];
  const fields: string[] = [];
  let depth = 0;
  let isOperandNext = true;
  for (const [index, token] of body.entries()) {
    const { tokenType, image } = token;
    const isSigned = !isOperandNext && image.startsWith('-');
    if (tokenType === t.Name && isOperandNext) {
      const field = currentName(image, catalogue);
      const known = catalogue.fields.get(field);
      if (known && (known.repeated || !NUMBERS.includes(known.type))) return `${quote(field)} is not a number.`;
      fields.push(field);
      parts.push((columnOf) => columnOf(field));
      isOperandNext = false;
    } else if (isNumber(token) && (isOperandNext || isSigned)) {
      // SQLite drops the remainder when it divides whole numbers, so `.0` is added to a divisor.
      const isWholeDivisor = body[index - 1]?.image === '/' && /^-?\d+$/.test(image);
      parts.push(() => (isWholeDivisor ? `${image}.0` : isSigned ? `- ${image.slice(1)}` : image));
      isOperandNext = false;
    } else if (tokenType === t.LeftParen && isOperandNext) {
      depth += 1;
      parts.push(() => '(');
    } else if (tokenType === t.RightParen && !isOperandNext && depth > 0) {
      depth -= 1;
      parts.push(() => ')');
    } else if (isArithmetic(tokenType) && /^[-+*/]$/.test(image) && (!isOperandNext || image === '-')) {
      const divisor = body[index + 1];
      const isExact = image === '/' && !(divisor && isNumber(divisor));
      parts.push(() => (isExact ? '* 1.0 /' : image));
      isOperandNext = true;
    } else return refusal;
  }
  if (isOperandNext || depth > 0) return refusal;
  const sql = (columnOf: (field: string) => string) =>
    parts
      .map((part) => part(columnOf))
      .join(' ')
      .replaceAll('( ', '(')
      .replaceAll(' )', ')');
  return { fields, sql };
}

/** Returns the field of a division such as `metrics.cost_micros / 1e6`. */
function amountIn(body: readonly IToken[], catalogue: Catalogue): string | undefined {
  const [name, sign, divisor] = body;
  if (
    body.length !== 3 ||
    name?.tokenType !== t.Name ||
    sign?.image !== '/' ||
    Number(divisor?.image) !== MICROS_IN_ONE
  ) {
    return undefined;
  }
  const field = catalogue.fields.get(currentName(name.image, catalogue));
  return field?.type === 'INT64' && field.name.endsWith(MICROS) ? field.name : undefined;
}

function isArithmetic(type: IToken['tokenType']): boolean {
  return type === Arithmetic || type === t.Star;
}

function isNumber({ tokenType, image }: IToken): boolean {
  return (tokenType === t.NumberLiteral || tokenType === t.BadNumber) && SQL_NUMBER.test(image);
}

function isConstant(token: IToken): boolean {
  return (token.tokenType === t.StringLiteral && !HAS_MACRO.test(token.image)) || isNumber(token);
}

export const HAS_MACRO = /\{[\w-]+\}/;

const textBetween = (tokens: readonly IToken[]): string => tokens.map(({ image }) => image).join(' ');

/** `of` is the field or the path in a message. For other computations, `of` is empty. */
export function columnFor(of: string, alias: string): string {
  const name = snakeName(alias).slice(0, LENGTH_MAX);
  if (of === 'segments.date') return 'date';
  if (name === 'date' || KEYWORDS.has(name)) return `${name}_column`;
  if (of.endsWith(MICROS)) return name.endsWith(MICROS) ? name : `${name}${MICROS}`;
  return of !== '' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : name;
}

/** Maximum length, so that `_column` or `_micros` fits into the name. */
const LENGTH_MAX = 55;
const KEYWORDS: ReadonlySet<string> = new Set(
  t.QUERY_TOKENS.map(({ name }) => name).flatMap((name) => (/^[A-Z_]+$/.test(name) ? name.toLowerCase() : [])),
);
