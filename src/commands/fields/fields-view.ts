import { unreachable } from '../../domain/errors.ts';
import { listed } from '../../domain/wording.ts';
import {
  type CatalogueField,
  type CatalogueResource,
  ownerOf,
  selectableFields,
} from '../../language/gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../../language/gaql/check/check-condition.ts';
import { columnOf } from '../../language/gaql/check/column.ts';
import { type Column, count, flag, id, list, text } from '../../storage/columns/column.ts';
import { fieldColumns } from '../../storage/warehouse/publish/published-table.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, type Part, part } from '../../views/kit/listing.ts';
import { count as counted, firstOf } from '../../views/text/text-layout.ts';
import {
  type FieldGroup,
  type FieldMatch,
  type FieldSearch,
  type FoundFields,
  fieldsBelow,
  formerName,
  MATCHED_IN,
  matchingConstants,
  offering,
  type Reference,
  sentences,
  sentenceWith,
} from './find-fields.ts';

interface Described {
  readonly description: string | undefined;
  readonly words: string;
}

interface ShownField extends Described {
  readonly field: CatalogueField;
  readonly matched?: FieldMatch['matched'];
}

interface ShownResource extends Described {
  readonly resource: CatalogueResource;
  readonly attributes: number;
}

type Fact = readonly [name: string, text: string];

interface FoundNames {
  readonly fields: readonly ShownField[];
  readonly resources: readonly ShownResource[];
  readonly json: Readonly<Record<string, unknown>>;
  readonly before: readonly string[];
  readonly sections: readonly Part<FoundNames>[];
  readonly after: readonly string[];
}

const DESCRIPTION = text('description', 'The provider’s description.', ({ description }: Described) => description, {
  title: 'Description',
  long: true,
  shown: ({ words }) => words,
});

const FIELD_COLUMNS: readonly Column<ShownField>[] = [
  // One column, because a long name would leave no room for the type.
  id('name', 'The full name.', ({ field }) => field.name, {
    title: 'Name and type',
    shown: ({ field }) => `${field.name} ${typeText(field)}`,
  }),
  text('type', 'Type of a field: INT64, STRING, ENUM and so on.', ({ field }) => field.type),
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

const MATCH_COLUMNS: readonly Column<ShownField>[] = [
  ...FIELD_COLUMNS,
  text('matched', 'In a search, what matched: name, description or constant.', 'matched'),
];

const RESOURCE_COLUMNS: readonly Column<ShownResource>[] = [
  id('name', 'The full name.', ({ resource }) => resource.name, { title: 'Name' }),
  DESCRIPTION,
  count('attributes', 'Number of selectable attributes of a resource.', 'attributes'),
  count('segments', 'Number of segments.', ({ resource }) => resource.segments.size),
  count('metrics', 'Number of metrics.', ({ resource }) => resource.metrics.size, { title: 'Metrics' }),
];

const FACT_COLUMNS: readonly Column<Fact>[] = [
  text('fact', 'The kind of fact.', ([name]) => name, { title: 'Fact' }),
  text('text', 'The fact.', (fact) => fact[1], { title: 'Value', wraps: true }),
];

/** Without the sections, which people see instead of the rows. */
export const FIELDS: Listing<FoundNames> = {
  name: 'fields',
  about: '`row` is `resource` or `field`. Columns of the other kind are empty.',
  evident: ['name', 'description', 'repeated', 'values', 'operators', 'segments', 'metrics'],
  order: [...new Set([...FIELD_COLUMNS, ...RESOURCE_COLUMNS].map(({ key }) => key))],
  json: ({ json }) => json,
  before: ({ before }) => before,
  after: ({ after }) => after,
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

export function fieldsListing({ sections }: FoundNames): Listing<FoundNames> {
  return { ...FIELDS, parts: [...FIELDS.parts, ...sections] };
}

function section<Row>(title: string, columns: readonly Column<Row>[], rows: readonly Row[]): Part<FoundNames> {
  return part({ only: ['people'], title, columns, rows: () => rows });
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
  const { name: catalogue } = reference.catalogue;
  const found = (rows: Partial<FoundNames>, json: object): FoundNames => ({
    fields: [],
    resources: [],
    before: [],
    sections: [],
    after: [],
    ...rows,
    json: { catalogue, ...json },
  });
  const shownFields = (fields: readonly CatalogueField[]) => fields.map((field) => shownField(field, reference));
  const groupSection = (group: FieldGroup) => section(groupTitle(group), FIELD_COLUMNS, shownFields(group.fields));
  switch (answer.kind) {
    case 'resources': {
      const resources = answer.resources.map((resource) => shownResource(resource, reference));
      const withMetricsFirst = resources.toSorted(
        (one, other) => Number(one.resource.metrics.size === 0) - Number(other.resource.metrics.size === 0),
      );
      const example = withMetricsFirst[0]?.resource.name;
      return found(
        {
          resources,
          before: [`Catalogue ${catalogue}: ${counted(resources.length, 'resource')}. A query names one after FROM.`],
          sections: [section('', RESOURCE_COLUMNS, withMetricsFirst)],
          after: [
            `Run pacekeeper fields ${example} to see what a query FROM it can select. Run pacekeeper fields --search cost to search.`,
          ],
        },
        { resources: objects(RESOURCE_COLUMNS, resources) },
      );
    }
    case 'resource': {
      const { name, key, attributed, segmentedBy, segments } = answer.resource;
      const description = reference.descriptions.resources[name];
      const fields = shownFields(answer.groups.flatMap((group) => group.fields));
      return found(
        {
          fields,
          before: [name, ...(description === undefined ? [] : [description]), keyText(key, segments.size > 0)],
          sections: answer.groups.map(groupSection),
          after: closing(fields),
        },
        {
          resource: name,
          description,
          key,
          attributed,
          split_by: segmentedBy,
          fields: objects(FIELD_COLUMNS, fields),
        },
      );
    }
    case 'group': {
      const { group } = answer;
      const fields = shownFields(group.fields);
      return found(
        { fields, before: [groupTitle(group)], sections: [groupSection(group)], after: closing(fields) },
        { group: group.name, fields: objects(FIELD_COLUMNS, fields) },
      );
    }
    case 'field': {
      const field = shownField(answer.field, reference);
      return found(
        {
          fields: [field],
          before: headOf(field),
          sections: [section('', FACT_COLUMNS, factsOf(answer.field, reference))],
          after: answer.field.filterable === undefined && operatorsOf(answer.field).length > 0 ? [NOT_KNOWN] : [],
        },
        { field: { ...jsonObject(FIELD_COLUMNS, field), ...placeJson(answer.field, reference) } },
      );
    }
    case 'search': {
      const { word, within, nearest, elsewhere } = answer;
      const fields = answer.matches.map((match) => shownMatch(match, word, reference));
      const resources = answer.resources.map((resource) => shownResource(resource, reference, word));
      return found(
        {
          fields,
          resources,
          before: foundWords(answer, within ?? `catalogue ${catalogue}`),
          sections: [
            section(counted(resources.length, 'resource'), RESOURCE_COLUMNS, resources),
            ...MATCHED_IN.map((place) => {
              const some = fields.filter(({ matched }) => matched === place);
              return section(`${counted(some.length, 'field')}, by ${place}`, FIELD_COLUMNS, some);
            }),
          ],
        },
        {
          search: word,
          within,
          fields: objects(MATCH_COLUMNS, fields),
          resources: objects(RESOURCE_COLUMNS, resources),
          nearest,
          elsewhere,
        },
      );
    }
    default:
      return unreachable(answer);
  }
}

function objects<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): object[] {
  return rows.map((row) => jsonObject(columns, row));
}

function shownField(field: CatalogueField, { descriptions }: Reference): ShownField {
  const description = descriptions.fields[field.name];
  return { field, description, words: sentences(description ?? '')[0] ?? '' };
}

function shownMatch({ field, matched }: FieldMatch, word: string, reference: Reference): ShownField {
  const shown = { ...shownField(field, reference), matched };
  if (matched === 'constant') return { ...shown, words: matchingConstants(word, field).join(', ') };
  return matched === 'description' ? { ...shown, words: sentenceWith(word, shown.description ?? '') } : shown;
}

function shownResource(
  resource: CatalogueResource,
  { catalogue, descriptions }: Reference,
  word?: string,
): ShownResource {
  const description = descriptions.resources[resource.name];
  const words = word === undefined ? sentences(description ?? '')[0] : sentenceWith(word, description ?? '');
  const attributes = selectableFields(catalogue, resource).filter(({ role }) => role === 'attribute').length;
  return { resource, attributes, description, words: words ?? '' };
}

function keyText(key: readonly string[], hasSegments: boolean): string {
  if (key.length === 0) return `One row per account${hasSegments ? '; more if you select segments' : ''}.`;
  return `A row is identified by ${listed(hasSegments ? [...key, 'the selected segments'] : key)}.`;
}

function groupTitle({ name, fields, splitsRows }: FieldGroup): string {
  const role = name === 'metrics' ? 'metric' : name === 'segments' ? 'segment' : 'attribute';
  return `${name}: ${counted(fields.length, role)}${splitsRows ? '; selecting one splits the rows' : ''}`;
}

const OPEN_POINTS =
  'The shipped catalogue does not say which fields WHERE and ORDER BY accept, and which segments go with which metrics. Run pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.';

function closing(fields: readonly ShownField[]): string[] {
  const withConstants = fields.find(({ field }) => field.type === 'ENUM') ?? fields[0];
  const example = `Run pacekeeper fields ${withConstants?.field.name} to see the constants, operators and column of a field.`;
  return fields.some(({ field }) => field.filterable === undefined) ? [example, OPEN_POINTS] : [example];
}

function headOf({ field, description }: ShownField): string[] {
  const former = formerName(field);
  return [
    field.name,
    ...(former === undefined ? [] : [`Before ${former.until}, the name was ${former.name}.`]),
    ...(description === undefined ? [] : [description]),
  ];
}

const NOT_KNOWN =
  'The shipped catalogue does not say if WHERE and ORDER BY accept this field. Run pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.';

const RESOURCES_SHOWN = 12;
const SPLITTING_SHOWN = 6;
const ROLES = { metric: 'metric', segment: 'segment; selecting it splits the rows by value' } as const;

function factsOf(field: CatalogueField, reference: Reference): Fact[] {
  const owner = ownerOf(field.name);
  const { resources, splitting } = placesOf(field, reference);
  const facts: Fact[] = [
    ['type', typeText(field)],
    ['role', field.role === 'attribute' ? `attribute of ${owner}` : ROLES[field.role]],
    ['constants', field.values.join(', ')],
    ['accepted in', clausesOf(field)],
    ['operators', operatorsOf(field).join(', ') || 'none: select only, no filter or sort'],
    ['column', columnText(field)],
    ['contains', namesOf(fieldsBelow(field.name, reference.catalogue)).join(', ')],
    ['FROM', resourcesText(byMetrics(resources, owner))],
    ['goes with', partnersText(field)],
    [
      'splits',
      splitting.length === 0 ? '' : `the rows of ${firstOf(namesOf(byMetrics(splitting, owner)), SPLITTING_SHOWN)}`,
    ],
  ];
  return facts.filter(([, shown]) => shown !== '');
}

function placesOf(field: CatalogueField, { catalogue }: Reference) {
  const resources = offering(field, catalogue);
  return { resources, splitting: resources.filter(({ segmentedBy }) => segmentedBy.includes(ownerOf(field.name))) };
}

function placeJson(field: CatalogueField, reference: Reference) {
  const { resources, splitting } = placesOf(field, reference);
  return {
    selectable_with: field.selectableWith && [...field.selectableWith],
    former_name: formerName(field)?.name,
    from: namesOf(resources),
    splits_rows_of: namesOf(splitting),
  };
}

function namesOf(all: readonly { readonly name: string }[]): string[] {
  return all.map(({ name }) => name);
}

function typeText({ type, repeated }: CatalogueField): string {
  return repeated ? `list of ${type}` : type;
}

function clausesOf({ selectable, filterable, sortable }: CatalogueField): string {
  if (filterable === undefined) return '';
  const clauses = [selectable && 'SELECT', filterable && 'WHERE', sortable && 'ORDER BY'].filter(Boolean);
  return clauses.join(', ') || 'no clause';
}

function partnersText({ selectableWith }: CatalogueField): string {
  if (selectableWith === undefined) return '';
  const segments = [...selectableWith].filter((name) => ownerOf(name) === 'segments');
  return `${counted(selectableWith.size - segments.length, 'metric')} and ${counted(segments.length, 'segment')}; --format json lists all`;
}

function columnText(field: CatalogueField): string {
  const columns = fieldColumns(columnOf(field), '', () => undefined);
  const [own, amount] = columns.map(({ name, declared }) => `${name} (${declared})`);
  return amount === undefined ? `${own}` : `${own}, and ${amount} in units of the currency`;
}

/** People use resources with many metrics most. */
function byMetrics(resources: readonly CatalogueResource[], owner: string): CatalogueResource[] {
  const weight = ({ name, metrics }: CatalogueResource) => (name === owner ? Number.MAX_SAFE_INTEGER : metrics.size);
  return resources.toSorted((a, b) => weight(b) - weight(a));
}

function resourcesText(resources: readonly CatalogueResource[]): string {
  const names = firstOf(namesOf(resources), RESOURCES_SHOWN);
  if (resources.length <= RESOURCES_SHOWN) return names;
  return `${counted(resources.length, 'resource')}: ${names}; --format json lists all`;
}

function foundWords({ word, resources, matches, nearest, elsewhere }: FieldSearch, place: string): string[] {
  const quoted = JSON.stringify(word);
  if (resources.length + matches.length > 0) {
    const found = resources.length === 0 ? [] : [counted(resources.length, 'resource')];
    return [`${[...found, counted(matches.length, 'field')].join(' and ')} in ${place} with ${quoted}.`];
  }
  return [
    `No name, description or constant in ${place} contains ${quoted}.`,
    ...(nearest.length === 0 ? [] : [`Did you mean ${nearest.join(' or ')}?`]),
    ...(elsewhere === 0 ? [] : [`${counted(elsewhere, 'field')} elsewhere: run pacekeeper fields --search ${quoted}.`]),
  ];
}
