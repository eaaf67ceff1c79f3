import { unreachable } from '../../domain/errors.ts';
import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  ownerOf,
  selectableFields,
} from '../../language/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../language/gaql/check/check-condition.ts';
import { columnOf } from '../../language/gaql/check/column.ts';
import { type Column, count, flag, id, list, text } from '../../storage/columns/column.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, part } from '../../views/kit/listing.ts';
import { type FoundFields, formerName, offering, type Reference } from './find-fields.ts';
import { type FieldMatch, type FieldSearch, matchingConstants, sentences, sentenceWith } from './search-fields.ts';

interface Described {
  readonly description: string | undefined;
  readonly words: string;
}

interface ShownField extends Described {
  readonly field: CatalogueField;
  readonly matched?: 'name' | 'description' | 'constant';
}

interface ShownResource extends Described {
  readonly resource: CatalogueResource;
  readonly catalogue: Catalogue;
}

interface FoundNames {
  readonly fields: readonly ShownField[];
  readonly resources: readonly ShownResource[];
  readonly json: Readonly<Record<string, unknown>>;
}

const MACHINES = { only: ['json', 'rows'] } as const;
const MATCHED = text('matched', 'In a search, what matched: name, description or constant.', 'matched');
const DESCRIPTION = text('description', 'The provider’s description.', ({ description }: Described) => description, {
  title: 'Description',
  shown: ({ words }) => words,
});

/** Identifiers are never cut, because people copy them. */
export const FIELD_COLUMNS: readonly Column<ShownField>[] = [
  id('name', 'The full name.', ({ field }) => field.name, { title: 'Name' }),
  id('shown_type', 'The type.', ({ field }) => typeText(field), { title: 'Type', only: ['people'] }),
  text('type', 'Type of a field: INT64, STRING, ENUM and so on.', ({ field }) => field.type, MACHINES),
  flag('repeated', '`true` for a list.', ({ field }) => field.repeated),
  text('role', 'attribute, segment or metric.', ({ field }) => field.role),
  DESCRIPTION,
  text('column', 'The column name in the table of a query.', ({ field }) => columnOf(field).name),
  list('values', 'The constants of an ENUM.', ({ field }) => field.values),
  list('operators', 'Operators for conditions on the field.', ({ field }) => operatorsOf(field)),
  flag('selectable', 'Whether SELECT accepts it; empty if unknown.', ({ field }) => field.selectable),
  flag('filterable', 'Whether WHERE accepts it; empty if unknown.', ({ field }) => field.filterable),
  flag('sortable', 'Whether ORDER BY accepts it; empty if unknown.', ({ field }) => field.sortable),
];

export const RESOURCE_COLUMNS: readonly Column<ShownResource>[] = [
  id('name', 'The full name.', ({ resource }) => resource.name, { title: 'Name' }),
  count('metrics', 'Number of selectable metrics of a resource.', ({ resource }) => resource.metrics.size, {
    title: 'Metrics',
    only: ['people'],
    shown: ({ resource: { metrics } }) => (metrics.size === 0 ? '' : metrics.size.toLocaleString('en-US')),
  }),
  DESCRIPTION,
  count(
    'attributes',
    'Number of selectable attributes of a resource.',
    ({ resource, catalogue }) =>
      selectableFields(catalogue, resource).filter(({ role }) => role === 'attribute').length,
  ),
  count('segments', 'Number of segments.', ({ resource }) => resource.segments.size),
  count('metrics', 'Number of metrics.', ({ resource }) => resource.metrics.size, MACHINES),
];

const MATCH_COLUMNS: readonly Column<ShownField>[] = [...FIELD_COLUMNS, MATCHED];

export const FIELDS: Listing<FoundNames> = {
  name: 'fields',
  about: '`row` is `resource` or `field`. Columns of the other kind are empty.',
  evident: ['name', 'description', 'repeated', 'values', 'operators', 'segments', 'metrics'],
  order: ['name', 'type', 'repeated', 'role', 'description', 'column', 'values', 'operators'].concat([
    'selectable',
    'filterable',
    'sortable',
    'attributes',
    'segments',
    'metrics',
    'matched',
  ]),
  json: ({ json }) => json,
  parts: [
    part({ row: 'field', only: ['rows'], title: 'Fields', columns: MATCH_COLUMNS, rows: ({ fields }) => fields }),
    part({
      row: 'resource',
      only: ['rows'],
      title: 'Resources',
      columns: RESOURCE_COLUMNS,
      rows: ({ resources }) => resources,
    }),
  ],
};

export function typeText({ type, repeated }: Pick<CatalogueField, 'type' | 'repeated'>): string {
  return repeated ? `list of ${type}` : type;
}

/**
 * The JSON is one object that begins with `catalogue`. The rest depends on the request:
 *
 * - nothing: `resources`, each `{ name, description, attributes, segments, metrics }` with counts;
 * - a resource: `resource`, `description`, `key`, `attributed`, `split_by`, `fields`;
 * - `metrics`, `segments` or a message: `group` (its name), `fields`;
 * - a field: `field` with `selectable_with`, `former_name`, `from` (resources) and `splits_rows_of`;
 * - a search: `search`, `within` (null: everything), `fields` with `matched`, best first, and `resources`.
 *   Without a match also `nearest` (suggestions) and `elsewhere` (number of matches outside `within`).
 */
export function foundNames(answer: FoundFields | FieldSearch, reference: Reference): FoundNames {
  const { catalogue, descriptions } = reference;
  const found = (rows: Partial<FoundNames>, json: object): FoundNames => ({
    fields: [],
    resources: [],
    ...rows,
    json: { catalogue: catalogue.name, ...json },
  });
  const shownFields = (fields: readonly CatalogueField[]) => fields.map((field) => shownField(field, reference));
  switch (answer.kind) {
    case 'resources': {
      const resources = answer.resources.map((resource) => shownResource(resource, reference));
      return found({ resources }, { resources: objects(RESOURCE_COLUMNS, resources) });
    }
    case 'resource': {
      const { name, key, attributed, segmentedBy } = answer.resource;
      const fields = shownFields(answer.groups.flatMap((group) => group.fields));
      const description = descriptions.resources[name];
      const json = { resource: name, description, key, attributed, split_by: segmentedBy };
      return found({ fields }, { ...json, fields: objects(FIELD_COLUMNS, fields) });
    }
    case 'group': {
      const fields = shownFields(answer.group.fields);
      return found({ fields }, { group: answer.group.name, fields: objects(FIELD_COLUMNS, fields) });
    }
    case 'field': {
      const field = shownField(answer.field, reference);
      const json = { ...jsonObject(FIELD_COLUMNS, field), ...placeJson(answer.field, reference) };
      return found({ fields: [field] }, { field: json });
    }
    case 'search': {
      const { word, within, nearest, elsewhere } = answer;
      const fields = answer.matches.map((match) => shownMatch(match, word, reference));
      const resources = answer.resources.map((resource) => shownResource(resource, reference));
      const rows = { fields: objects(MATCH_COLUMNS, fields), resources: objects(RESOURCE_COLUMNS, resources) };
      return found({ fields, resources }, { search: word, within, ...rows, nearest, elsewhere });
    }
    default:
      return unreachable(answer);
  }
}

export function shownField(field: CatalogueField, { descriptions }: Reference): ShownField {
  const description = descriptions.fields[field.name];
  return { field, description, words: sentences(description ?? '')[0] ?? '' };
}

export function shownMatch({ field, matched }: FieldMatch, word: string, reference: Reference): ShownField {
  const shown = { ...shownField(field, reference), matched };
  if (matched === 'constant') return { ...shown, words: matchingConstants(word, field).join(', ') };
  return matched === 'description' ? { ...shown, words: sentenceWith(word, shown.description ?? '') } : shown;
}

export function shownResource(
  resource: CatalogueResource,
  { catalogue, descriptions }: Reference,
  word?: string,
): ShownResource {
  const description = descriptions.resources[resource.name];
  const all = description ?? '';
  const words = word === undefined ? (sentences(all)[0] ?? '') : sentenceWith(word, all);
  return { resource, catalogue, description, words };
}

function objects<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): object[] {
  return rows.map((row) => jsonObject(columns, row));
}

function placeJson(field: CatalogueField, { catalogue }: Reference) {
  const resources = offering(field, catalogue);
  const splitting = resources.filter(({ segmentedBy }) => segmentedBy.includes(ownerOf(field.name)));
  return {
    selectable_with: field.selectableWith && [...field.selectableWith],
    former_name: formerName(field)?.name,
    from: resources.map(({ name }) => name),
    splits_rows_of: splitting.map(({ name }) => name),
  };
}
