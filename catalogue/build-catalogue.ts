import type { Type } from 'protobufjs';
import type {
  EncodedCatalogue,
  EncodedField,
  EncodedResource,
} from '../src/language/gaql/catalogue/decode-catalogue.ts';
import { EnumNames, type TypeSources, typeWord } from './field-types.ts';
import { findDefinition, resourceType } from './read-protos.ts';
import type { ResourceUnions, Unions } from './read-unions.ts';
import { findRowKey } from './row-keys.ts';

/** Puts the names of the unions and the types of the definitions together. Throws when one has what the other lacks. */
export function buildCatalogue(
  origin: { name: string; sources: readonly string[] },
  unions: Unions,
  rowType: Type,
  serviceTypes: ReadonlyMap<string, string>,
): EncodedCatalogue {
  const resources = [...unions.resources.values()];
  const attributeNames = groupByResource(unions, resources);
  const metricNames = offeredBy(resources, ({ metrics }) => metrics);
  const segmentNames = offeredBy(resources, ({ segments }) => segments);
  const enums = new EnumNames();
  const types = findTypes([...[...attributeNames.values()].flat(), ...metricNames, ...segmentNames], rowType, {
    enums,
    serviceTypes,
  });
  return {
    ...origin,
    enums: enums.values(),
    attributes: Object.fromEntries(
      [...attributeNames].map(([resource, names]) => [resource, names.map((name) => typedName(name, types))]),
    ),
    metrics: metricNames.map((name) => typedName(name, types)),
    segments: segmentNames.map((name) => typedName(name, types)),
    resources: Object.fromEntries(
      [...unions.resources].map(([resource, union]) => [
        resource,
        describeResource(resource, union, { attributeNames, metricNames, segmentNames, types, rowType }),
      ]),
    ),
  };
}

/** A resource's own attributes are those of its own union that begin with its name; others have them from there. */
function groupByResource(unions: Unions, resources: readonly ResourceUnions[]): Map<string, string[]> {
  const grouped = new Map(
    [...unions.resources].map(([resource, { attributes }]) => [
      resource,
      attributes.filter((name) => firstPart(name) === resource),
    ]),
  );
  const known = new Set([...grouped.values()].flat());
  const unowned = resources.flatMap(({ attributes }) => attributes.filter((name) => !known.has(name)));
  if (unowned.length > 0)
    throw new Error(`Attributes that their own resource does not offer: ${[...new Set(unowned)]}.`);
  return grouped;
}

function offeredBy(resources: readonly ResourceUnions[], part: (union: ResourceUnions) => readonly string[]): string[] {
  return [...new Set(resources.flatMap((union) => part(union)))].sort();
}

function findTypes(names: readonly string[], rowType: Type, sources: TypeSources): Map<string, string> {
  const types = new Map<string, string>();
  for (const name of names) {
    const definition = findDefinition(rowType, name);
    const word = definition === undefined ? undefined : typeWord(name, definition, sources);
    if (word !== undefined) types.set(name, word);
  }
  const untyped = names.filter((name) => !types.has(name));
  if (untyped.length === 0) return types;
  throw new Error(
    `The definitions give no type for: ${untyped.join(', ')}.\n` +
      'Both packages in catalogue/generate.ts must be of the same version; a new kind of type belongs in catalogue/field-types.ts.',
  );
}

interface Surroundings {
  readonly attributeNames: ReadonlyMap<string, readonly string[]>;
  readonly metricNames: readonly string[];
  readonly segmentNames: readonly string[];
  readonly types: ReadonlyMap<string, string>;
  readonly rowType: Type;
}

function describeResource(resource: string, union: ResourceUnions, around: Surroundings): EncodedResource {
  const selectable = new Set([resource, ...union.attributes.map(firstPart), ...union.segmentingResources]);
  const segmentedBy = union.segmentingResources;
  const attributed = [...selectable].filter((name) => !segmentedBy.includes(name));
  const expected = [...selectable].flatMap((name) => around.attributeNames.get(name) ?? []);
  const given = new Set(union.attributes);
  if (expected.length !== given.size || expected.some((name) => !given.has(name))) {
    throw new Error(
      `"${resource}" offers a part of another resource's attributes; the catalogue knows whole resources.`,
    );
  }
  return {
    attributed,
    ...(segmentedBy.length > 0 && { segmentedBy }),
    metrics: union.metrics.map((name) => around.metricNames.indexOf(name)),
    segments: union.segments.map((name) => around.segmentNames.indexOf(name)),
    key: findRowKey({
      resource,
      pattern: namePattern(resource, around.rowType),
      typeOf: (name) => {
        const offered = attributed.includes(firstPart(name)) ? given.has(name) : union.segments.includes(name);
        return offered ? around.types.get(name) : undefined;
      },
    }),
  };
}

function namePattern(resource: string, rowType: Type): string {
  const pattern: unknown = resourceType(rowType, resource).options?.['(google.api.resource).pattern'];
  if (typeof pattern === 'string') return pattern;
  throw new Error(`The definition of "${resource}" does not say what form its names have.`);
}

/** Names inside the catalogue are relative: to their resource, to `metrics`, to `segments`. */
function typedName(name: string, types: ReadonlyMap<string, string>): EncodedField {
  return [name.slice(name.indexOf('.') + 1), types.get(name) ?? ''];
}

function firstPart(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
