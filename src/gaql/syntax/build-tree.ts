import type { CstElement, CstNode, IToken } from 'chevrotain';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import { InvariantError } from '../../domain/errors.ts';
import { nearestNames } from '../check/suggest.ts';
import { emptySpan, quote, tokenSpan } from './syntax-messages.ts';
import * as t from './tokens.ts';
import type { ComparisonSign, Condition, FieldRef, LimitClause, Ordering, Query, ResourceRef, Scalar } from './tree.ts';

type Report = (finding: Omit<Diagnostic, 'severity'>) => void;

/**
 * The tree of what was parsed. Parts that the parser could not read are left out (it has reported them); what the
 * grammar lets through for the sake of a better message is reported here.
 */
export function buildTree(root: CstNode, source: string, report: Report): Query {
  const select = child(root, 'selectClause');
  const from = child(root, 'fromClause');
  const where = child(root, 'whereClause');
  const orderBy = child(root, 'orderByClause');
  const limit = child(root, 'limitClause');
  const all = tokensOf(root);
  const [first, last] = [all[0], all.at(-1)];
  return {
    kind: 'query',
    select: select ? buildSelect(select, report) : [],
    from: from ? buildResource(from) : undefined,
    where: where ? buildWhere(where, report) : [],
    orderBy: children(orderBy, 'ordering').flatMap(buildOrdering),
    limit: limit ? buildLimit(limit, report) : undefined,
    span: first && last ? tokenSpan(first, last) : emptySpan(source),
  };
}

function buildSelect(node: CstNode, report: Report): FieldRef[] {
  const fields = children(node, 'field').flatMap(buildField);
  const commas = tokens(node, 'Comma');
  const gap = missingSeparator(fields, commas);
  if (gap) {
    report({
      code: 'UNEXPECTED_INPUT',
      span: gap.span,
      message: `Found ${quote(gap.name)}, expected a comma before it.`,
      hint: 'Fields of SELECT are separated by commas.',
    });
  }
  return fields;
}

/** The first item that follows another without a separator between them. */
function missingSeparator<Item extends { readonly span: FieldRef['span'] }>(
  items: readonly Item[],
  separators: readonly IToken[],
): Item | undefined {
  const offsets = new Set<number>();
  for (const separator of separators) offsets.add(separator.startOffset);
  return items.find((item, index) => {
    const before = items[index - 1];
    if (before === undefined) return false;
    for (let offset = before.span.end.offset; offset < item.span.start.offset; offset++) {
      if (offsets.has(offset)) return false;
    }
    return true;
  });
}

function buildField(node: CstNode): FieldRef[] {
  const name = written(tokens(node, 'Name')[0]);
  return name ? [{ kind: 'field', name: name.image, span: tokenSpan(name) }] : [];
}

function buildResource(node: CstNode): ResourceRef | undefined {
  const name = written(tokens(node, 'Name')[0]);
  return name && { kind: 'resource', name: name.image, span: tokenSpan(name) };
}

function buildWhere(node: CstNode, report: Report): Condition[] {
  for (const or of tokens(node, 'OR')) {
    report({
      code: 'EXPECTED_AND',
      span: tokenSpan(or),
      message: 'Found OR, expected AND: the query language has no OR.',
      hint: 'Use IN (…) for several values of one field, or two query files.',
    });
  }
  const conditionNodes = children(node, 'condition');
  const joints = [...tokens(node, 'AND'), ...tokens(node, 'OR')];
  const places = conditionNodes.flatMap((condition) => {
    const all = tokensOf(condition);
    const [first, last] = [all[0], all.at(-1)];
    return first && last ? [{ span: tokenSpan(first, last), name: first.image }] : [];
  });
  const gap = missingSeparator(places, joints);
  if (gap && conditionNodes.every((condition) => !condition.recoveredNode)) {
    report({
      code: 'EXPECTED_AND',
      span: gap.span,
      message: `Found ${quote(gap.name)}, expected AND between two conditions.`,
    });
  }
  return conditionNodes.flatMap((condition) => buildCondition(condition, report) ?? []);
}

function buildCondition(node: CstNode, report: Report): Condition | undefined {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return undefined;
  const comparison = child(node, 'comparison');
  if (comparison) return buildComparison(field, comparison, report);
  const membership = child(node, 'membership');
  if (membership) return buildMembership(field, membership, report);
  const between = child(node, 'between');
  if (between) {
    const [low, high] = children(between, 'value').map((value) => buildValue(value, report));
    return low && high && { kind: 'between', field, low, high, operatorSpan: operatorSpan(between) };
  }
  const during = child(node, 'during');
  if (during) {
    const period = children(during, 'value').map((value) => buildValue(value, report))[0];
    return period && { kind: 'during', field, period, operatorSpan: operatorSpan(during) };
  }
  const nullTest = child(node, 'nullTest');
  if (nullTest) {
    const operator = tokens(nullTest, 'NOT').length > 0 ? 'IS NOT NULL' : 'IS NULL';
    return { kind: 'null_test', field, operator, operatorSpan: operatorSpan(nullTest) };
  }
  const foreign = child(node, 'foreign');
  if (foreign) reportForeignOperator(foreign, report);
  return undefined;
}

function buildComparison(field: FieldRef, node: CstNode, report: Report): Condition | undefined {
  const value = children(node, 'value').map((candidate) => buildValue(candidate, report))[0];
  const sign = tokens(node, 'ComparisonOperator')[0]?.image;
  const operator = sign ?? (tokens(node, 'NOT').length > 0 ? 'NOT LIKE' : 'LIKE');
  return (
    value && {
      kind: 'comparison',
      field,
      operator: operator as ComparisonSign,
      value,
      operatorSpan: operatorSpan(node),
    }
  );
}

function buildMembership(field: FieldRef, node: CstNode, report: Report): Condition | undefined {
  const open = written(tokens(node, 'LeftParen')[0]);
  const close = written(tokens(node, 'RightParen')[0]);
  if (!open || !close) return undefined;
  const valueNodes = children(node, 'value');
  const values = valueNodes.flatMap((value) => buildValue(value, report) ?? []);
  const listSpan = tokenSpan(open, close);
  if (valueNodes.length === 0) {
    report({
      code: 'PROHIBITED_EMPTY_LIST_IN_CONDITION',
      span: listSpan,
      message: 'The list after IN is empty.',
      hint: 'Name at least one value, or leave the condition out.',
    });
    return undefined;
  }
  const commas = tokens(node, 'Comma');
  const gap = missingSeparator(values, commas);
  if (gap)
    report({ code: 'EXPECTED_LIST', span: gap.span, message: 'Expected a comma before this value of the list.' });
  else if (commas.length >= valueNodes.length && commas[0]) {
    report({
      code: 'EXPECTED_LIST',
      span: tokenSpan(commas[0]),
      message: 'Found a comma without a value beside it in the list.',
    });
  }
  const operator = tokens(node, 'NOT').length > 0 ? 'NOT IN' : 'IN';
  return { kind: 'membership', field, operator, values, listSpan, operatorSpan: operatorSpan(node) };
}

const OPERATOR_WORDS = ['IN', 'NOT IN', 'LIKE', 'NOT LIKE', 'BETWEEN', 'DURING', 'IS NULL', 'IS NOT NULL'];
const FOREIGN_MEANING: ReadonlyMap<string, string> = new Map(
  Object.entries({ '==': '=', '<>': '!=', '=<': '<=', '=>': '>=' }),
);

function reportForeignOperator(node: CstNode, report: Report): void {
  const word = tokens(node, 'Name')[0] ?? tokens(node, 'ForeignOperator')[0];
  if (!word) return;
  const meant = FOREIGN_MEANING.get(word.image) ?? nearestNames(word.image, OPERATOR_WORDS)[0];
  report({
    code: 'BAD_OPERATOR',
    span: tokenSpan(word),
    message: `There is no operator ${quote(word.image)}.`,
    hint:
      meant === undefined
        ? `Operators are =, !=, <, <=, >, >=, ${OPERATOR_WORDS.join(', ')}.`
        : `Did you mean ${meant}?`,
  });
}

function buildOrdering(node: CstNode): Ordering[] {
  const direction = tokens(node, 'DESC').length > 0 ? 'DESC' : 'ASC';
  return children(node, 'field').flatMap((field) =>
    buildField(field).map((ref) => ({ field: ref, direction }) as const),
  );
}

const LIMIT_MAX = 2_147_483_647;

function buildLimit(node: CstNode, report: Report): LimitClause | undefined {
  const value = children(node, 'value').map((candidate) => buildValue(candidate, report))[0];
  if (!value) return undefined;
  const rows = value.kind === 'number' && /^[1-9]\d*$/.test(value.text) ? Number(value.text) : Number.NaN;
  if (rows <= LIMIT_MAX) return { rows, span: value.span };
  report({
    code: value.kind === 'number' && Number(value.text) <= 0 ? 'LIMIT_VALUE_TOO_LOW' : 'BAD_LIMIT_VALUE',
    span: value.span,
    message: `Found ${quote(value.text)}, expected a whole number from 1 to ${LIMIT_MAX} after LIMIT.`,
  });
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', "'": "'", '"': '"', n: '\n', r: '\r', t: '\t' };

/** What a string literal stands for: without its quotes, escapes resolved. */
export function textOf(literal: IToken): string {
  return literal.image.slice(1, -1).replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

function buildValue(node: CstNode, report: Report): Scalar | undefined {
  const token = tokensOf(node).find((candidate) => written(candidate) !== undefined);
  if (!token) return undefined;
  const span = tokenSpan(token);
  switch (token.tokenType) {
    case t.NumberLiteral:
      return { kind: 'number', text: token.image, span };
    // A date without quotes is no value of any type; taken as one word it gives one message.
    case t.UnquotedDate:
    case t.Name:
      return { kind: 'name', text: token.image, span };
    case t.StringLiteral: {
      const bad = /\\[^\\'"nrt]/.exec(token.image.replaceAll('\\\\', '__'));
      if (bad) {
        report({
          code: 'BAD_ESCAPE_SEQUENCE',
          span,
          message: `Found the escape ${quote(bad[0])}, expected one of \\\\ \\' \\" \\n \\r \\t.`,
        });
      }
      return { kind: 'string', text: textOf(token), raw: token.image, span };
    }
    case t.UnterminatedString:
      report({
        code: 'STRING_NOT_TERMINATED',
        span,
        message: `The text that begins with ${quote(token.image.slice(0, 20))} has no closing ${token.image[0]} on its line.`,
      });
      return undefined;
    default:
      throw new InvariantError(`A value made of a ${token.tokenType.name} token.`);
  }
}

function operatorSpan(node: CstNode): FieldRef['span'] {
  const words = tokensOf(node, false).filter(
    (token) => !['LeftParen', 'RightParen', 'Comma'].includes(token.tokenType.name),
  );
  const first = words[0];
  if (!first) throw new InvariantError('A condition without an operator.');
  // BETWEEN's AND is no part of the operator's name.
  const last = words.filter((token) => token.tokenType !== t.And).at(-1) ?? first;
  return tokenSpan(first, last);
}

const isToken = (element: CstElement): element is IToken => 'image' in element;

/** The token, unless the parser invented it to go on. */
function written(token: IToken | undefined): IToken | undefined {
  return token && !token.isInsertedInRecovery && !Number.isNaN(token.startOffset) ? token : undefined;
}

function tokens(node: CstNode, name: string): IToken[] {
  return (node.children[name] ?? []).filter(isToken).filter((token) => written(token) !== undefined);
}

function children(node: CstNode | undefined, name: string): CstNode[] {
  return (node?.children[name] ?? []).filter((element): element is CstNode => !isToken(element));
}

const child = (node: CstNode, name: string): CstNode | undefined => children(node, name)[0];

/** Every written token of a node in the order of the text, its inner nodes' too unless told otherwise. */
function tokensOf(node: CstNode, deep = true): IToken[] {
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
