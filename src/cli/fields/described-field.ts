import type { CatalogueField, CatalogueResource } from '../../gaql/catalogue/catalogue.ts';
import type { DescribedName } from './described-list.ts';
import type { Reference } from './find-fields.ts';

/** The field as lists show it. */
export function describedField(field: CatalogueField, { descriptions }: Reference): DescribedName {
  return { name: field.name, type: typeText(field), description: descriptions.fields[field.name] ?? '' };
}

/** `ENUM`, `list of STRING`. */
export function typeText({ type, repeated }: Pick<CatalogueField, 'type' | 'repeated'>): string {
  return repeated ? `list of ${type}` : type;
}

/** The resource as lists show it: how many metrics it has stands in the place of a type. */
export function describedResource({ name, metrics }: CatalogueResource, description: string): DescribedName {
  return { name, type: metrics.size === 0 ? '' : countText(metrics.size, 'metric'), description };
}

/** `1 metric`, `337 metrics`. */
export function countText(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}
