import type { Diagnostic } from '../../domain/diagnostic.ts';
import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  isSelectable,
  selectableFields,
} from '../catalogue/catalogue.ts';
import { printQuery } from '../syntax/print-query.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Query } from '../syntax/tree.ts';
import { checkCondition } from './check-condition.ts';
import { checkDates } from './check-dates.ts';
import { type Column, columnOf } from './column.ts';
import type { DateWindow } from './date-window.ts';
import type { Report } from './report.ts';
import { didYouMean } from './suggest.ts';

/** A query that may be sent. */
export interface CheckedQuery {
  readonly tree: Query;
  readonly resource: string;
  /** One per selected field, in the order of SELECT. */
  readonly columns: readonly Column[];
  /** The days it asks for; undefined when it names none. */
  readonly window: DateWindow | undefined;
  readonly limit: number | undefined;
  /** What is sent: canonical, one line. */
  readonly text: string;
}

/**
 * Tree to typed query, or every reason why not. `complete` says that the text had no syntax error; when it had, only
 * what was read is judged and rules about what is missing stay silent.
 */
export function checkQuery(
  tree: Query,
  catalogue: Catalogue,
  complete: boolean,
): { readonly query: CheckedQuery | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report: Report = ({ severity = 'error', hint, ...finding }) =>
    diagnostics.push({ severity, ...finding, ...(hint === undefined ? {} : { hint }) });

  const resource = checkResource(tree, catalogue, report);
  const lookUp = (ref: FieldRef, clause: string) => checkField(ref, clause, catalogue, resource, report);
  const selected = tree.select.map((ref) => ({ ref, field: lookUp(ref, 'SELECT') }));
  const columns = checkColumns(selected, report);
  for (const condition of tree.where) {
    const field = lookUp(condition.field, 'WHERE');
    if (field) checkCondition(condition, field, report);
  }
  const window = checkDates(tree, complete, report);
  for (const { field } of tree.orderBy) {
    if (lookUp(field, 'ORDER_BY') && complete) checkOrdering(field, tree, report);
  }

  const failed = !complete || diagnostics.some(({ severity }) => severity === 'error');
  if (failed || !resource) return { query: undefined, diagnostics };
  const query = { tree, resource: resource.name, columns, window, limit: tree.limit?.rows, text: printQuery(tree) };
  return { query, diagnostics };
}

function checkResource(tree: Query, catalogue: Catalogue, report: Report): CatalogueResource | undefined {
  if (!tree.from) return undefined;
  const resource = catalogue.resources.get(tree.from.name);
  if (resource) return resource;
  const names = [...catalogue.resources.keys()];
  report({
    code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE',
    span: tree.from.span,
    message: `There is no resource ${quote(tree.from.name)}.`,
    hint: didYouMean(tree.from.name, names) ?? `Resources are ${names.join(', ')}.`,
  });
  return undefined;
}

type Clause = 'SELECT' | 'WHERE' | 'ORDER_BY';

function checkField(
  ref: FieldRef,
  clause: Clause | string,
  catalogue: Catalogue,
  resource: CatalogueResource | undefined,
  report: Report,
): CatalogueField | undefined {
  const field = catalogue.fields.get(ref.name);
  const candidates = (resource ? selectableFields(catalogue, resource) : [...catalogue.fields.values()]).map(
    ({ name }) => name,
  );
  if (!field) {
    const inner = candidates.filter((name) => name.startsWith(`${ref.name}.`));
    const message = inner.length > 0 ? 'is a whole resource or message, not a field' : 'is not a field';
    report({
      code: inner.length > 0 ? `PROHIBITED_FIELD_IN_${clause}_CLAUSE` : 'UNRECOGNIZED_FIELD',
      span: ref.span,
      message: `${quote(ref.name)} ${message}${resource ? ` of ${resource.name}` : ''}.`,
      hint: inner.length > 0 ? `Name its fields: ${inner.slice(0, 4).join(', ')}.` : didYouMean(ref.name, candidates),
    });
    return undefined;
  }
  if (resource && !isSelectable(resource, field)) {
    const own = candidates.slice(0, 4).join(', ');
    report({
      code: 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE'.replace('SELECT', clause),
      span: ref.span,
      message: `${quote(ref.name)} cannot be used in a query FROM ${resource.name}.`,
      hint: didYouMean(ref.name, candidates) ?? `Fields of ${resource.name} are ${own} and others.`,
    });
    return undefined;
  }
  return field;
}

function checkColumns(
  selected: readonly { readonly ref: FieldRef; readonly field: CatalogueField | undefined }[],
  report: Report,
): Column[] {
  const seen = new Map<string, string>([['customer_id', 'the account, which is always the first column']]);
  const columns: Column[] = [];
  for (const { ref, field } of selected) {
    if (!field) continue;
    const column = columnOf(field);
    const earlier = seen.get(column.name);
    if (earlier === undefined) columns.push(column);
    else if (earlier === ref.name) {
      report({ code: 'DUPLICATE_FIELD', span: ref.span, message: `${quote(ref.name)} is selected twice.` });
    } else if (ref.name === 'customer.id') {
      // The account's own column holds it.
      seen.set(column.name, ref.name);
    } else {
      report({
        code: 'DUPLICATE_COLUMN',
        span: ref.span,
        message: `${quote(ref.name)} would be the column ${column.name}, which is ${earlier} already.`,
      });
    }
    if (earlier === undefined) seen.set(column.name, ref.name);
  }
  return columns;
}

function checkOrdering(field: FieldRef, tree: Query, report: Report): void {
  if (tree.select.some(({ name }) => name === field.name) || field.name.endsWith('.resource_name')) return;
  const ofMainResource = field.name.startsWith(`${tree.from?.name}.`);
  report({
    code: 'PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE',
    severity: ofMainResource ? 'warning' : 'error',
    span: field.span,
    message: `${quote(field.name)} is in ORDER BY but not in SELECT.`,
    hint: `Add ${field.name} to SELECT.`,
  });
}
