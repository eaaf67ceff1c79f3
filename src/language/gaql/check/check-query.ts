import type { CivilDate } from '../../../domain/civil-date.ts';
import type { Diagnostic } from '../../../domain/diagnostic.ts';
import { type Catalogue, filterOnlyField } from '../catalogue/catalogue.ts';
import { reportTo } from '../report.ts';
import { printQuery, withoutAliases } from '../syntax/print-query.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Query } from '../syntax/tree.ts';
import { type Binding, bindCondition, type ParameterValues } from './bind-parameters.ts';
import {
  checkOrdering,
  checkRequestParameters,
  checkSelectedFilters,
  checkSpecialResource,
  fieldOfAlias,
  noteLimit,
} from './check-clauses.ts';
import { checkColumns, rowKey } from './check-columns.ts';
import { checkCondition, checkRegularExpression } from './check-condition.ts';
import { checkDates } from './check-dates.ts';
import { type Clause, checkField, checkResource, type FieldLookup, fieldLookup } from './check-fields.ts';
import { checkCombinations, checkConversionSegments, warnOfNoPeriod } from './check-metrics.ts';
import type { CheckedCondition } from './check-value.ts';
import type { Column } from './column.ts';
import { type DateWindow, isCalendarName } from './date-window.ts';

export interface CheckContext {
  readonly catalogue: Catalogue;
  readonly today?: CivilDate | undefined;
  readonly parameters?: ParameterValues | undefined;
  readonly unbound?: Binding['unbound'] | undefined;
  /** `warn`: unknown fields are warnings if no known name is similar. */
  readonly unknownFields?: 'error' | 'warn' | undefined;
  /** Returns the reason if a regular expression is invalid. Default: no check. */
  readonly patternFault?: ((pattern: string) => string | undefined) | undefined;
}

/** A valid query, before {@link queryForDay} inserts the days. */
export interface CheckedQuery {
  /** Parameters are replaced by values, except calendar days such as `:today`. */
  readonly tree: Query;
  readonly resource: string;
  readonly columns: readonly Column[];
  /** Columns that identify a row. Empty if the query omits a part of the key. */
  readonly key: readonly string[];
  readonly window: DateWindow | undefined;
  readonly limit: number | undefined;
  /** The query in canonical form, on one line. */
  readonly text: string;
  readonly parameters: readonly string[];
}

const NO_PARAMETERS: ParameterValues = new Map();

/** `complete` means that the text has no syntax error. */
export function checkQuery(
  tree: Query,
  context: CheckContext,
  complete: boolean,
): { readonly query: CheckedQuery | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = reportTo(diagnostics);
  const resource = checkResource(tree, context.catalogue, report);
  const lookup = fieldLookup(tree, context.catalogue, resource, report, context.unknownFields);
  const selected = tree.select.flatMap((ref) => {
    const field = checkField(ref, 'SELECT', lookup);
    return field ? [{ ref, field }] : [];
  });
  const columns = checkColumns(selected, report);
  const binding = { values: context.parameters ?? NO_PARAMETERS, unbound: context.unbound ?? 'error', report };
  const conditions = tree.where.map((written) => checkWritten(written, tree, lookup, binding, context.patternFault));
  const judged = { ...tree, select: selected.map(({ ref }) => ref) };
  const dates = checkDates(judged, conditions, complete, context.today, report);
  for (const ordering of tree.orderBy) {
    const field = lookUp(ordering.field, 'ORDER BY', tree, lookup);
    if (field && complete) checkOrdering(ordering, tree, report);
  }
  const filtered = conditions.flatMap(({ written, field }) => (field ? [{ ref: written.field, field }] : []));
  const used = [...selected, ...filtered];
  checkCombinations(used, report);
  checkRequestParameters(tree, report);
  if (tree.from && resource && complete) {
    checkSelectedFilters(tree, conditions, resource, report);
    checkSpecialResource(tree, tree.from, conditions, dates, context.today, report);
    // A refreshed catalogue knows which fields exclude each other, so this check is not needed.
    if (used.every(({ field }) => field.selectableWith === undefined)) checkConversionSegments(tree, report);
    noteLimit(tree, report);
  }

  const failed = !complete || diagnostics.some(({ severity }) => severity === 'error');
  if (failed || !resource) return { query: undefined, diagnostics };
  warnOfNoPeriod(tree, resource, report);
  const key = rowKey(columns, resource, context.catalogue, keywordSpan(tree), report);
  const bound = { ...tree, where: conditions.map(({ written, bound: condition }) => condition ?? written) };
  const query = {
    tree: bound,
    resource: resource.name,
    columns,
    key,
    window: dates.window,
    limit: tree.limit?.rows,
    text: printQuery(withoutAliases(bound)),
    parameters: parametersOf(tree),
  };
  return { query, diagnostics };
}

function checkWritten(
  written: CheckedCondition['written'],
  tree: Query,
  lookup: FieldLookup,
  binding: Binding,
  patternFault: CheckContext['patternFault'],
): CheckedCondition {
  const field = lookUp(written.field, 'WHERE', tree, lookup);
  const bound = field && bindCondition(written, field, binding);
  const isKnown = field && (lookup.catalogue.fields.has(field.name) || filterOnlyField(field.name, lookup.catalogue));
  if (isKnown && bound) checkCondition(bound, field, lookup.report);
  if (bound && patternFault) checkRegularExpression(bound, patternFault, lookup.report);
  return { written, field, bound };
}

function lookUp(ref: FieldRef, clause: Clause, tree: Query, lookup: FieldLookup) {
  const aliased = fieldOfAlias(ref, tree);
  if (aliased === undefined) return checkField(ref, clause, lookup);
  const message = `${quote(ref.name)} is a column name in this file, but ${clause} takes fields.`;
  lookup.report({ code: 'UNRECOGNIZED_FIELD', span: ref.span, message, hint: `Write ${aliased}.` });
  return undefined;
}

function keywordSpan({ span: { start } }: Query): Query['span'] {
  return { start, end: { ...start, offset: start.offset + 6, column: start.column + 6 } };
}

function parametersOf({ where }: Query): string[] {
  const names = where
    .flatMap(({ values }) => values)
    .flatMap((value) => (value.kind === 'placeholder' && !isCalendarName(value.name) ? [value.name] : []));
  return [...new Set(names)];
}
