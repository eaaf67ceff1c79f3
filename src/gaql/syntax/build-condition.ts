import type { CstNode, IToken } from 'chevrotain';
import { InvariantError } from '../../domain/errors.ts';
import { nearestNames } from '../check/suggest.ts';
import type { Report } from '../report.ts';
import { buildValue } from './build-value.ts';
import { buildField, child, children, missingSeparator, tokens, tokensOf } from './cst.ts';
import { printValue } from './print-query.ts';
import { callFinding, QUOTE_HINT, quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';
import type { ComparisonSign, Condition, FieldRef, ListOperator, PatternOperator, Value } from './tree.ts';

const SIGNS = ['=', '!=', '<', '<=', '>', '>='] as const satisfies readonly ComparisonSign[];
const PATTERN_OPERATORS = ['LIKE', 'NOT LIKE', 'REGEXP_MATCH', 'NOT REGEXP_MATCH'] as const satisfies PatternOperator[];
const LIST_OPERATORS = [
  ...['IN', 'NOT IN', 'CONTAINS ANY', 'CONTAINS ALL', 'CONTAINS NONE'],
] as const satisfies readonly ListOperator[];

/** Every operator of the language, as it is printed. */
export const OPERATORS: readonly string[] = [
  ...[...SIGNS, ...LIST_OPERATORS, ...PATTERN_OPERATORS],
  ...['BETWEEN', 'DURING', 'IS NULL', 'IS NOT NULL'],
];

/** The condition; undefined where a part is missing, which has been reported then. */
export function buildCondition(node: CstNode, report: Report): Condition | undefined {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return undefined;
  const call = child(node, 'list');
  if (call) {
    report(callFinding(field, spanOf(call)));
    return undefined;
  }
  const comparison = child(node, 'comparison');
  if (comparison) return buildComparison(field, comparison, report);
  const between = child(node, 'between');
  if (between) {
    if (reportNegation(between, report)) return undefined;
    const [low, high] = children(between, 'bound').map((bound) => buildSingle(bound, 'BETWEEN', report));
    return low && high && { kind: 'between', field, low, high, operatorSpan: spanOfTokens(operatorWords(between)) };
  }
  const nullTest = child(node, 'nullTest');
  if (nullTest) {
    const operator = tokens(nullTest, 'NOT').length > 0 ? 'IS NOT NULL' : 'IS NULL';
    return { kind: 'null_test', field, operator, operatorSpan: spanOfTokens(operatorWords(nullTest)) };
  }
  const foreign = child(node, 'foreign');
  if (foreign) reportForeignOperator(foreign, report);
  return undefined;
}

function buildComparison(field: FieldRef, node: CstNode, report: Report): Condition | undefined {
  const words = operatorWords(node);
  const operator = words.map(nameOfOperator).join(' ');
  const operand = child(node, 'operand');
  // Without an operator or an operand the parser has said what is missing.
  if (operator === '' || !operand) return undefined;
  if (!OPERATORS.includes(operator)) {
    reportUnknownOperator(words, report);
    return undefined;
  }
  const place = { field, operatorSpan: spanOfTokens(words) };
  const ofList = LIST_OPERATORS.find((known) => known === operator);
  if (ofList) return buildMembership(place, ofList, operand, report);
  const value = buildSingle(operand, operator, report);
  if (!value) return undefined;
  if (operator === 'DURING') return { kind: 'during', ...place, period: value };
  const sign = [...SIGNS, ...PATTERN_OPERATORS].find((known) => known === operator);
  return sign && { kind: 'comparison', ...place, operator: sign, value };
}

/** As it is printed, whatever its case, and whatever a misspelt word was taken for. */
function nameOfOperator({ tokenType, image }: IToken): string {
  return tokenType === t.ComparisonOperator ? image : tokenType.name;
}

type Place = { readonly field: FieldRef; readonly operatorSpan: FieldRef['span'] };

function buildMembership(
  place: Place,
  operator: ListOperator,
  operand: CstNode,
  report: Report,
): Condition | undefined {
  const list = child(operand, 'list');
  if (list) {
    const { values, span } = buildList(list, operator, report);
    return values && { kind: 'membership', ...place, operator, values, listSpan: span };
  }
  const value = children(operand, 'value').map((node) => buildValue(node, report))[0];
  if (value) {
    report({
      code: 'EXPECTED_LIST',
      span: value.span,
      message: `Found a single value, expected a list in parentheses after ${operator}.`,
      hint: `Write ${operator} (${printValue(value)}).`,
    });
  }
  return undefined;
}

/** The list's values; undefined where there are none to go on with. */
function buildList(
  node: CstNode,
  operator: string,
  report: Report,
): { readonly values: readonly Value[] | undefined; readonly span: FieldRef['span'] } {
  const span = spanOf(node);
  const items = child(node, 'items');
  const valueNodes = children(items, 'value');
  const values = valueNodes.flatMap((value) => buildValue(value, report) ?? []);
  // The parser has told of a missing parenthesis.
  if (tokens(node, t.RightParen.name).length === 0) return { values: undefined, span };
  if (valueNodes.length === 0) {
    report({
      code: 'PROHIBITED_EMPTY_LIST_IN_CONDITION',
      span,
      message: `The list after ${operator} is empty.`,
      hint: 'Name at least one value, or leave the condition out.',
    });
    return { values: undefined, span };
  }
  checkCommas(items, values, report);
  return { values: values.length > 0 ? values : undefined, span };
}

/** One comma between two values and nowhere else; the first place where that is not so is told. */
function checkCommas(items: CstNode | undefined, values: readonly Value[], report: Report): void {
  const commas = items ? tokens(items, t.Comma.name) : [];
  const gap = missingSeparator(values, commas);
  if (gap) {
    const isDoubledQuote = values.some(({ span }) => span.end.offset === gap.span.start.offset);
    report({
      code: 'EXPECTED_LIST',
      span: gap.span,
      message: 'Expected a comma before this value of the list.',
      hint: isDoubledQuote ? QUOTE_HINT : undefined,
    });
    return;
  }
  const words = items ? tokensOf(items) : [];
  const stray = words.find((word, index) => {
    const neighbour = words[index + 1];
    return word.tokenType === t.Comma && (index === 0 || neighbour === undefined || neighbour.tokenType === t.Comma);
  });
  if (stray) {
    report({
      code: 'EXPECTED_LIST',
      span: tokenSpan(stray),
      message: 'Found a comma without a value on both sides.',
      hint: 'Take the comma away, or write the value that is missing.',
    });
  }
}

/** The operand of an operator that takes one value. */
function buildSingle(operand: CstNode, operator: string, report: Report): Value | undefined {
  const list = child(operand, 'list');
  if (!list) return children(operand, 'value').map((node) => buildValue(node, report))[0];
  report({
    code: 'EXPECTED_SINGLE_VALUE',
    span: spanOf(list),
    message: `Found a list, expected one value after ${operator}.`,
    hint: operator === '=' ? 'Use IN for a list.' : operator === '!=' ? 'Use NOT IN for a list.' : undefined,
  });
  return undefined;
}

const MEANING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ '==': '=', '<>': '!=', '=<': '<=', '=>': '>=', ILIKE: 'LIKE' },
    ...{ REGEXP: 'REGEXP_MATCH', RLIKE: 'REGEXP_MATCH', MATCHES: 'REGEXP_MATCH' },
    ...{ 'NOT =': '!=', 'NOT !=': '=', 'NOT <': '>=', 'NOT <=': '>', 'NOT >': '<=', 'NOT >=': '<' },
    ...{ 'NOT ==': '!=', 'NOT <>': '=', 'NOT ILIKE': 'NOT LIKE' },
    ...{ 'NOT CONTAINS ANY': 'CONTAINS NONE', 'NOT CONTAINS NONE': 'CONTAINS ANY' },
    ...{
      STARTS_WITH: 'LIKE',
      STARTSWITH: 'LIKE',
      ENDS_WITH: 'LIKE',
      ENDSWITH: 'LIKE',
      'NOT CONTAINS': 'CONTAINS NONE',
    },
    CONTAINS: "LIKE '%text%' for a part of a text, or CONTAINS ANY, ALL or NONE for lists",
  }),
);

function reportForeignOperator(node: CstNode, report: Report): void {
  const words = tokensOf(node, false);
  const not = words.filter(({ tokenType }) => tokenType === t.Not);
  const operator = words[not.length];
  if (operator && !t.REFUSED_WORDS.has(operator.tokenType)) reportUnknownOperator([...not, operator], report);
}

function reportNegation(node: CstNode, report: Report): boolean {
  const words = operatorWords(node);
  if (words[0]?.tokenType !== t.Not) return false;
  reportUnknownOperator(words, report);
  return true;
}

function reportUnknownOperator(words: readonly IToken[], report: Report): void {
  const text = words.map(({ image }) => image).join(' ');
  const meant = MEANING.get(text.toUpperCase()) ?? nearestNames(text, OPERATORS)[0];
  report({
    code: 'BAD_OPERATOR',
    span: spanOfTokens(words),
    message: `There is no operator ${quote(text)}.`,
    hint: meant === undefined ? `Operators are ${OPERATORS.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/** The operator's words; BETWEEN's AND is no part of its name. */
function operatorWords(node: CstNode): IToken[] {
  const inner = child(node, 'contains');
  const words = [...tokensOf(node, false), ...(inner ? tokensOf(inner) : [])];
  return words.filter(({ tokenType }) => tokenType !== t.And);
}

const spanOf = (node: CstNode): FieldRef['span'] => spanOfTokens(tokensOf(node));

function spanOfTokens(words: readonly IToken[]): FieldRef['span'] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first) throw new InvariantError('A part of a condition without a word.');
  return tokenSpan(first, last);
}
