import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  selectableFields,
} from '../gaql/catalogue/catalogue.ts';
import { operatorsOf } from '../gaql/check/check-condition.ts';
import { columnOf } from '../gaql/check/column.ts';
import { type Column, count, flag, id, list, text } from './kit/column.ts';
import { type Listing, part } from './kit/listing.ts';

interface Described {
  /** Undefined where the catalogue does not say it. */
  readonly description: string | undefined;
  /** As much of it as a list shows. */
  readonly words: string;
}

export interface ShownField extends Described {
  readonly field: CatalogueField;
  /** Of a search: where the word stands. */
  readonly matched?: 'name' | 'description' | 'constant';
}

export interface ShownResource extends Described {
  readonly resource: CatalogueResource;
  readonly catalogue: Catalogue;
}

/** What was found; its JSON differs with what was asked for. */
export interface FoundNames {
  readonly fields: readonly ShownField[];
  readonly resources: readonly ShownResource[];
  readonly json: Readonly<Record<string, unknown>>;
}

const MACHINES = { only: ['json', 'rows'] } as const;
const MATCHED = text('matched', 'Of a search: name, description or constant.', 'matched');
const DESCRIPTION = text(
  'description',
  'The description of the provider.',
  ({ description }: Described) => description,
  { title: 'Description', shown: ({ words }) => words },
);

/** Identifiers are never cut: people copy them. */
export const FIELD_COLUMNS: readonly Column<ShownField>[] = [
  id('name', 'The full name.', ({ field }) => field.name, { title: 'Name' }),
  id('shown_type', 'Its type.', ({ field }) => typeText(field), { title: 'Type', only: ['people'] }),
  text('type', 'Of a field: INT64, STRING, ENUM and so on.', ({ field }) => field.type, MACHINES),
  flag('repeated', '`true` for a list.', ({ field }) => field.repeated),
  text('role', 'attribute, segment or metric.', ({ field }) => field.role),
  DESCRIPTION,
  text('column', 'The name in a query’s table.', ({ field }) => columnOf(field).name),
  list('values', 'The constants of an ENUM.', ({ field }) => field.values),
  list('operators', 'Operators for its conditions.', ({ field }) => operatorsOf(field)),
];

export const RESOURCE_COLUMNS: readonly Column<ShownResource>[] = [
  id('name', 'The full name.', ({ resource }) => resource.name, { title: 'Name' }),
  count('metrics', 'Of a resource: how many metrics can be selected.', ({ resource }) => resource.metrics.size, {
    title: 'Metrics',
    only: ['people'],
    shown: ({ resource: { metrics } }) => (metrics.size === 0 ? '' : metrics.size.toLocaleString('en-US')),
  }),
  DESCRIPTION,
  count('attributes', 'Of a resource: how many attributes can be selected.', ({ resource, catalogue }) => {
    const { segments, metrics } = resource;
    return selectableFields(catalogue, resource).length - segments.size - metrics.size;
  }),
  count('segments', 'How many segments.', ({ resource }) => resource.segments.size),
  count('metrics', 'How many metrics.', ({ resource }) => resource.metrics.size, MACHINES),
];

/** Of a search each field says where the word stands. */
export const MATCH_COLUMNS: readonly Column<ShownField>[] = [...FIELD_COLUMNS, MATCHED];

export const FIELDS: Listing<FoundNames> = {
  name: 'fields',
  about: '`row` is `resource` or `field`. Columns of the other kind are empty.',
  order: ['name', 'type', 'repeated', 'role', 'description', 'column', 'values', 'operators'].concat([
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

/** `ENUM`, `list of STRING`. */
export function typeText({ type, repeated }: Pick<CatalogueField, 'type' | 'repeated'>): string {
  return repeated ? `list of ${type}` : type;
}
