import { InvariantError } from '../../domain/errors.ts';
import {
  type Catalogue,
  type CatalogueField,
  type CatalogueResource,
  DATA_TYPES,
  type FieldRole,
} from './catalogue.ts';

/** A field's name within its owner and its type: `INT64`, `ENUM:Device`, `RESOURCE_NAME[]` where a row holds a list. */
export type EncodedField = readonly [name: string, type: string];

/** What may be selected together with a resource, and what identifies one of its rows. */
export interface EncodedResource {
  /** Resources whose attributes come along without splitting a row; the resource itself first. */
  readonly attributed: readonly string[];
  /** Resources whose attributes may be selected too, but split the rows, as segments do. Left out when there are none. */
  readonly segmentedBy?: readonly string[];
  /** Places in the catalogue's list of metrics. */
  readonly metrics: readonly number[];
  /** Places in the catalogue's list of segments. */
  readonly segments: readonly number[];
  /** Full names of the fields that together identify a row within one account. */
  readonly key: readonly string[];
}

/** A catalogue as its file holds it: every field of the query language in one version of the interface. */
export interface EncodedCatalogue {
  readonly name: string;
  readonly sources: readonly string[];
  /** Values by enum, in the order of their definition. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /** Attributes by resource, their names relative to it. */
  readonly attributes: Readonly<Record<string, readonly EncodedField[]>>;
  /** Names without `metrics.` */
  readonly metrics: readonly EncodedField[];
  /** Names without `segments.` */
  readonly segments: readonly EncodedField[];
  readonly resources: Readonly<Record<string, EncodedResource>>;
}

/** What the provider says of its resources and fields, one sentence or short paragraph each. */
export interface Descriptions {
  readonly resources: Readonly<Record<string, string>>;
  /** By full name; what has no comment is left out. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The catalogue of a file's content. A query asks for one resource of many, so a resource's lists are made when asked for. */
export function decodeCatalogue(encoded: EncodedCatalogue): Catalogue {
  const typeOf = typeDecoder(encoded.enums);
  const decode = (owner: string, role: FieldRole, fields: readonly EncodedField[]): CatalogueField[] =>
    fields.map(([name, type]) => ({ name: `${owner}.${name}`, role, ...typeOf(type) }));
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

/** Thousands of fields share some hundred types; each is read once. */
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
  if (!type) throw new InvariantError(`The catalogue has the type ${encoded}, which is none.`);
  return { type, values: enums[enumName] ?? [], repeated: list !== undefined };
}
