import { Enum, type Field, Type } from 'protobufjs';
import type { FieldDefinition } from './read-protos.ts';

/** Names enums, by their full name where a short one is taken, and remembers the values of those it was asked for. */
export class EnumNames {
  readonly #byName = new Map<string, Enum>();

  nameOf(definition: Enum): string {
    const owner = this.#byName.get(definition.name) ?? definition;
    const name = owner === definition ? definition.name : definition.fullName.slice(1);
    this.#byName.set(name, definition);
    return name;
  }

  /** UNSPECIFIED and UNKNOWN are left out: they only ever mean that the interface has no answer. */
  values(): Record<string, string[]> {
    const sorted = [...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([name, { values }]) => [
        name,
        Object.keys(values).filter((value) => value !== 'UNSPECIFIED' && value !== 'UNKNOWN'),
      ]),
    );
  }
}

const SCALARS = new Map([
  ['int32', 'INT64'],
  ['int64', 'INT64'],
  ['uint64', 'INT64'],
  ['float', 'DOUBLE'],
  ['double', 'DOUBLE'],
  ['bool', 'BOOLEAN'],
  ['string', 'STRING'],
  ['bytes', 'STRING'],
]);

/** What the words of types depend on beside the definitions. */
export interface TypeSources {
  readonly enums: EnumNames;
  /** The field service's word, where it is known: it knows references that the definitions call plain text. */
  readonly serviceTypes: ReadonlyMap<string, string>;
}

/** The catalogue's word for a field's type; undefined for a type the catalogue has no word for. */
export function typeWord(name: string, { field, repeated }: FieldDefinition, sources: TypeSources): string | undefined {
  const word = singleTypeWord(name, field, sources);
  return word !== undefined && repeated ? `${word}[]` : word;
}

function singleTypeWord(name: string, field: Field, { enums, serviceTypes }: TypeSources): string | undefined {
  if (field.map) return undefined;
  if (field.resolvedType instanceof Enum) return `ENUM:${enums.nameOf(field.resolvedType)}`;
  if (field.resolvedType instanceof Type) return 'MESSAGE';
  return field.type === 'string' ? textTypeWord(field, serviceTypes.get(name)) : SCALARS.get(field.type);
}

/** References, dates and times travel as text, too; the field service, options, names and comments tell them apart. */
function textTypeWord(field: Field, serviceType: string | undefined): string {
  // The service has one word for dates and times.
  if (field.name.endsWith('_date_time')) return 'DATE_TIME';
  if (serviceType === 'RESOURCE_NAME' || serviceType === 'DATE') return serviceType;
  const refersToResource = Object.keys(field.options ?? {}).some((key) => key.startsWith(REFERENCE_OPTION));
  if (refersToResource || field.name === 'resource_name') return 'RESOURCE_NAME';
  return field.name.endsWith('_date') && SPEAKS_OF_A_DATE.test(field.comment ?? '') ? 'DATE' : 'STRING';
}

const REFERENCE_OPTION = '(google.api.resource_reference)';
const SPEAKS_OF_A_DATE = /\b(date|day|yyyy-mm-dd)\b/i;
