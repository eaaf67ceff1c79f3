import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  fieldOf,
  filterOnlyField,
  isSelectable,
  ownerOf,
  REMOVED_FIELDS,
  renamedField,
  selectableFields,
} from '../catalogue/catalogue.ts';
import type { DiagnosticCode } from '../codes.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { FieldRef, Query } from '../syntax/tree.ts';
import { didYouMean, firstOf, hasNearName } from './suggest.ts';

export type Clause = 'SELECT' | 'WHERE' | 'ORDER BY';

export function checkResource({ from }: Query, catalogue: Catalogue, report: Report): CatalogueResource | undefined {
  if (!from) return undefined;
  const resource = catalogue.resources.get(from.name);
  if (resource) return resource;
  const names = [...catalogue.resources.keys()];
  const message = `Unknown resource ${quote(from.name)}.`;
  const hint = didYouMean(from.name, names) ?? 'Run pacekeeper fields to list the resources.';
  report({ code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE', span: from.span, message, hint });
  return undefined;
}

export interface FieldLookup {
  readonly catalogue: Catalogue;
  readonly resource: CatalogueResource | undefined;
  readonly report: Report;
  readonly unknownResource: string | undefined;
  readonly suggest: (name: string) => string | undefined;
  /** True if an unknown field causes only a warning, because no known name is similar. */
  readonly isOpen: (name: string) => boolean;
  /** Selectable fields whose names start with the name of a resource or message. */
  readonly inside: (name: string) => readonly string[];
}

/** Each search for similar names is slow, so the number of searches is limited. */
const SUGGESTIONS_MAX = 500;

export function fieldLookup(
  { from }: Query,
  catalogue: Catalogue,
  resource: CatalogueResource | undefined,
  report: Report,
  unknownFields: 'error' | 'warn' = 'error',
): FieldLookup {
  const unknownResource = resource ? undefined : from?.name;
  let names: readonly string[] | undefined;
  // Correct queries need no candidates.
  const candidates = (): readonly string[] => {
    names ??= (resource ? selectableFields(catalogue, resource) : [...catalogue.fields.values()]).map(
      ({ name }) => name,
    );
    return names;
  };
  let left = SUGGESTIONS_MAX;
  const suggest = (name: string) => {
    left -= 1;
    return left < 0 ? undefined : didYouMean(name, candidates());
  };
  const isOpen = (name: string) =>
    unknownFields === 'warn' && resource !== undefined && name.includes('.') && !hasNearName(name, candidates());
  let groups: ReadonlyMap<string, readonly { readonly field: string }[]> | undefined;
  const inside = (name: string) => {
    groups ??= Map.groupBy(
      candidates().flatMap((field) => groupsOf(field).map((group) => ({ group, field }))),
      ({ group }) => group,
    );
    return (groups.get(name) ?? []).map(({ field }) => field);
  };
  return { catalogue, resource, unknownResource, report, suggest, isOpen, inside };
}

export function checkField(ref: FieldRef, clause: Clause, lookup: FieldLookup): CatalogueField | undefined {
  const filterOnly = filterOnlyField(ref.name, lookup.catalogue);
  const field = lookup.catalogue.fields.get(ref.name) ?? (clause === 'WHERE' ? filterOnly : undefined);
  // The check of FROM has already reported the unknown resource.
  if (!field && ownerOf(ref.name) === lookup.unknownResource) return undefined;
  if (!field && filterOnly) {
    const message = `${quote(ref.name)} is part of a list: only WHERE accepts it.`;
    lookup.report({ code: PROHIBITED[clause], span: ref.span, message });
    return undefined;
  }
  if (!field) return reportUnknown(ref, clause, lookup);
  const { resource } = lookup;
  if (resource && !isSelectable(resource, field)) {
    lookup.report({
      code: unselectableCode(field, clause),
      span: ref.span,
      message: `${quote(ref.name)} cannot be used in a query FROM ${resource.name}.`,
      hint: lookup.suggest(ref.name) ?? elsewhere(field, lookup.catalogue),
    });
    return undefined;
  }
  const isAllowed = field[FACT_OF[clause]];
  if (isAllowed === false) {
    const inner = lookup.inside(ref.name);
    const filter = clause === 'SELECT' && field.filterable ? 'Only WHERE accepts it.' : undefined;
    const hint = inner.length > 0 ? `Use its fields: ${firstOf(inner, SHOWN_MAX)}.` : filter;
    const message = `${clause} does not accept ${quote(ref.name)}.`;
    lookup.report({ code: PROHIBITED[clause], span: ref.span, message, hint });
    return undefined;
  }
  if (isAllowed === undefined && clause !== 'SELECT' && field.type === 'MESSAGE' && !field.repeated) {
    const message = `${quote(ref.name)} is a message: WHERE and ORDER BY do not accept it.`;
    lookup.report({ code: PROHIBITED[clause], span: ref.span, message });
    return undefined;
  }
  if (isAllowed === undefined && clause === 'ORDER BY' && field.repeated) {
    const message = `${quote(ref.name)} is a list: ORDER BY does not accept it.`;
    lookup.report({ code: PROHIBITED[clause], span: ref.span, message, hint: 'Sort the table in SQL.' });
    return undefined;
  }
  return field;
}

const PROHIBITED: Readonly<Record<Clause, DiagnosticCode>> = {
  SELECT: 'PROHIBITED_FIELD_IN_SELECT_CLAUSE',
  WHERE: 'PROHIBITED_FIELD_IN_WHERE_CLAUSE',
  'ORDER BY': 'PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE',
};

const FACT_OF = { SELECT: 'selectable', WHERE: 'filterable', 'ORDER BY': 'sortable' } as const;

/** Returns a field of type STRING if the service may have the unknown field. */
function reportUnknown(
  ref: FieldRef,
  clause: Clause,
  { catalogue, resource, report, suggest, isOpen, inside }: FieldLookup,
): CatalogueField | undefined {
  const of = resource ? ` of ${resource.name}` : '';
  const inner = inside(ref.name).toSorted((a, b) => rank(a) - rank(b));
  const known = inner.length > 0 || catalogue.resources.has(ref.name) || ['metrics', 'segments'].includes(ref.name);
  if (known) {
    const message = `${quote(ref.name)} is a whole resource or message, not a field${of}.`;
    const hint = inner.length > 0 ? `Use its fields: ${firstOf(inner, SHOWN_MAX)}.` : fieldsHint(resource);
    report({ code: PROHIBITED[clause], span: ref.span, message, hint });
    return undefined;
  }
  const whole = wholeOf(ref.name, catalogue);
  if (whole?.repeated || (whole && inside(whole.name).length === 0)) {
    const kind = whole.repeated ? 'list' : 'message';
    const message = `${quote(ref.name)} is part of the ${kind} ${whole.name}. A query can use only the whole ${kind}.`;
    const hint =
      clause === 'SELECT' || whole.repeated
        ? `Use ${whole.name}: the column holds the ${kind} as JSON.`
        : `Select ${whole.name}, and use SQL on the table.`;
    report({ code: PROHIBITED[clause], span: ref.span, message, hint });
    return undefined;
  }
  const renamed = renamedField(ref.name);
  const isKnown = renamed !== undefined && catalogue.fields.has(renamed.name);
  const message = isKnown
    ? `${quote(ref.name)} was renamed to ${renamed.name} in ${renamed.since}.`
    : `${quote(ref.name)} is not a field${of}.`;
  const instead = REMOVED_FIELDS.get(ref.name.toLowerCase())?.filter((name) => catalogue.fields.has(name));
  if (!isKnown && !instead?.length && isOpen(ref.name)) {
    const doubt = `${quote(ref.name)} is not in the catalogue ${catalogue.name}. The service may have it.`;
    const hint = 'Run pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.';
    report({ code: 'UNRECOGNIZED_FIELD', severity: 'warning', span: ref.span, message: doubt, hint });
    return fieldOf([ref.name, 'STRING']);
  }
  const hint = isKnown
    ? `Write ${renamed.name}.`
    : instead?.length
      ? `Use ${instead.join(' or ')} instead.`
      : (suggest(ref.name) ?? fieldsHint(resource));
  report({ code: 'UNRECOGNIZED_FIELD', span: ref.span, message, hint });
  return undefined;
}

/** No field has more parts. A hostile name with thousands of parts would take quadratic time. */
const PARTS_MAX = 20;

function wholeOf(name: string, catalogue: Catalogue): CatalogueField | undefined {
  const parts = name.split('.', PARTS_MAX);
  for (let length = parts.length - 1; length >= 2; length -= 1) {
    const parent = catalogue.fields.get(parts.slice(0, length).join('.'));
    if (parent?.repeated || parent?.type === 'MESSAGE') return parent;
  }
  return undefined;
}

/** The groups of `a.b.c` are `a` and `a.b`. */
function groupsOf(field: string): string[] {
  const parts = field.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}

function unselectableCode({ role }: CatalogueField, clause: Clause): DiagnosticCode {
  if (clause === 'ORDER BY') return 'PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE';
  if (role === 'metric') return 'PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE';
  if (role === 'segment') return 'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE';
  return clause === 'SELECT' ? 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE' : 'PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE';
}

function elsewhere(field: CatalogueField, catalogue: Catalogue): string {
  const owner = ownerOf(field.name);
  const offering = [...catalogue.resources.values()].flatMap((resource) =>
    isSelectable(resource, field) ? [resource.name] : [],
  );
  return offering.includes(owner)
    ? `Select it FROM ${owner}.`
    : `It can be selected FROM ${firstOf(offering, SHOWN_MAX)}.`;
}

function rank(field: string): number {
  const place = ['id', 'name', 'status', 'clicks', 'impressions', 'cost_micros', 'date'].indexOf(
    field.slice(field.lastIndexOf('.') + 1),
  );
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}

const SHOWN_MAX = 4;

function fieldsHint(resource: CatalogueResource | undefined): string | undefined {
  return resource && `Run pacekeeper fields ${resource.name} to list its fields.`;
}
