import { unreachable } from '../../domain/errors.ts';
import { inertJson } from '../../domain/inert-json.ts';
import {
  type CatalogueField,
  type CatalogueResource,
  ownerOf,
  selectableFields,
} from '../../gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../gaql/check/check-condition.ts';
import { columnOf } from '../../gaql/check/column.ts';
import { type FoundFields, formerName, offering, type Reference } from './find-fields.ts';
import type { FieldSearch } from './search-fields.ts';

/**
 * For programs: one object, `catalogue` first. What follows depends on what was asked for:
 *
 * - nothing: `resources`, each `{ name, description, attributes, segments, metrics }` with counts of what can be selected;
 * - a resource: `resource`, `description`, `key`, `attributed` and `split_by` (resources whose attributes can be selected,
 *   without and with splitting its rows), `fields`;
 * - `metrics`, `segments` or a message: `group` (its name), `fields`;
 * - a field: `field`, an object as in `fields`, with `former_name`, `from` (resources) and `splits_rows_of` beside the rest;
 * - a search: `search`, `within` (null: everything), `fields`, each with `matched` (`name`, `description` or `constant`)
 *   beside the rest, best first, `resources` as above; when nothing was found, `nearest` (what may have been meant) and
 *   `elsewhere` (how many fields outside of `within` have it).
 *
 * An element of `fields` is `{ name, type, repeated, role, values, description, column, operators }`; `values` are the
 * constants of an ENUM, `column` the name in a query's table. A description that is not known is null.
 */
export function renderFieldsJson(answer: FoundFields | FieldSearch, reference: Reference): string {
  const content = { catalogue: reference.catalogue.name, ...contentOf(answer, reference) };
  return `${inertJson(JSON.stringify(content, undefined, 2))}\n`;
}

function contentOf(answer: FoundFields | FieldSearch, reference: Reference): object {
  switch (answer.kind) {
    case 'resources':
      return { resources: answer.resources.map((resource) => resourceJson(resource, reference)) };
    case 'resource': {
      const { name, key, attributed, segmentedBy } = answer.resource;
      return {
        resource: name,
        description: reference.descriptions.resources[name] ?? null,
        ...{ key, attributed, split_by: segmentedBy },
        fields: answer.groups.flatMap(({ fields }) => fields.map((field) => fieldJson(field, reference))),
      };
    }
    case 'group':
      return {
        group: answer.group.name,
        fields: answer.group.fields.map((field) => fieldJson(field, reference)),
      };
    case 'field':
      return { field: { ...fieldJson(answer.field, reference), ...placeJson(answer.field, reference) } };
    case 'search':
      return {
        search: answer.word,
        within: answer.within ?? null,
        fields: answer.matches.map(({ field, matched }) => ({ ...fieldJson(field, reference), matched })),
        resources: answer.resources.map((resource) => resourceJson(resource, reference)),
        nearest: answer.nearest,
        elsewhere: answer.elsewhere,
      };
    default:
      return unreachable(answer);
  }
}

/** Resources and fields, a row each; what is found in several resources comes once. */
export function fieldRows(answer: FoundFields | FieldSearch, reference: Reference): object[] {
  const fields = (found: readonly CatalogueField[]) =>
    found.map((field) => ({ row: 'field', ...fieldJson(field, reference) }));
  const resources = (found: readonly CatalogueResource[]) =>
    found.map((resource) => ({ row: 'resource', ...resourceJson(resource, reference) }));
  switch (answer.kind) {
    case 'resources':
      return resources(answer.resources);
    case 'resource':
      return fields(answer.groups.flatMap((group) => group.fields));
    case 'group':
      return fields(answer.group.fields);
    case 'field':
      return fields([answer.field]);
    case 'search':
      return [
        ...answer.matches.flatMap(({ field, matched }) => fields([field]).map((row) => ({ ...row, matched }))),
        ...resources(answer.resources),
      ];
    default:
      return unreachable(answer);
  }
}

function resourceJson(resource: CatalogueResource, { catalogue, descriptions }: Reference) {
  const { name, segments, metrics } = resource;
  return {
    name,
    description: descriptions.resources[name] ?? null,
    attributes: selectableFields(catalogue, resource).length - segments.size - metrics.size,
    segments: segments.size,
    metrics: metrics.size,
  };
}

function fieldJson(field: CatalogueField, { descriptions }: Reference) {
  const { name, type, repeated, role, values } = field;
  return {
    ...{ name, type, repeated, role, values },
    description: descriptions.fields[name] ?? null,
    column: columnOf(field).name,
    operators: operatorsOf(field),
  };
}

function placeJson(field: CatalogueField, { catalogue }: Reference) {
  const resources = offering(field, catalogue);
  const splitting = resources.filter(({ segmentedBy }) => segmentedBy.includes(ownerOf(field.name)));
  return {
    former_name: formerName(field)?.name ?? null,
    from: resources.map(({ name }) => name),
    splits_rows_of: splitting.map(({ name }) => name),
  };
}
