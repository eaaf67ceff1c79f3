import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';

export interface Column {
  /** The alias, or a name made from the field, such as `cost_micros` from `metrics.cost_micros`. */
  readonly name: string;
  readonly field: string;
  /** Path in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  /** Lists also have the type `MESSAGE`, because their columns contain JSON. */
  readonly type: DataType;
  readonly role: FieldRole;
}

export function columnOf(field: CatalogueField, alias?: string): Column {
  const { role, type, repeated } = field;
  const name = alias ?? columnName(field.name);
  return { name, field: field.name, path: resultPath(field.name), type: repeated ? 'MESSAGE' : type, role };
}

export function columnName(field: string): string {
  return field.replace(/^(metrics|segments)\./, '').replaceAll('.', '_');
}

export const MICROS = '_micros';

/** Name of the column in currency units. Undefined if the column has no integer micros. */
export function amountColumn(name: string, type: DataType): string | undefined {
  return type === 'INT64' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : undefined;
}

export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/** `Column.field` of a computed column that the model casts to a number or text. */
export const COMPUTED = 'computed';
/** `Column.field` of other computed columns, which may be ratios that do not add up. */
export const COMPUTED_OTHERWISE = 'computed.otherwise';
