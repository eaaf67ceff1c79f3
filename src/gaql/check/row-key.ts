import type { Span } from '../../domain/diagnostic.ts';
import { type Catalogue, type CatalogueResource, ownerOf } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import type { Column } from './column.ts';

/**
 * The columns that tell the rows of the table apart: the account, the day, the resource's own key, those of the resources
 * that split its rows, the other segments. Empty, and reported, where the query leaves a part of the key out.
 */
export function rowKey(
  columns: readonly Column[],
  resource: CatalogueResource,
  catalogue: Catalogue,
  select: Span,
  report: Report,
): readonly string[] {
  const own = identities([resource.name], catalogue);
  const ownKey = new Set(resource.key.map(own));
  const splitting = resource.segmentedBy
    .filter((owner) => columns.some(({ field }) => ownerOf(field) === owner))
    .map((owner) => ({ name: owner, key: catalogue.resources.get(owner)?.key ?? [`${owner}.resource_name`] }))
    // What the resource's own key names cannot split its rows: an ad_group_asset is of one ad group.
    .filter(({ key }) => !key.every((field) => ownKey.has(own(field))));
  const keys = [
    keyOf(resource, columns, own),
    ...splitting.map((owner) => keyOf(owner, columns, identities([resource.name, owner.name], catalogue))),
  ];
  const missing = [...new Set(keys.flatMap((key) => key.missing))];
  if (missing.length > 0) {
    report({
      code: 'MISSING_ROW_KEY',
      severity: 'warning',
      span: select,
      message: `The rows cannot be told apart: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not selected.`,
      hint: `Add ${missing.join(', ')} to SELECT.`,
    });
    return [];
  }
  const segments = columns.filter(({ role }) => role === 'segment').map(({ name }) => name);
  const days = segments.filter((name) => name === 'date');
  return [...new Set(['customer_id', ...days, ...keys.flatMap((key) => key.columns), ...segments])];
}

/** The columns of a resource's key, and the fields that are missing from it. Its resource name stands for all of it. */
function keyOf(
  { name, key }: Pick<CatalogueResource, 'name' | 'key'>,
  columns: readonly Column[],
  identityOf: (field: string) => string,
): { readonly columns: readonly string[]; readonly missing: readonly string[] } {
  const columnOf = (field: string) => columns.find((column) => column.field === field)?.name;
  const partOf = (field: string) =>
    columnOf(field) ?? columns.find((column) => identityOf(column.field) === identityOf(field))?.name;
  const parts = key.flatMap((field) => partOf(field) ?? []);
  if (parts.length === key.length) return { columns: parts, missing: [] };
  // An id of the resource's own names what a key of one field names: customer_client.id is in its resource name.
  const whole = columnOf(`${name}.resource_name`) ?? (key.length === 1 ? columnOf(`${name}.id`) : undefined);
  return whole === undefined
    ? { columns: [], missing: key.filter((field) => partOf(field) === undefined) }
    : { columns: [whole], missing: [] };
}

/**
 * Tells what a field identifies, so that fields with the same answer can stand for one another: a resource, by its id,
 * its resource name or a referrer's field of that name, such as `ad_group_asset.ad_group`; otherwise only itself. The
 * fields of other resources may name another one: `campaign.bidding_strategy` is not the strategy that splits the rows.
 */
function identities(referrers: readonly string[], { resources, fields }: Catalogue): (field: string) => string {
  return (field) => {
    const owner = ownerOf(field);
    const rest = field.slice(owner.length + 1);
    if (rest === 'resource_name') return owner;
    // An id beside others in the key is one only within them.
    const ownerKey = resources.get(owner)?.key ?? [];
    if (rest === 'id' && ownerKey.length === 1 && ownerKey[0] === field) return owner;
    const known = fields.get(field);
    const refers = known?.type === 'RESOURCE_NAME' && !known.repeated && referrers.includes(owner);
    return refers && resources.has(rest) ? rest : field;
  };
}
