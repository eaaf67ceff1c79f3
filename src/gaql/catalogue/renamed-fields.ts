/** Fields that newer versions of the interface know by another name. */
const RENAMED: ReadonlyMap<string, { readonly name: string; readonly since: string }> = new Map([
  ['metrics.average_cpv', { name: 'metrics.trueview_average_cpv', since: 'v22' }],
  ['metrics.video_views', { name: 'metrics.video_trueview_views', since: 'v22' }],
  ['campaign.start_date', { name: 'campaign.start_date_time', since: 'v23' }],
  ['campaign.end_date', { name: 'campaign.end_date_time', since: 'v23' }],
]);

/** What the field is called today; undefined when it was not renamed. */
export function renamedField(name: string): { readonly name: string; readonly since: string } | undefined {
  return RENAMED.get(name.toLowerCase());
}

export const RENAMED_FIELDS: readonly string[] = [...RENAMED.keys()];
