import { InputError } from '../../domain/errors.ts';
import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  isSelectable,
  ownerOf,
  RENAMED_FIELDS,
  renamedField,
  selectableFields,
} from '../../language/gaql/catalogue/catalogue.ts';
import type { Descriptions } from '../../language/gaql/catalogue/decode-catalogue.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';

export interface Reference {
  readonly catalogue: Catalogue;
  readonly descriptions: Descriptions;
}

export type FoundFields =
  | { readonly kind: 'resources'; readonly resources: readonly CatalogueResource[] }
  | { readonly kind: 'resource'; readonly resource: CatalogueResource; readonly groups: readonly FieldGroup[] }
  /** Fields such as all metrics, or all fields of the message `campaign.network_settings`. */
  | { readonly kind: 'group'; readonly group: FieldGroup }
  | { readonly kind: 'field'; readonly field: CatalogueField };

export interface FieldGroup {
  readonly name: string;
  readonly fields: readonly CatalogueField[];
  /** True if selecting one of these fields splits a row into several rows. */
  readonly splitsRows: boolean;
}

/** Ignores case. Throws `InputError` for an unknown name. */
export function findFields(asked: string | undefined, catalogue: Catalogue): FoundFields {
  if (asked === undefined) return { kind: 'resources', resources: [...catalogue.resources.values()] };
  const name = asked.toLowerCase().replace(/\.\*?$/, '');
  const resource = catalogue.resources.get(name);
  if (resource) return { kind: 'resource', resource, groups: groupsOf(resource, catalogue) };
  const field = catalogue.fields.get(name) ?? catalogue.fields.get(renamedField(name)?.name ?? '');
  if (field) return { kind: 'field', field };
  const fields = fieldsBelow(name, catalogue);
  if (fields.length > 0) return { kind: 'group', group: { name, fields, splitsRows: name === 'segments' } };
  const renamed = RENAMED_FIELDS.filter((old) => catalogue.fields.has(renamedField(old)?.name ?? ''));
  const names = [...catalogue.resources.keys(), ...catalogue.fields.keys(), 'metrics', 'segments', ...renamed];
  throw new InputError(
    `Unknown name ${JSON.stringify(asked)}: catalogue ${catalogue.name} has no such resource or field.`,
    {
      nextStep:
        didYouMean(name, names) ?? `Run pacekeeper fields --search ${lastWord(name)} to search descriptions, too.`,
    },
  );
}

export function fieldsBelow(name: string, { fields }: Catalogue): CatalogueField[] {
  return [...fields.values()].filter((field) => field.name.startsWith(`${name}.`));
}

export function formerName({ name }: CatalogueField): { readonly name: string; readonly until: string } | undefined {
  const former = RENAMED_FIELDS.find((old) => renamedField(old)?.name === name);
  const since = former === undefined ? undefined : renamedField(former)?.since;
  return former === undefined || since === undefined ? undefined : { name: former, until: since };
}

export function offering(field: CatalogueField, { resources }: Catalogue): CatalogueResource[] {
  return [...resources.values()].filter((resource) => isSelectable(resource, field));
}

function groupsOf(resource: CatalogueResource, catalogue: Catalogue): FieldGroup[] {
  const { name: own, attributed, segmentedBy } = resource;
  const groups = new Map<string, CatalogueField[]>(
    [own, ...attributed, ...segmentedBy, 'segments', 'metrics'].map((name) => [name, []]),
  );
  for (const field of selectableFields(catalogue, resource)) groups.get(ownerOf(field.name))?.push(field);
  const splitters = [...segmentedBy, 'segments'];
  return [...groups]
    .filter(([, fields]) => fields.length > 0)
    .map(([name, fields]) => ({ name, fields, splitsRows: splitters.includes(name) }));
}

function lastWord(name: string): string {
  return /[a-z0-9]+(?=[^a-z0-9]*$)/.exec(name)?.[0] ?? 'WORD';
}
