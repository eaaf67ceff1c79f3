import type { CatalogueResource } from '../catalogue/catalogue.ts';
import { ownerOf } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Ordering, Query } from '../syntax/tree.ts';
import { isCoreDate } from './check-dates.ts';
import { needsLimit } from './check-special-resources.ts';
import type { CheckedCondition } from './checked-condition.ts';
import { didYouMean } from './suggest.ts';

/** Segments, and attributes of resources that split the rows, are filtered on only when they are selected. */
export function checkSelectedFilters(
  tree: Query,
  conditions: readonly CheckedCondition[],
  resource: CatalogueResource,
  report: Report,
): void {
  for (const { written, field } of conditions) {
    if (!field || isCoreDate(field.name) || isSelected(field.name, tree)) continue;
    const owner = ownerOf(field.name);
    const splits = resource.segmentedBy.includes(owner) && !resource.attributed.includes(owner);
    if (field.role !== 'segment' && !splits) continue;
    report({
      code: 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE',
      span: written.field.span,
      message:
        field.role === 'segment'
          ? `${quote(field.name)} is a segment: it can be filtered on only when it is selected.`
          : `${quote(field.name)} splits the rows of ${resource.name}: it can be filtered on only when it is selected.`,
      hint: `Add ${field.name} to SELECT.`,
    });
  }
}

const isSelected = (name: string, { select }: Query): boolean => select.some((field) => field.name === name);

export function checkOrdering({ field }: Ordering, tree: Query, report: Report): void {
  if (isSelected(field.name, tree) || field.name.endsWith('.resource_name')) return;
  const ofMainResource = field.name.startsWith(`${tree.from?.name}.`);
  report({
    code: 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE',
    severity: ofMainResource ? 'warning' : 'error',
    span: field.span,
    message: `${quote(field.name)} is in ORDER BY but not in SELECT.`,
    hint: `Add ${field.name} to SELECT.`,
  });
}

/** A name of WHERE or ORDER BY that is a column's name in this file; the service knows fields only. */
export function fieldOfAlias({ name }: FieldRef, { select }: Query): string | undefined {
  return select.find(({ alias }) => alias?.name === name)?.name;
}

export function noteLimit({ limit, from }: Query, report: Report): void {
  if (!limit) return;
  report({
    code: 'LIMITED_TABLE',
    severity: 'note',
    span: limit.span,
    message: `The table holds at most ${limit.rows} rows per account: it may be a part of what there is.`,
    hint:
      from && needsLimit(from.name)
        ? 'Rules do not read such a table.'
        : 'Rules do not read such a table. Take the LIMIT away to have all rows.',
  });
}

const REQUEST_PARAMETERS = ['include_drafts', 'omit_unselected_resource_names'];

/** PARAMETERS takes two names, each once, true or false. */
export function checkRequestParameters({ parameters }: Query, report: Report): void {
  const seen = new Set<string>();
  for (const { name, nameSpan, value } of parameters) {
    if (!REQUEST_PARAMETERS.includes(name)) {
      report({
        code: 'BAD_PARAMETER_NAME',
        span: nameSpan,
        message: `There is no request parameter ${quote(name)}.`,
        hint: didYouMean(name, REQUEST_PARAMETERS) ?? `There are ${REQUEST_PARAMETERS.join(' and ')}.`,
      });
    } else if (seen.has(name)) {
      report({ code: 'BAD_PARAMETER_NAME', span: nameSpan, message: `${quote(name)} is given twice.` });
    }
    seen.add(name);
    if (value.kind !== 'number' && /^(true|false)$/i.test(value.text)) continue;
    const message = `Found ${quote(value.text)}, expected true or false.`;
    report({ code: 'BAD_PARAMETER_VALUE', span: value.span, message });
  }
}
