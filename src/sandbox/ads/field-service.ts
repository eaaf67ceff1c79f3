import type { CatalogueField, CatalogueResource } from '../../language/gaql/catalogue/catalogue.ts';
import { jsonReply, type Reply } from '../reply.ts';
import { adsError, adsFailure } from './ads-errors.ts';
import { SANDBOX_CATALOGUE } from './fields.ts';

/** Answers `POST googleAdsFields:search`, which lists all resources and fields. */
export function searchFields(body: Readonly<Record<string, unknown>>, version: string, requestId: string): Reply {
  const refuse = (errorCode: Readonly<Record<string, string>>, message: string) =>
    adsError('INVALID_ARGUMENT', 'Request contains an invalid argument.', [
      adsFailure(version, requestId, [{ errorCode, message }]),
    ]);
  const { query, pageToken = '', pageSize = PAGE_ROWS_MAX } = body;
  const list = typeof query === 'string' ? /^\s*SELECT\s+([\w\s,]+)$/i.exec(query)?.[1] : undefined;
  if (list === undefined) {
    return refuse({ queryError: 'UNEXPECTED_INPUT' }, 'The sandbox reads only SELECT and names here, without WHERE.');
  }
  const names = list.trim().split(/\s*,\s*/);
  const unknown = names.find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) {
    return refuse(
      { queryError: 'UNRECOGNIZED_FIELD' },
      `Found "${unknown}", expected one of: ${[...MEMBERS.keys()].join(', ')}.`,
    );
  }
  const first = pageToken === '' ? 0 : TOKEN.exec(String(pageToken))?.[1];
  if (first === undefined || Number(first) >= DESCRIBED.length) {
    return refuse({ requestError: 'INVALID_PAGE_TOKEN' }, 'The page token is invalid.');
  }
  if (!Number.isInteger(pageSize) || Number(pageSize) < 1) {
    return refuse({ requestError: 'INVALID_PAGE_SIZE' }, `Found ${String(pageSize)} as pageSize, expected 1 or more.`);
  }
  const end = Number(first) + Math.min(Number(pageSize), PAGE_ROWS_MAX);
  const results = DESCRIBED.slice(Number(first), end).map((described) => messageOf(described, version, names));
  const next = end < DESCRIBED.length ? { nextPageToken: `row-${end}` } : {};
  const answer = { results, ...next, totalResultsCount: String(DESCRIBED.length) };
  return jsonReply(200, answer, { 'request-id': requestId });
}

export function fieldNamed(name: string, version: string): object | undefined {
  const described = DESCRIBED.find((one) => one.name === name);
  return described && messageOf(described, version, [...MEMBERS.keys()]);
}

/** Small, so that an answer with all fields has several pages. */
const PAGE_ROWS_MAX = 50;
const TOKEN = /^row-(\d{1,6})$/;

type Described = (CatalogueField & { readonly resource?: undefined }) | { name: string; resource: CatalogueResource };

const RESOURCES = Array.from(SANDBOX_CATALOGUE.resources.values(), (resource) => ({ name: resource.name, resource }));

const DESCRIBED: readonly Described[] = [...RESOURCES, ...SANDBOX_CATALOGUE.fields.values()].sort((a, b) =>
  a.name < b.name ? -1 : 1,
);

type Member = readonly [json: string, value: (described: Described, version: string) => unknown];

const ofField =
  (value: (field: CatalogueField, version: string) => unknown) => (described: Described, version: string) =>
    described.resource === undefined ? value(described, version) : undefined;
const ofResource = (value: (resource: CatalogueResource) => unknown) => (described: Described) =>
  described.resource && value(described.resource);

const MEMBERS: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['name', ['name', ({ name }) => name]],
  ['category', ['category', (one) => (one.resource === undefined ? one.role.toUpperCase() : 'RESOURCE')]],
  ['data_type', ['dataType', (one) => (one.resource === undefined ? wordOf(one) : 'MESSAGE')]],
  ['selectable', ['selectable', ofField(({ selectable }) => selectable)]],
  ['filterable', ['filterable', ofField(({ filterable }) => filterable)]],
  ['sortable', ['sortable', ofField(({ sortable }) => sortable)]],
  ['selectable_with', ['selectableWith', ofField(partnersOf)]],
  ['metrics', ['metrics', ofResource(({ metrics }) => [...metrics])]],
  ['segments', ['segments', ofResource(({ segments, segmentedBy }) => [...segmentedBy, ...segments])]],
  ['is_repeated', ['isRepeated', ofField(({ repeated }) => repeated)]],
  ['type_url', ['typeUrl', ofField(typeUrl)]],
  ['enum_values', ['enumValues', ofField(({ values }) => values)]],
  ['attribute_resources', ['attributeResources', ofResource(({ attributed }) => attributed)]],
]);

/** False and empty members are omitted, because the public service omits them. */
function messageOf(described: Described, version: string, names: readonly string[]): object {
  const given = names.flatMap((name) => {
    const [json, value] = MEMBERS.get(name) ?? [];
    const found = value?.(described, version);
    const isEmpty = found === undefined || found === false || (Array.isArray(found) && found.length === 0);
    return json === undefined || isEmpty ? [] : [[json, found] as const];
  });
  return { resourceName: `googleAdsFields/${described.name}`, ...Object.fromEntries(given) };
}

function partnersOf({ name, role, selectableWith }: CatalogueField): readonly string[] {
  if (role === 'attribute') return [];
  const offering = [...SANDBOX_CATALOGUE.resources.values()].filter(({ metrics, segments }) =>
    (role === 'metric' ? metrics : segments).has(name),
  );
  return [...offering.map((resource) => resource.name), ...(selectableWith ?? [])];
}

/** The public service uses the type DATE for both dates and times. */
function wordOf({ type }: CatalogueField): string {
  return type === 'DATE_TIME' ? 'DATE' : type;
}

function typeUrl({ name, type }: CatalogueField, version: string): string | undefined {
  if (type !== 'ENUM') return undefined;
  const word = name.replace(/(^|[._])([a-z])/g, (_, _dot, letter: string) => letter.toUpperCase());
  return `google.ads.googleads.${version}.enums.${word}Enum.${word}`;
}
