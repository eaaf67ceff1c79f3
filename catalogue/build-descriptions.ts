import type { Type } from 'protobufjs';
import type { Descriptions, EncodedCatalogue } from '../src/language/gaql/catalogue/decode-catalogue.ts';
import { findDefinition, resourceType } from './read-protos.ts';
import { shortenComment } from './shorten-comment.ts';

/** Describes every resource and field of a catalogue in the words of the definitions' comments. */
export function buildDescriptions(catalogue: EncodedCatalogue, rowType: Type): Descriptions {
  const fields = [
    ...Object.entries(catalogue.attributes).flatMap(([resource, names]) =>
      names.map(([name]) => `${resource}.${name}`),
    ),
    ...catalogue.metrics.map(([name]) => `metrics.${name}`),
    ...catalogue.segments.map(([name]) => `segments.${name}`),
  ];
  return {
    resources: describeAll(Object.keys(catalogue.resources), (name) => resourceType(rowType, name).comment),
    fields: describeAll(fields, (name) => findDefinition(rowType, name)?.field.comment),
  };
}

function describeAll(
  names: readonly string[],
  commentOf: (name: string) => string | null | undefined,
): Record<string, string> {
  const described = names.map((name) => [name, shortenComment(commentOf(name) ?? '')] as const);
  return Object.fromEntries(described.filter(([, text]) => text !== ''));
}
