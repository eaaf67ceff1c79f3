import { nearestNames } from '../check/suggest.ts';
import { type Catalogue, type CatalogueField, ownerOf, renamedField } from './catalogue.ts';

export type ChangeKind = 'removed' | 'renamed' | 'type' | 'facts' | 'constants';

export interface CatalogueChange {
  readonly kind: ChangeKind;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface AddedFields {
  readonly owner: string;
  readonly isNew: boolean;
  readonly fields: number;
}

/** A removed resource is listed without its fields. */
export function compareCatalogues(
  earlier: Catalogue,
  later: Catalogue,
): { readonly changes: readonly CatalogueChange[]; readonly added: readonly AddedFields[] } {
  const isRemoved = (resource: string) => earlier.resources.has(resource) && !later.resources.has(resource);
  const resources = [...earlier.resources.keys()].filter(isRemoved).map((name) => removed(name, undefined));
  const added = [...later.fields.keys()].filter((name) => !earlier.fields.has(name));
  const addedByOwner = Map.groupBy(added, ownerOf);
  const fields = [...earlier.fields.values()].flatMap((before): readonly CatalogueChange[] => {
    if (isRemoved(ownerOf(before.name))) return [];
    const after = later.fields.get(before.name);
    if (after) return differences(before, after);
    const renamed = renamedField(before.name)?.name;
    if (renamed !== undefined && later.fields.has(renamed)) {
      return [{ kind: 'renamed', name: before.name, before: before.name, after: renamed }];
    }
    const [similar] = nearestNames(before.name, addedByOwner.get(ownerOf(before.name)) ?? []);
    return [removed(before.name, similar)];
  });
  const newResources = [...later.resources.keys()].filter((name) => !earlier.resources.has(name));
  const owners = [...new Set([...newResources, ...addedByOwner.keys()])].sort();
  return {
    changes: [...resources, ...fields],
    added: owners.map((owner) => ({
      owner,
      isNew: newResources.includes(owner),
      fields: addedByOwner.get(owner)?.length ?? 0,
    })),
  };
}

function removed(name: string, similar: string | undefined): CatalogueChange {
  return { kind: 'removed', name, before: name, after: similar };
}

function differences(before: CatalogueField, after: CatalogueField): readonly CatalogueChange[] {
  const { name } = before;
  const lost = before.values.filter((value) => !after.values.includes(value));
  const changes: readonly CatalogueChange[] = [
    { kind: 'type', name, before: typeOf(before), after: typeOf(after) },
    { kind: 'facts', name, ...factsOf(before, after) },
  ];
  const found = changes.filter((change) => change.before !== change.after);
  if (lost.length === 0 || before.type !== after.type) return found;
  return [...found, { kind: 'constants', name, before: lost.join(', '), after: undefined }];
}

const typeOf = ({ type, repeated }: CatalogueField) => (repeated ? `list of ${type}` : type);

const FACT_NAMES = ['selectable', 'filterable', 'sortable'] as const;

function factsOf(before: CatalogueField, after: CatalogueField) {
  const known = FACT_NAMES.filter((fact) => before[fact] !== undefined && after[fact] !== undefined);
  const words = (field: CatalogueField) => known.filter((fact) => field[fact]).join(', ') || 'none';
  return { before: words(before), after: words(after) };
}
