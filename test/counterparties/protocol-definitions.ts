import { installed } from './installed.ts';

/** The version of the interface that the installed definitions describe. */
export const VERSION = 'v25';

interface Node {
  fields?: Record<string, object>;
  oneofs?: Record<string, { oneof: string[] }>;
  nested?: Record<string, Node>;
}
interface MessageType {
  /** With a dot in front. */
  readonly fullName: string;
  readonly fields: Readonly<Record<string, Field>>;
}
interface Field {
  resolve(): { readonly resolvedType: (MessageType & { readonly values?: Readonly<Record<string, number>> }) | null };
}
interface Root {
  lookupType(name: string): MessageType;
  lookupEnum(name: string): { readonly values: Readonly<Record<string, number>> };
}
interface Serializer {
  fromProto3JSON(type: MessageType, json: unknown): unknown;
  toProto3JSON(message: unknown): unknown;
}

/**
 * The provider's definitions of every message, as the community's client carries them. That package names fields as the
 * definitions do, and the provider's own library expects the names of JSON: they are renamed in the one object that both
 * read, before either has seen it.
 */
const definitions = ((): Root => {
  const { protobuf } = installed<{
    protobuf: { Root: { fromJSON(json: Node): Root }; util: { camelCase(name: string): string } };
  }>('google-gax');
  const json = installed<Node>('google-ads-node/build/protos/protos.json');
  renameFields(json, protobuf.util.camelCase);
  return protobuf.Root.fromJSON(json);
})();

const serializer = installed<Serializer>('proto3-json-serializer');

function renameFields(node: Node, rename: (name: string) => string): void {
  if (node.fields) {
    node.fields = Object.fromEntries(Object.entries(node.fields).map(([name, field]) => [rename(name), field]));
  }
  for (const oneof of Object.values(node.oneofs ?? {})) oneof.oneof = oneof.oneof.map(rename);
  for (const [name, inner] of Object.entries(node.nested ?? {})) {
    // The library itself knows these by the definitions' names.
    if (name !== 'protobuf') renameFields(inner, rename);
  }
}

/** The message of that name, such as `services.GoogleAdsRow`. */
export function messageType(name: string): MessageType {
  return definitions.lookupType(name.startsWith('google.') ? name : `google.ads.googleads.${VERSION}.${name}`);
}

/** Whether a message has exactly that whole name. */
export function isTypeName(name: string): boolean {
  try {
    return definitions.lookupType(name).fullName === `.${name}`;
  } catch {
    return false;
  }
}

/**
 * JSON → message → JSON by the provider's own serializer. What the definitions do not know is lost on the way, a number
 * where the rules want text comes back as text; a word that no enumeration has and a wrong type throw.
 */
export function roundTrip(name: string, json: unknown): unknown {
  return serializer.toProto3JSON(serializer.fromProto3JSON(messageType(name), json));
}

/** Whether a path of JSON names, such as `adGroupCriterion.keyword.text`, leads to a field of the message. */
export function hasField(name: string, path: string): boolean {
  let type: MessageType | null = messageType(name);
  for (const part of path.split('.')) {
    const field: Field | undefined = type && Object.hasOwn(type.fields, part) ? type.fields[part] : undefined;
    if (field === undefined) return false;
    type = field.resolve().resolvedType;
  }
  return true;
}

/** The number of a word of an enumeration, such as `errors.QueryErrorEnum.QueryError`. */
export function numberOf(enumeration: string, word: string): number | undefined {
  return definitions.lookupEnum(`google.ads.googleads.${VERSION}.${enumeration}`).values[word];
}
