import type { CstNode } from 'chevrotain';
import type { Report } from '../report.ts';
import { buildCondition } from './build-condition.ts';
import { buildValue } from './build-value.ts';
import { buildField, child, children, missingSeparator, nameOf, tokens, tokensOf } from './cst.ts';
import { printValue } from './print-query.ts';
import { callFinding, emptySpan, quote, tokenSpan } from './syntax-messages.ts';
import { ComparisonOperator, Desc } from './tokens.ts';
import type { Condition, LimitClause, Ordering, Query, RequestParameter, ResourceRef, SelectedField } from './tree.ts';

/**
 * The tree of what was parsed. Parts that the parser could not read are left out (it has reported them); what the
 * grammar lets through for the sake of a better message is reported here.
 */
export function buildTree(root: CstNode, source: string, report: Report): Query {
  const select = child(root, 'selectClause');
  const from = child(root, 'fromClause');
  const where = child(root, 'whereClause');
  const limit = child(root, 'limitClause');
  const all = tokensOf(root);
  const [first, last] = [all[0], all.at(-1)];
  return {
    kind: 'query',
    select: select ? buildSelect(select, report) : [],
    from: from ? buildResource(from) : undefined,
    where: where ? buildWhere(where, report) : [],
    orderBy: children(child(root, 'orderByClause'), 'ordering').flatMap(buildOrdering),
    limit: limit ? buildLimit(limit, report) : undefined,
    parameters: children(child(root, 'parametersClause'), 'parameter').flatMap((node) => buildParameter(node, report)),
    span: first && last ? tokenSpan(first, last) : emptySpan(source),
  };
}

function buildSelect(node: CstNode, report: Report): SelectedField[] {
  const fields = children(node, 'selected').flatMap((selected) => buildSelected(selected, report));
  const gap = missingSeparator(fields, tokens(node, 'Comma'));
  if (gap) {
    report({
      code: 'UNEXPECTED_INPUT',
      span: gap.span,
      message: `Found ${quote(gap.name)}, expected a comma before it.`,
      hint: commaHint(gap),
    });
  }
  return fields;
}

function commaHint({ name }: SelectedField): string {
  if (name.includes('.')) return 'Fields of SELECT are separated by commas.';
  return `Fields of SELECT are separated by commas; a column's name follows AS: AS ${name}.`;
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
  return [{ ...field, alias: aliasOf(node) }];
}

function aliasOf(node: CstNode): SelectedField['alias'] {
  const clause = child(node, 'alias');
  const name = clause && nameOf(clause);
  return name && { name: name.image, span: tokenSpan(name) };
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
      hint: 'Use IN (…) for several values of one field, or two query files.',
    });
  }
  const conditionNodes = children(node, 'condition');
  const joints = [...tokens(node, 'AND'), ...tokens(node, 'OR')].sort((a, b) => a.startOffset - b.startOffset);
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

function buildOrdering(node: CstNode): Ordering[] {
  const field = children(node, 'field').flatMap(buildField)[0];
  if (!field) return [];
  const sign = [...tokens(node, 'ASC'), ...tokens(node, 'DESC')][0];
  const span = { start: field.span.start, end: sign ? tokenSpan(sign).end : field.span.end };
  return [{ field, direction: sign?.tokenType === Desc ? 'DESC' : 'ASC', span }];
}

const LIMIT_MAX = 2_147_483_647;

function buildLimit(node: CstNode, report: Report): LimitClause | undefined {
  const value = children(child(node, 'rowCount'), 'value').map((candidate) => buildValue(candidate, report))[0];
  if (!value) return undefined;
  const rows = value.kind === 'number' && /^[1-9]\d*$/.test(value.text) ? Number(value.text) : Number.NaN;
  if (rows <= LIMIT_MAX) return { rows, span: value.span };
  report({
    code: value.kind === 'number' && Number(value.text) <= 0 ? 'LIMIT_VALUE_TOO_LOW' : 'BAD_LIMIT_VALUE',
    span: value.span,
    message: `Found ${quote(printValue(value))}, expected a whole number from 1 to ${LIMIT_MAX} after LIMIT.`,
    hint: value.kind === 'placeholder' ? 'Parameters stand in WHERE only.' : undefined,
  });
  return undefined;
}

function buildParameter(node: CstNode, report: Report): RequestParameter[] {
  const name = nameOf(node);
  const sign = tokens(node, ComparisonOperator.name)[0];
  const value = children(node, 'value').map((candidate) => buildValue(candidate, report))[0];
  if (!name || !sign || !value) return [];
  if (sign.image !== '=') {
    report({
      code: 'BAD_OPERATOR',
      span: tokenSpan(sign),
      message: `Found ${quote(sign.image)}, expected = after a parameter of the request.`,
    });
    return [];
  }
  if (value.kind === 'placeholder') {
    report({
      code: 'BAD_PARAMETER_VALUE',
      span: value.span,
      message: `Found ${printValue(value)}, expected a value: placeholders stand in WHERE.`,
    });
    return [];
  }
  return [{ name: name.image, nameSpan: tokenSpan(name), value }];
}
