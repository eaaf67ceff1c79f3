import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf, { type Field, Type } from 'protobufjs';

/** The definition behind a field's name. */
export interface FieldDefinition {
  readonly field: Field;
  /** Whether the last part of the name, or one on the way to it, stands for several values. */
  readonly repeated: boolean;
}

/**
 * Reads the definitions of one version and returns the message of a result row, which has a field for each resource
 * and for `metrics` and `segments`: it says which message defines what a query calls `campaign`.
 */
export function readRowType(protoFolder: string, version: string): Type {
  const folder = join(protoFolder, 'google', 'ads', 'googleads', version);
  const files = ['enums', 'common', 'resources'].flatMap((room) =>
    readdirSync(join(folder, room))
      .sort()
      .map((name) => join(folder, room, name)),
  );
  const root = new protobuf.Root();
  // The packages do not carry Google's general definitions; the library knows the one that a field uses.
  root.addJSON(protobuf.common.get('google/protobuf/field_mask.proto')?.nested ?? {});
  for (const file of [...files, join(folder, 'services', 'google_ads_service.proto')]) {
    protobuf.parse(joinBrokenLines(readFileSync(file, 'utf8')), root, { keepCase: true, alternateCommentMode: true });
  }
  return root.lookupType(`google.ads.googleads.${version}.services.GoogleAdsRow`);
}

/** Follows a full name such as `campaign.network_settings.target_google_search`; undefined where it leads nowhere. */
export function findDefinition(rowType: Type, name: string): FieldDefinition | undefined {
  let message: Type | null = rowType;
  let found: FieldDefinition | undefined;
  for (const part of name.split('.')) {
    const field: Field | undefined = message?.fields[part]?.resolve();
    if (field === undefined) return undefined;
    found = { field, repeated: field.repeated || found?.repeated === true };
    message = field.resolvedType instanceof Type ? field.resolvedType : null;
  }
  return found;
}

/** The message that defines a resource. */
export function resourceType(rowType: Type, resource: string): Type {
  const type = rowType.fields[resource]?.resolve().resolvedType;
  if (type instanceof Type) return type;
  throw new Error(
    `The message GoogleAdsRow has no resource "${resource}".\n` +
      'Both packages in catalogue/generate.ts must be of the same version of the interface.',
  );
}

/**
 * The parser gives a field the comment above the line its number stands on, so that a declaration broken before its
 * number would lose its comment. A line of nothing but names, dots and equals signs is such a beginning.
 */
function joinBrokenLines(source: string): string {
  return source.replace(/(?<=^[ \w.=]*[\w=])\n +(\.?)(?=[\w=])/gm, (_, dot: string) => dot || ' ');
}
