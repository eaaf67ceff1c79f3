import { type Catalogue, type CatalogueField, DATA_TYPES, type DataType, ownerOf } from './catalogue.ts';
import { type EncodedCatalogue, type EncodedField, type EncodedResource, FACTS } from './decode-catalogue.ts';

export interface ServiceField {
  readonly name: string;
  /** RESOURCE, ATTRIBUTE, METRIC or SEGMENT. Fields of other categories are ignored. */
  readonly category: string;
  readonly dataType: string;
  readonly selectable: boolean;
  readonly filterable: boolean;
  readonly sortable: boolean;
  readonly isRepeated: boolean;
  readonly typeUrl: string;
  readonly enumValues: readonly string[];
  /** Resources, metrics and segments that a query can select together with this field. */
  readonly selectableWith: readonly string[];
  /** Resources whose attributes a query FROM this resource can select. */
  readonly attributeResources: readonly string[];
  readonly metrics: readonly string[];
  readonly segments: readonly string[];
}

export type Encoding =
  | { readonly kind: 'ok'; readonly catalogue: EncodedCatalogue }
  /** `reason` continues a sentence after "because". */
  | { readonly kind: 'implausible'; readonly reason: string };

/** Versions differ by a few hundred fields, so more unknown fields are implausible. */
const UNKNOWN_MAX = 5_000;

/** Pacekeeper reads accounts and budgets from these resources. */
const NEEDED = ['customer', 'campaign'];

export function encodeFields(version: string, fields: readonly ServiceField[], known: Catalogue): Encoding {
  const reason = implausible(version, fields, known);
  if (reason !== undefined) return { kind: 'implausible', reason };
  const sorted = fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const of = (category: string) => sorted.filter((field) => field.category === category);
  const resources = of('RESOURCE');
  const metrics = of('METRIC');
  const segments = of('SEGMENT');
  const attributes = Map.groupBy(of('ATTRIBUTE'), ({ name }) => ownerOf(name));
  const enums = enumNames();
  const combinations = combinationNumbers([...metrics, ...segments].map(({ name }) => name));
  const encode = (field: ServiceField): EncodedField => {
    const type = typeWord(field, known.fields.get(field.name), enums.nameOf);
    const facts = factsOf(field);
    const name = field.name.slice(field.name.indexOf('.') + 1);
    const combination = field.category === 'ATTRIBUTE' ? undefined : combinations.numberOf(field.selectableWith);
    return combination === undefined ? [name, type, facts] : [name, type, facts, combination];
  };
  const names = new Set([...fields.map(({ name }) => name), ...attributes.keys()]);
  const placesOf = placesIn(metrics, segments);
  return {
    kind: 'ok',
    catalogue: {
      name: version,
      sources: [],
      attributes: Object.fromEntries([...attributes].map(([owner, own]) => [owner, own.map(encode)])),
      metrics: metrics.map(encode),
      segments: segments.map(encode),
      resources: Object.fromEntries(
        resources.map((resource) => [resource.name, encodeResource(resource, names, known, placesOf)]),
      ),
      enums: enums.values(),
      combinations: combinations.all(),
    },
  };
}

const NAME_LENGTH_MAX = 250;

function isName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && /^[a-z]/.test(name) && name.split('.').every((part) => /^\w+$/.test(part));
}

function implausible(version: string, fields: readonly ServiceField[], known: Catalogue): string | undefined {
  if (fields.length === 0) return 'it lists no field';
  const misnamed = fields.findIndex(({ name }) => !isName(name));
  if (misnamed >= 0) return `entry ${misnamed + 1} has no valid name`;
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name)) return `it lists ${name} twice`;
    seen.add(name);
  }
  const foreign = fields.flatMap(({ typeUrl }) => versionOf(typeUrl) ?? []).find((found) => found !== version);
  if (foreign !== undefined) return `its types are those of ${foreign}, expected ${version}`;
  const isThere = (needed: string) => fields.some(({ name, category }) => name === needed && category === 'RESOURCE');
  const lacking = NEEDED.find((needed) => !isThere(needed));
  if (lacking !== undefined) return `it lists no resource ${lacking}`;
  const unknown = fields.filter(({ name }) => !known.fields.has(name) && !known.resources.has(name)).length;
  if (unknown <= UNKNOWN_MAX) return undefined;
  const count = (number: number) => number.toLocaleString('en-US');
  return `${count(unknown)} of its names are unknown here, expected at most ${count(UNKNOWN_MAX)}`;
}

function versionOf(typeUrl: string): string | undefined {
  return /\.googleads\.(v\d{1,4})\./.exec(typeUrl)?.[1];
}

function factsOf({ selectable, filterable, sortable }: ServiceField): number {
  return (selectable ? FACTS.selectable : 0) + (filterable ? FACTS.filterable : 0) + (sortable ? FACTS.sortable : 0);
}

function combinationNumbers(names: readonly string[]) {
  const places = new Map(names.map((name, place) => [name, place]));
  const numbers = new Map<string, number>();
  return {
    numberOf(selectableWith: readonly string[]): number | undefined {
      const found = selectableWith.flatMap((name) => places.get(name) ?? []).toSorted((a, b) => a - b);
      if (found.length === 0) return undefined;
      const text = found.join();
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    },
    all: () => [...numbers.keys()].map((text) => text.split(',').map(Number)),
  };
}

type PlacesOf = (field: 'metrics' | 'segments', names: readonly string[]) => number[];

function placesIn(metrics: readonly ServiceField[], segments: readonly ServiceField[]): PlacesOf {
  const indexed = (fields: readonly ServiceField[]) => new Map(fields.map(({ name }, place) => [name, place]));
  const places = { metrics: indexed(metrics), segments: indexed(segments) };
  return (field, names) => [...new Set(names)].flatMap((name) => places[field].get(name) ?? []);
}

function encodeResource(
  { name, attributeResources, metrics, segments }: ServiceField,
  names: ReadonlySet<string>,
  known: Catalogue,
  placesOf: PlacesOf,
): EncodedResource {
  const resources = (some: readonly string[]) => some.filter((one) => names.has(one) && !one.includes('.'));
  const segmentedBy = resources(segments);
  const key = known.resources.get(name)?.key;
  return {
    attributed: [...new Set([name, ...resources(attributeResources)])].filter((one) => !segmentedBy.includes(one)),
    ...(segmentedBy.length > 0 && { segmentedBy }),
    metrics: placesOf('metrics', metrics),
    segments: placesOf('segments', segments),
    key: key?.every((field) => names.has(field)) ? key : [`${name}.resource_name`],
  };
}

const NUMBERS: Readonly<Record<string, DataType>> = { INT32: 'INT64', UINT64: 'INT64', FLOAT: 'DOUBLE' };
const TEXTS: readonly DataType[] = ['STRING', 'DATE', 'DATE_TIME', 'RESOURCE_NAME'];

function typeWord(field: ServiceField, known: CatalogueField | undefined, nameOf: (field: ServiceField) => string) {
  const type = dataType(field, known);
  const word = type === 'ENUM' ? `ENUM:${nameOf(field)}` : type;
  return field.isRepeated ? `${word}[]` : word;
}

/** If the service says only STRING, a more exact known type such as DATE is used. */
function dataType({ name, dataType: word }: ServiceField, known: CatalogueField | undefined): DataType {
  const type = NUMBERS[word] ?? DATA_TYPES.find((one) => one === word) ?? 'STRING';
  if (!TEXTS.includes(type)) return type;
  if (name.endsWith('_date_time')) return 'DATE_TIME';
  if (type !== 'STRING' || known === undefined || !TEXTS.includes(known.type)) return type;
  return known.type;
}

/** If two enums have the same short name, the later one gets a name such as `Enum12`. */
function enumNames() {
  const names = new Map<string, string>();
  const values = new Map<string, readonly string[]>();
  return {
    nameOf({ name: field, typeUrl, enumValues }: ServiceField): string {
      const key = typeUrl === '' ? field : typeUrl;
      const known = names.get(key);
      if (known !== undefined) return known;
      const short = /\w+$/.exec(key)?.[0] ?? 'Enum';
      const name = values.has(short) || /^[^A-Z]/.test(short) ? `Enum${names.size}` : short;
      names.set(key, name);
      values.set(
        name,
        enumValues.filter((value) => value !== 'UNSPECIFIED' && value !== 'UNKNOWN'),
      );
      return name;
    },
    values: () => Object.fromEntries(values),
  };
}
