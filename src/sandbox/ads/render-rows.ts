import type { CivilDate } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { resultPath } from '../../gaql/check/column.ts';
import type { Query } from '../../gaql/syntax/tree.ts';
import { type Entity, type FieldValue, readField } from './fields.ts';

interface JsonObject {
  readonly [key: string]: JsonObject | FieldValue;
}

/** Serialises the common part of an entity once, not for each day. */
export function renderRows(
  tree: Query,
  resource: string,
  entities: readonly Entity[],
  resourceNames: boolean,
): (row: ResultRow) => string {
  const selected = tree.select.map(({ name }) => name);
  const attributes = attributeFields(selected, resource, resourceNames);
  const metrics = metricParts(selected);
  const dated = selected.includes('segments.date');
  const prefixes: (string | undefined)[] = [];
  return ({ entity, date, sums }) => {
    let prefix = prefixes[entity];
    if (prefix === undefined) {
      prefix = attributePrefix(attributes, entities[entity]);
      prefixes[entity] = prefix;
    }
    let text = prefix;
    if (metrics.length > 0) {
      text += text === '{' ? '"metrics":{' : ',"metrics":{';
      for (const { key, at } of metrics) text += `${key}${sums[at]}"`;
      text += '}';
    }
    if (dated) text += `${text === '{' ? '' : ','}"segments":{"date":"${date}"}`;
    return `${text}}`;
  };
}

/** Adds each resource's name, the FROM resource's first. */
function attributeFields(selected: readonly string[], resource: string, resourceNames: boolean): string[] {
  const attributes = selected.filter((field) => !/^(metrics|segments)\./.test(field));
  if (!resourceNames) return attributes;
  const resources = [resource, ...attributes.map((field) => field.slice(0, field.indexOf('.')))];
  return [...new Set([...resources.map((name) => `${name}.resource_name`), ...attributes])];
}

function metricParts(selected: readonly string[]): { readonly key: string; readonly at: number }[] {
  const known = selected.map((field) => ({ field, at: METRICS.indexOf(field) }));
  return known
    .filter(({ at }) => at >= 0)
    .map(({ field, at }, index) => ({ key: `${index === 0 ? '' : ','}"${resultPath(field)[1]}":"`, at }));
}

/** Without its closing brace. */
function attributePrefix(fields: readonly string[], entity: Entity | undefined): string {
  let root: JsonObject = {};
  for (const field of fields) {
    const value = entity && readField(field, entity);
    if (value !== undefined) root = withMember(root, resultPath(field), value);
  }
  return JSON.stringify(root).slice(0, -1);
}

function withMember(object: JsonObject, [name = '', ...rest]: readonly string[], value: FieldValue): JsonObject {
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = object[name];
  return { ...object, [name]: withMember(typeof inner === 'object' ? inner : {}, rest, value) };
}

/** In the order of `sums` in a {@link ResultRow}. */
export const METRICS: readonly string[] = ['metrics.impressions', 'metrics.clicks', 'metrics.cost_micros'];

export interface ResultRow {
  readonly entity: number;
  readonly date: CivilDate | undefined;
  readonly sums: readonly [impressions: number, clicks: number, costMicros: number];
}

export function metricIndex(field: string): number {
  const index = METRICS.indexOf(field);
  if (index < 0) throw new InvariantError(`The sandbox has no values for the metric ${field}.`);
  return index;
}
