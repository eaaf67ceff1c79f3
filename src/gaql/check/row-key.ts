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
  const splitting = resource.segmentedBy
    .filter((owner) => columns.some(({ field }) => ownerOf(field) === owner))
    .map((owner) => ({ name: owner, key: catalogue.resources.get(owner)?.key ?? [`${owner}.resource_name`] }));
  const keys = [resource, ...splitting].map((owner) => keyOf(owner, columns));
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
): { readonly columns: readonly string[]; readonly missing: readonly string[] } {
  const columnOf = (field: string) => columns.find((column) => column.field === field)?.name;
  const parts = key.flatMap((field) => columnOf(field) ?? []);
  if (parts.length === key.length) return { columns: parts, missing: [] };
  // An id of the resource's own names what a key of one field names: customer_client.id is in its resource name.
  const whole = columnOf(`${name}.resource_name`) ?? (key.length === 1 ? columnOf(`${name}.id`) : undefined);
  return whole === undefined
    ? { columns: [], missing: key.filter((field) => columnOf(field) === undefined) }
    : { columns: [whole], missing: [] };
}
