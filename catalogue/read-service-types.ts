import { readFileSync } from 'node:fs';

/**
 * Types by full name as the provider's own field service gives them. `fields.d.ts` has them as JSON in a string, for
 * metrics and segments only; about attributes it repeats the definitions, which say more.
 */
export function readServiceTypes(file: string): Map<string, string> {
  const literal = /^export declare const fieldDataTypes = (".*");$/m.exec(readFileSync(file, 'utf8'))?.[1];
  const all: unknown = literal === undefined ? undefined : JSON.parse(JSON.parse(literal));
  const types = new Map(['metrics', 'segments'].flatMap((kind) => leaves(kind, property(all, kind))));
  if (types.size > 0) return types;
  throw new Error(
    `${file} gives no types of metrics and segments.\n` +
      'Compare its "fieldDataTypes" with what catalogue/read-service-types.ts expects of it.',
  );
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** `{ keyword: { info: { text: "STRING" } } }` is `segments.keyword.info.text`. */
function leaves(name: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(`${name}.${key}`, inner));
}
