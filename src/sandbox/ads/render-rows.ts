import type { CivilDate } from '../../domain/civil-date.ts';
import { resultPath } from '../../language/gaql/check/column.ts';
import type { Query } from '../../language/gaql/syntax/tree.ts';
import type { Entity } from './entities.ts';
import { type FieldValue, isList, readField } from './fields.ts';
import { METRICS, type Sums } from './metrics.ts';
import { SEGMENTS } from './segments.ts';

interface JsonObject {
  readonly [key: string]: JsonObject | FieldValue;
}

export function renderRows(
  tree: Query,
  resource: string,
  entities: readonly Entity[],
  resourceNames: boolean,
): (row: ResultRow) => string {
  const selected = tree.select.map(({ name }) => name);
  const attributes = attributeFields(selected, resource, resourceNames);
  const metrics = selected.flatMap((field) => {
    const metric = METRICS.get(field);
    return metric ? [{ key: `"${resultPath(field)[1]}":`, ...metric }] : [];
  });
  const segments = selected.filter((field) => SEGMENTS.has(field));
  const dated = selected.includes('segments.date');
  const prefixes: (string | undefined)[] = [];
  return ({ entity, date, sums, segments: values }) => {
    let prefix = prefixes[entity];
    if (prefix === undefined) {
      prefix = attributePrefix(attributes, entities[entity]);
      prefixes[entity] = prefix;
    }
    const groups: string[] = prefix === '{' ? [] : [prefix.slice(1)];
    if (metrics.length > 0) {
      const known = metrics.flatMap(({ key, type, read }) => {
        const value = read(sums);
        if (value === undefined) return [];
        return [type === 'INT64' ? `${key}"${value}"` : `${key}${value}`];
      });
      groups.push(`"metrics":{${known.join(',')}}`);
    }
    if (dated || segments.length > 0) {
      const own = segments.map((field, at) => {
        const value = values[at] ?? '';
        return `"${resultPath(field)[1]}":${SEGMENTS.get(field)?.type === 'ENUM' ? `"${value}"` : value}`;
      });
      groups.push(`"segments":{${[...(dated ? [`"date":"${date}"`] : []), ...own].join(',')}}`);
    }
    return `{${groups.join(',')}}`;
  };
}

function attributeFields(selected: readonly string[], resource: string, resourceNames: boolean): string[] {
  const attributes = selected.filter((field) => !/^(metrics|segments)\./.test(field));
  if (!resourceNames) return attributes;
  const resources = [resource, ...attributes.map((field) => field.slice(0, field.indexOf('.')))];
  return [...new Set([...resources.map((name) => `${name}.resource_name`), ...attributes])];
}

/** The JSON object of the attributes, without its closing brace. */
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
  return { ...object, [name]: withMember(typeof inner === 'object' && !isList(inner) ? inner : {}, rest, value) };
}

export interface ResultRow {
  readonly entity: number;
  readonly date: CivilDate | undefined;
  readonly segments: readonly string[];
  readonly sums: Sums;
}
