import { InputError, unreachable } from '../../domain/errors.ts';
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
import { didYouMean, nearestNames } from '../../language/gaql/check/suggest.ts';

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

/** The best kind of match is first. */
export const MATCHED_IN = ['name', 'description', 'constant'] as const;

export interface FieldMatch {
  readonly field: CatalogueField;
  readonly matched: (typeof MATCHED_IN)[number];
}

export interface FieldSearch {
  readonly kind: 'search';
  readonly word: string;
  /** Undefined for the whole catalogue. */
  readonly within: string | undefined;
  readonly resources: readonly CatalogueResource[];
  readonly matches: readonly FieldMatch[];
  /** Suggestions if nothing matches, nearest first. */
  readonly nearest: readonly string[];
  readonly elsewhere: number;
}

/** Ignores case. Throws `InputError` for a word without letters and digits. */
export function searchFields(word: string, scope: FoundFields, reference: Reference): FieldSearch {
  const wanted = words(word);
  if (wanted === '') {
    throw new InputError(`Invalid --search: found ${JSON.stringify(word)}, expected a word.`, {
      nextStep: 'Write a word, for example pacekeeper fields --search cost.',
    });
  }
  const { within, fields, resources } = searched(scope, reference);
  const matches = matchFields(wanted, fields, reference);
  const matchingResources = matchResources(wanted, resources, reference);
  const none = matches.length === 0 && matchingResources.length === 0;
  const everywhere = [...reference.catalogue.fields.values()];
  return {
    kind: 'search',
    word,
    within,
    matches,
    resources: matchingResources,
    nearest: none ? nearestNames(wanted, vocabulary(fields, resources)) : [],
    elsewhere: none && within !== undefined ? matchFields(wanted, everywhere, reference).length : 0,
  };
}

export function matchingConstants(word: string, { values }: CatalogueField): string[] {
  return values.filter((value) => hasWord(words(word), words(value)));
}

function searched(scope: FoundFields, { catalogue }: Reference) {
  switch (scope.kind) {
    case 'resources':
      return { within: undefined, fields: [...catalogue.fields.values()], resources: scope.resources };
    case 'resource':
      return { within: scope.resource.name, fields: scope.groups.flatMap(({ fields }) => fields), resources: [] };
    case 'group':
      return { within: scope.group.name, fields: scope.group.fields, resources: [] };
    case 'field':
      return { within: scope.field.name, fields: [scope.field], resources: [] };
    default:
      return unreachable(scope);
  }
}

/** The name with the fewest words is first among equal matches. */
function matchFields(wanted: string, fields: readonly CatalogueField[], reference: Reference): FieldMatch[] {
  return fields
    .flatMap((field) => matchField(wanted, field, reference) ?? [])
    .sort(
      (a, b) =>
        MATCHED_IN.indexOf(a.matched) - MATCHED_IN.indexOf(b.matched) ||
        a.nearness - b.nearness ||
        a.otherWords - b.otherWords,
    )
    .map(({ field, matched }) => ({ field, matched }));
}

interface RankedMatch extends FieldMatch {
  readonly nearness: number;
  readonly otherWords: number;
}

function matchField(wanted: string, field: CatalogueField, { descriptions }: Reference): RankedMatch | undefined {
  const names = [field.name, formerName(field)?.name ?? field.name];
  const named = Math.min(...names.map((name) => nearnessOfName(wanted, name)));
  const otherWords = words(field.name).split(' ').length;
  if (named < NOT_THERE) return { field, matched: 'name', nearness: named, otherWords };
  const described = nearnessOfText(wanted, descriptions.fields[field.name] ?? '');
  if (described < NOT_THERE) return { field, matched: 'description', nearness: described, otherWords: 0 };
  if (matchingConstants(wanted, field).length === 0) return undefined;
  return { field, matched: 'constant', nearness: 0, otherWords: 0 };
}

function matchResources(
  wanted: string,
  resources: readonly CatalogueResource[],
  { descriptions }: Reference,
): CatalogueResource[] {
  const rank = ({ name }: CatalogueResource) => {
    const named = nearnessOfName(wanted, name);
    return named < NOT_THERE ? named : NOT_THERE + nearnessOfText(wanted, descriptions.resources[name] ?? '');
  };
  return resources
    .map((resource) => ({ resource, rank: rank(resource) }))
    .filter((match) => match.rank < 2 * NOT_THERE)
    .sort((a, b) => a.rank - b.rank)
    .map(({ resource }) => resource);
}

function vocabulary(fields: readonly CatalogueField[], resources: readonly CatalogueResource[]): Set<string> {
  const names = [...resources, ...fields].map(({ name }) => name);
  return new Set([...names.flatMap((name) => words(name).split(' ')), ...names]);
}

function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const NOT_THERE = 4;

/** A smaller number is a better match. 4 means no match. */
function nearnessOfName(wanted: string, name: string): number {
  const all = words(name);
  const behind = words(name.slice(name.indexOf('.') + 1));
  if ([all, behind].some((part) => part === wanted || part === `${wanted}s`)) return 0;
  return hasWord(wanted, behind) ? 1 : nearnessOfText(wanted, name);
}

function nearnessOfText(wanted: string, text: string): number {
  const all = words(text);
  if (hasWord(wanted, all)) return 2;
  return all.includes(wanted) ? 3 : NOT_THERE;
}

function hasWord(wanted: string, text: string): boolean {
  return [wanted, `${wanted}s`].some((word) => ` ${text} `.includes(` ${word} `));
}

export function sentenceWith(word: string, text: string): string {
  const all = sentences(text);
  return all.find((sentence) => words(sentence).includes(words(word))) ?? all[0] ?? '';
}

export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z])/);
}
