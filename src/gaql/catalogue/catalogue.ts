/** `RESOURCE_NAME` is a path, `DATE_TIME` a text such as `2026-03-01 09:30:00`, `MESSAGE` an object. */
export const DATA_TYPES = [
  'INT64',
  'DOUBLE',
  'STRING',
  'ENUM',
  'BOOLEAN',
  'DATE',
  'DATE_TIME',
  'RESOURCE_NAME',
  'MESSAGE',
] as const;
export type DataType = (typeof DATA_TYPES)[number];

export type FieldRole = 'attribute' | 'metric' | 'segment';

export interface CatalogueField {
  readonly name: string;
  readonly type: DataType;
  readonly role: FieldRole;
  readonly values: readonly string[];
  readonly repeated: boolean;
}

export interface CatalogueResource {
  readonly name: string;
  /** Resources whose attributes a query of this resource can select. The resource itself is first. */
  readonly attributed: readonly string[];
  /** Resources whose attributes can also be selected. They split the rows, as a segment does. */
  readonly segmentedBy: readonly string[];
  readonly metrics: ReadonlySet<string>;
  readonly segments: ReadonlySet<string>;
  readonly key: readonly string[];
}

export interface Catalogue {
  readonly name: string;
  readonly resources: ReadonlyMap<string, CatalogueResource>;
  readonly fields: ReadonlyMap<string, CatalogueField>;
}

export function selectableFields(catalogue: Catalogue, resource: CatalogueResource): CatalogueField[] {
  return [...catalogue.fields.values()].filter((field) => isSelectable(resource, field));
}

export function isSelectable(resource: CatalogueResource, { name, role }: CatalogueField): boolean {
  if (role === 'metric') return resource.metrics.has(name);
  if (role === 'segment') return resource.segments.has(name);
  const owner = ownerOf(name);
  return resource.attributed.includes(owner) || resource.segmentedBy.includes(owner);
}

/** The part before the first dot: the resource, `metrics` or `segments`. */
export function ownerOf(field: string): string {
  const dot = field.indexOf('.');
  return dot < 0 ? field : field.slice(0, dot);
}

export type FieldRow = readonly [name: string, type: DataType, values?: readonly string[], repeated?: boolean];

export function fieldOf([name, type, values = [], repeated = false]: FieldRow): CatalogueField {
  const owner = ownerOf(name);
  const role = owner === 'metrics' ? 'metric' : owner === 'segments' ? 'segment' : 'attribute';
  return { name, type, role, values, repeated };
}

interface SmallResource extends Pick<CatalogueResource, 'name' | 'attributed' | 'key'> {
  readonly segmentedBy?: readonly string[];
  readonly metrics: readonly string[];
  readonly segments: readonly string[];
}

export function smallCatalogue(
  name: string,
  rows: readonly FieldRow[],
  resources: readonly SmallResource[],
): Catalogue {
  return {
    name,
    resources: new Map(
      resources.map(({ segmentedBy = [], metrics, segments, ...resource }) => [
        resource.name,
        { ...resource, segmentedBy, metrics: new Set(metrics), segments: new Set(segments) },
      ]),
    ),
    fields: new Map(rows.map((row) => [row[0], fieldOf(row)])),
  };
}

const RENAMED: ReadonlyMap<string, { readonly name: string; readonly since: string }> = new Map([
  ['metrics.average_cpv', { name: 'metrics.trueview_average_cpv', since: 'v22' }],
  ['metrics.video_views', { name: 'metrics.video_trueview_views', since: 'v22' }],
  ['campaign.start_date', { name: 'campaign.start_date_time', since: 'v23' }],
  ['campaign.end_date', { name: 'campaign.end_date_time', since: 'v23' }],
]);

export function renamedField(name: string): { readonly name: string; readonly since: string } | undefined {
  return RENAMED.get(name.toLowerCase());
}

export const RENAMED_FIELDS: readonly string[] = [...RENAMED.keys()];
