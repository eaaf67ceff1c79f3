import { InvariantError } from '../../../domain/errors.ts';
import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  DATA_TYPES,
  type FieldRole,
} from './catalogue.ts';

/** `type` is, for example, `INT64`, `ENUM:Device` or `STRING[]`. `facts` is a sum of {@link FACTS}. */
export type EncodedField = readonly [name: string, type: string, facts?: number, combination?: number];

export const FACTS = { selectable: 1, filterable: 2, sortable: 4 } as const;

export interface EncodedResource {
  readonly attributed: readonly string[];
  readonly segmentedBy?: readonly string[];
  readonly metrics: readonly number[];
  readonly segments: readonly number[];
  readonly key: readonly string[];
}

export interface EncodedCatalogue {
  readonly name: string;
  readonly sources: readonly string[];
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly attributes: Readonly<Record<string, readonly EncodedField[]>>;
  /** Field names in `metrics` and `segments` omit the prefixes `metrics.` and `segments.`. */
  readonly metrics: readonly EncodedField[];
  readonly segments: readonly EncodedField[];
  readonly resources: Readonly<Record<string, EncodedResource>>;
  /** Each number is an index into `[...metrics, ...segments]`. */
  readonly combinations?: readonly (readonly number[])[];
}

export interface Descriptions {
  readonly resources: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** The lists of a resource are decoded on first use, because decoding all lists is slow. */
export function decodeCatalogue(encoded: EncodedCatalogue): Catalogue {
  const typeOf = typeDecoder(encoded.enums);
  const combinationOf = combinationDecoder(encoded);
  const decode = (owner: string, role: FieldRole, fields: readonly EncodedField[]): CatalogueField[] =>
    fields.map(([name, type, facts, combination]) => {
      const field = { name: `${owner}.${name}`, role, ...typeOf(type) };
      return facts === undefined ? field : withFacts(field, facts, () => combinationOf(combination));
    });
  const metrics = decode('metrics', 'metric', encoded.metrics);
  const segments = decode('segments', 'segment', encoded.segments);
  const attributes = Object.entries(encoded.attributes).flatMap(([owner, own]) => decode(owner, 'attribute', own));
  const resources = Object.entries(encoded.resources).map(([name, resource]): [string, CatalogueResource] => [
    name,
    decodeResource(name, resource, metrics, segments),
  ]);
  const fields = [...attributes, ...metrics, ...segments];
  return {
    name: encoded.name,
    resources: new Map(resources),
    fields: new Map(fields.map((field) => [field.name, field])),
  };
}

function withFacts(
  field: CatalogueField,
  facts: number,
  selectableWith: () => ReadonlySet<string> | undefined,
): CatalogueField {
  return {
    ...field,
    selectable: (facts & FACTS.selectable) !== 0,
    filterable: (facts & FACTS.filterable) !== 0,
    sortable: (facts & FACTS.sortable) !== 0,
    get selectableWith() {
      return selectableWith();
    },
  };
}

function combinationDecoder({ metrics, segments, combinations = [] }: EncodedCatalogue) {
  const names = [...metrics.map(([name]) => `metrics.${name}`), ...segments.map(([name]) => `segments.${name}`)];
  const known = new Map<number, ReadonlySet<string>>();
  return (place: number | undefined): ReadonlySet<string> | undefined => {
    const places = place === undefined ? undefined : combinations[place];
    if (place === undefined || places === undefined) return undefined;
    const decoded = known.get(place) ?? new Set(places.flatMap((at) => names[at] ?? []));
    known.set(place, decoded);
    return decoded;
  };
}

function decodeResource(
  name: string,
  { attributed, segmentedBy = [], key, ...places }: EncodedResource,
  metrics: readonly CatalogueField[],
  segments: readonly CatalogueField[],
): CatalogueResource {
  const pick = (from: readonly CatalogueField[], chosen: readonly number[]): ReadonlySet<string> =>
    new Set(chosen.flatMap((place) => from[place]?.name ?? []));
  let ownMetrics: ReadonlySet<string> | undefined;
  let ownSegments: ReadonlySet<string> | undefined;
  return {
    name,
    attributed,
    segmentedBy,
    key,
    get metrics() {
      ownMetrics ??= pick(metrics, places.metrics);
      return ownMetrics;
    },
    get segments() {
      ownSegments ??= pick(segments, places.segments);
      return ownSegments;
    },
  };
}

type DecodedType = Pick<CatalogueField, 'type' | 'values' | 'repeated'>;

const TYPE = /^([A-Z0-9_]+)(?::(\w+))?(\[\])?$/;

/** Thousands of fields share about a hundred types, so each type is decoded once. */
function typeDecoder(enums: EncodedCatalogue['enums']): (encoded: string) => DecodedType {
  const known = new Map<string, DecodedType>();
  return (encoded) => {
    const decoded = known.get(encoded) ?? decodeType(encoded, enums);
    known.set(encoded, decoded);
    return decoded;
  };
}

function decodeType(encoded: string, enums: EncodedCatalogue['enums']): DecodedType {
  const [, plain, enumName = '', list] = TYPE.exec(encoded) ?? [];
  const type = DATA_TYPES.find((known) => known === plain);
  if (!type) throw new InvariantError(`Unknown type ${encoded} in the catalogue.`);
  return { type, values: enums[enumName] ?? [], repeated: list !== undefined };
}
