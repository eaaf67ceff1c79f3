import type { CstNode, IToken } from 'chevrotain';
import { spanAt } from '../../../domain/diagnostic.ts';
import { InvariantError } from '../../../domain/errors.ts';
import { nearestNames } from '../check/suggest.ts';
import type { Report } from '../report.ts';
import { buildField, buildValue, child, children, missingSeparator, nameOf, tokens, tokensOf } from './build-value.ts';
import { printValue } from './print-query.ts';
import { callFinding, QUOTE_HINT, quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';
import {
  type Condition,
  type FieldRef,
  type LimitClause,
  OPERATORS,
  type Ordering,
  type Query,
  type RequestParameter,
  type ResourceRef,
  type SelectedField,
  takesList,
  type Value,
} from './tree.ts';

/** Reports only mistakes that the grammar accepts, because the parser has reported the others. */
export function buildTree(root: CstNode, source: string, report: Report): Query {
  const select = child(root, 'selectClause');
  const from = child(root, 'fromClause');
  const where = child(root, 'whereClause');
  const limit = child(root, 'limitClause');
  return {
    kind: 'query',
    select: select ? buildSelect(select, report) : [],
    from: from ? buildResource(from) : undefined,
    where: where ? buildWhere(where, report) : [],
    orderBy: children(child(root, 'orderByClause'), 'ordering').flatMap(buildOrdering),
    limit: limit ? buildLimit(limit, report) : undefined,
    parameters: children(child(root, 'parametersClause'), 'parameter').flatMap((node) => buildParameter(node, report)),
    span: tokensOf(root).length > 0 ? spanOf(root) : spanAt(source, 0, 0),
  };
}

function buildSelect(node: CstNode, report: Report): SelectedField[] {
  const fields = children(node, 'selected').flatMap((selected) => buildSelected(selected, report));
  const gap = missingSeparator(fields, tokens(node, 'Comma'));
  if (gap) {
    const message = `Found ${quote(gap.name)}, expected a comma before it.`;
    const alias = gap.name.includes('.') ? '' : `, or name the column: AS ${gap.name}`;
    const hint = `Separate the fields of SELECT with commas${alias}.`;
    report({ code: 'UNEXPECTED_INPUT', span: gap.span, message, hint });
  }
  return fields;
}

function buildSelected(node: CstNode, report: Report): SelectedField[] {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return [];
  const call = child(node, 'list');
  if (call) {
    const last = tokensOf(call).at(-1);
    report(callFinding(field, last ? tokenSpan(last) : field.span));
    return [];
  }
  const clause = child(node, 'alias');
  const alias = clause && nameOf(clause);
  return [{ ...field, alias: alias && { name: alias.image, span: tokenSpan(alias) } }];
}

function buildResource(node: CstNode): ResourceRef | undefined {
  const name = nameOf(node);
  return name && { kind: 'resource', name: name.image, span: tokenSpan(name) };
}

function buildWhere(node: CstNode, report: Report): Condition[] {
  for (const or of tokens(node, 'OR')) {
    report({
      code: 'EXPECTED_AND',
      span: tokenSpan(or),
      message: 'Found OR, expected AND: the query language has no OR.',
      hint: 'Use IN (…) for several values of one field, or write two query files.',
    });
  }
  const conditionNodes = children(node, 'condition');
  const joints = [...tokens(node, 'AND'), ...tokens(node, 'OR')].sort((a, b) => a.startOffset - b.startOffset);
  const places = conditionNodes.flatMap((condition) => {
    const [first] = tokensOf(condition);
    return first ? [{ span: spanOf(condition), name: first.image }] : [];
  });
  const gap = missingSeparator(places, joints);
  if (gap && conditionNodes.every((condition) => !condition.recoveredNode)) {
    const message = `Found ${quote(gap.name)}, expected AND between two conditions.`;
    report({ code: 'EXPECTED_AND', span: gap.span, message });
  }
  return conditionNodes.flatMap((condition) => buildCondition(condition, report) ?? []);
}

function buildOrdering(node: CstNode): Ordering[] {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return [];
  const sign = [...tokens(node, 'ASC'), ...tokens(node, 'DESC')][0];
  const span = { start: field.span.start, end: sign ? tokenSpan(sign).end : field.span.end };
  return [{ field, direction: sign?.tokenType === t.Desc ? 'DESC' : 'ASC', span }];
}

const LIMIT_MAX = 2_147_483_647;

function buildLimit(node: CstNode, report: Report): LimitClause | undefined {
  const value = children(child(node, 'rowCount'), 'value').map((candidate) => buildValue(candidate, report))[0];
  if (!value) return undefined;
  const rows = value.kind === 'number' && /^[1-9]\d*$/.test(value.text) ? Number(value.text) : Number.NaN;
  if (rows <= LIMIT_MAX) return { rows, span: value.span };
  const message = `Found ${quote(printValue(value))}, expected a whole number from 1 to ${LIMIT_MAX} after LIMIT.`;
  const hint = value.kind === 'placeholder' ? 'Use parameters in WHERE only.' : undefined;
  report({
    code: value.kind === 'number' && Number(value.text) <= 0 ? 'LIMIT_VALUE_TOO_LOW' : 'BAD_LIMIT_VALUE',
    span: value.span,
    message,
    hint,
  });
  return undefined;
}

function buildParameter(node: CstNode, report: Report): RequestParameter[] {
  const name = nameOf(node);
  const sign = tokens(node, t.ComparisonOperator.name)[0];
  const value = children(node, 'value').map((candidate) => buildValue(candidate, report))[0];
  if (!name || !sign || !value) return [];
  if (sign.image !== '=') {
    const message = `Found ${quote(sign.image)}, expected = after a request parameter.`;
    report({ code: 'BAD_OPERATOR', span: tokenSpan(sign), message });
    return [];
  }
  if (value.kind === 'placeholder') {
    const message = `Found ${printValue(value)}, expected true or false: use query parameters in WHERE only.`;
    report({ code: 'BAD_PARAMETER_VALUE', span: value.span, message });
    return [];
  }
  return [{ name: name.image, nameSpan: tokenSpan(name), value }];
}

function buildCondition(node: CstNode, report: Report): Condition | undefined {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return undefined;
  const call = child(node, 'list');
  if (call) {
    report(callFinding(field, spanOf(call)));
    return undefined;
  }
  const foreign = child(node, 'foreign');
  if (foreign) reportForeignOperator(foreign, report);
  const part = ['comparison', 'between', 'nullTest'].flatMap((name) => children(node, name))[0];
  if (!part) return undefined;
  const words = operatorWords(part);
  const written = words.map(nameOfOperator).join(' ');
  const operand = child(part, 'operand');
  // The parser has reported the missing operator or operand.
  if (part.name === 'comparison' && (written === '' || !operand)) return undefined;
  const operator = OPERATORS.find((known) => known === written);
  if (!operator) {
    if (part.name !== 'nullTest') reportUnknownOperator(words, report);
    return undefined;
  }
  const place = { field, operator, operatorSpan: spanOfTokens(words) };
  if (operand && takesList(operator)) return buildMembership(place, operand, report);
  const operands = operand ? [operand] : children(part, 'bound');
  const values = operands.map((one) => buildSingle(one, operator, report));
  if (!values.every((value) => value !== undefined)) return undefined;
  const last = values.at(-1);
  const count = part.name === 'between' ? 2 : operands.length;
  return values.length < count ? undefined : { ...place, values, valuesSpan: last?.span ?? place.operatorSpan };
}

function nameOfOperator({ tokenType, image }: IToken): string {
  return tokenType === t.ComparisonOperator ? image : tokenType.name;
}

function buildMembership(
  place: Pick<Condition, 'field' | 'operator' | 'operatorSpan'>,
  operand: CstNode,
  report: Report,
): Condition | undefined {
  const { operator } = place;
  const list = child(operand, 'list');
  if (list) {
    const values = buildList(list, operator, report);
    return values && { ...place, values, valuesSpan: spanOf(list) };
  }
  const value = children(operand, 'value').map((node) => buildValue(node, report))[0];
  if (value) {
    const message = `Found a single value, expected a list in parentheses after ${operator}.`;
    const hint = `Write ${operator} (${printValue(value)}).`;
    report({ code: 'EXPECTED_LIST', span: value.span, message, hint });
  }
  return undefined;
}

function buildList(node: CstNode, operator: string, report: Report): readonly Value[] | undefined {
  const items = child(node, 'items');
  const valueNodes = children(items, 'value');
  const values = valueNodes.flatMap((value) => buildValue(value, report) ?? []);
  // The parser has reported the missing parenthesis.
  if (tokens(node, t.RightParen.name).length === 0) return undefined;
  if (valueNodes.length === 0) {
    const message = `The list after ${operator} is empty.`;
    const hint = 'Add a value, or remove the condition.';
    report({ code: 'PROHIBITED_EMPTY_LIST_IN_CONDITION', span: spanOf(node), message, hint });
    return undefined;
  }
  checkCommas(items, values, report);
  return values.length > 0 ? values : undefined;
}

function checkCommas(items: CstNode | undefined, values: readonly Value[], report: Report): void {
  const commas = items ? tokens(items, t.Comma.name) : [];
  const gap = missingSeparator(values, commas);
  if (gap) {
    const isDoubledQuote = values.some(({ span }) => span.end.offset === gap.span.start.offset);
    const message = 'Expected a comma before this list value.';
    const hint = isDoubledQuote ? QUOTE_HINT : undefined;
    report({ code: 'EXPECTED_LIST', span: gap.span, message, hint });
    return;
  }
  const words = items ? tokensOf(items) : [];
  const stray = words.find((word, index) => {
    const neighbour = words[index + 1];
    return word.tokenType === t.Comma && (index === 0 || neighbour === undefined || neighbour.tokenType === t.Comma);
  });
  if (stray) {
    const message = 'Found a comma, expected a value before and after it.';
    const hint = 'Remove the comma, or add the missing value.';
    report({ code: 'EXPECTED_LIST', span: tokenSpan(stray), message, hint });
  }
}

function buildSingle(operand: CstNode, operator: string, report: Report): Value | undefined {
  const list = child(operand, 'list');
  if (!list) return children(operand, 'value').map((node) => buildValue(node, report))[0];
  const message = `Found a list, expected one value after ${operator}.`;
  const hint = operator === '=' ? 'Use IN for a list.' : operator === '!=' ? 'Use NOT IN for a list.' : undefined;
  report({ code: 'EXPECTED_SINGLE_VALUE', span: spanOf(list), message, hint });
  return undefined;
}

const MEANING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '==': '=',
    '<>': '!=',
    '=<': '<=',
    '=>': '>=',
    ILIKE: 'LIKE',
    REGEXP: 'REGEXP_MATCH',
    RLIKE: 'REGEXP_MATCH',
    MATCHES: 'REGEXP_MATCH',
    'NOT =': '!=',
    'NOT !=': '=',
    'NOT <': '>=',
    'NOT <=': '>',
    'NOT >': '<=',
    'NOT >=': '<',
    'NOT ==': '!=',
    'NOT <>': '=',
    'NOT ILIKE': 'NOT LIKE',
    'NOT CONTAINS ANY': 'CONTAINS NONE',
    'NOT CONTAINS NONE': 'CONTAINS ANY',
    STARTS_WITH: 'LIKE',
    STARTSWITH: 'LIKE',
    ENDS_WITH: 'LIKE',
    ENDSWITH: 'LIKE',
    'NOT CONTAINS': 'CONTAINS NONE',
    CONTAINS: "LIKE '%text%' for part of a text, or CONTAINS ANY, ALL or NONE for lists",
  }),
);

function reportForeignOperator(node: CstNode, report: Report): void {
  const words = tokensOf(node, false);
  const not = words.filter(({ tokenType }) => tokenType === t.Not);
  const operator = words[not.length];
  if (operator && !t.REFUSED_WORDS.has(operator.tokenType)) reportUnknownOperator([...not, operator], report);
}

function reportUnknownOperator(words: readonly IToken[], report: Report): void {
  const text = words.map(({ image }) => image).join(' ');
  const meant = MEANING.get(text.toUpperCase()) ?? nearestNames(text, OPERATORS)[0];
  const message = `Unknown operator ${quote(text)}.`;
  const hint = meant === undefined ? `Operators are ${OPERATORS.join(', ')}.` : `Did you mean ${meant}?`;
  report({ code: 'BAD_OPERATOR', span: spanOfTokens(words), message, hint });
}

/** The AND of BETWEEN is excluded. */
function operatorWords(node: CstNode): IToken[] {
  const inner = child(node, 'contains');
  const words = [...tokensOf(node, false), ...(inner ? tokensOf(inner) : [])];
  return words.filter(({ tokenType }) => tokenType !== t.And);
}

const spanOf = (node: CstNode): FieldRef['span'] => spanOfTokens(tokensOf(node));

function spanOfTokens(words: readonly IToken[]): FieldRef['span'] {
  const first = words[0];
  const last = words.at(-1);
  if (!first) throw new InvariantError('A part of a condition has no tokens.');
  return tokenSpan(first, last);
}
