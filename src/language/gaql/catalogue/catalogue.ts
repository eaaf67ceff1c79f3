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
  /** The next four fields are undefined in the shipped catalogue. */
  readonly selectable?: boolean | undefined;
  readonly filterable?: boolean | undefined;
  readonly sortable?: boolean | undefined;
  /** Metrics and segments that a query can use together with this metric or segment. */
  readonly selectableWith?: ReadonlySet<string> | undefined;
}

export interface CatalogueResource {
  readonly name: string;
  /** Resources whose attributes a query of this resource can select. The resource itself is first. */
  readonly attributed: readonly string[];
  /** Resources whose attributes split the rows, like segments. */
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
  return [...catalogue.fields.values()].filter((field) => field.selectable !== false && isSelectable(resource, field));
}

/** True if a query of the resource can use the field, at least in WHERE. */
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

interface Renaming {
  readonly name: string;
  readonly since: string;
  /** True if the new field has other values, so that only a person can adapt the query. */
  readonly changesValues?: true;
}

const RENAMED: ReadonlyMap<string, Renaming> = new Map([
  ['metrics.average_cpv', { name: 'metrics.trueview_average_cpv', since: 'v22' }],
  ['metrics.video_views', { name: 'metrics.video_trueview_views', since: 'v22' }],
  ['metrics.video_view_rate', { name: 'metrics.video_trueview_view_rate', since: 'v22' }],
  ['metrics.video_view_rate_in_feed', { name: 'metrics.video_trueview_view_rate_in_feed', since: 'v22' }],
  ['metrics.video_view_rate_in_stream', { name: 'metrics.video_trueview_view_rate_in_stream', since: 'v22' }],
  ['metrics.video_view_rate_shorts', { name: 'metrics.video_trueview_view_rate_shorts', since: 'v22' }],
  ['campaign.start_date', { name: 'campaign.start_date_time', since: 'v23', changesValues: true }],
  ['campaign.end_date', { name: 'campaign.end_date_time', since: 'v23', changesValues: true }],
]);

export function renamedField(name: string): Renaming | undefined {
  return RENAMED.get(name.toLowerCase());
}

export const RENAMED_FIELDS: readonly string[] = [...RENAMED.keys()];

/** Fields that do not exist, with the fields to use instead. */
export const REMOVED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['segments.weekday', ['segments.day_of_week']],
  ['metrics.average_position', ['metrics.top_impression_percentage', 'metrics.absolute_top_impression_percentage']],
  ['asset_group_asset.performance_label', ['asset_group_asset.primary_status', 'metrics.conversions']],
  ['campaign.url_expansion_opt_out', ['campaign.asset_automation_settings']],
]);

/** WHERE accepts these parts of lists, although SELECT does not. */
const FILTER_ONLY: ReadonlyMap<string, CatalogueField> = new Map(
  [
    'experiment_arm.asset_groups.asset_group',
    'experiment_arm.asset_groups.asset_group_assets.asset',
    'experiment_arm.asset_testing_info.asset_variation_infos.asset_details.asset',
  ].map((name) => [name, fieldOf([name, 'RESOURCE_NAME'])]),
);

export function filterOnlyField(name: string, { resources }: Catalogue): CatalogueField | undefined {
  return resources.has(ownerOf(name)) ? FILTER_ONLY.get(name) : undefined;
}
