import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';

export interface Column {
  /**
   * The alias. Without an alias, the field with underscores and without `metrics.` or `segments.`: `campaign_id`,
   * `cost_micros`.
   */
  readonly name: string;
  readonly field: string;
  /** Path in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  /** A list also has the type `MESSAGE`, because its column holds JSON. */
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

/**
 * Name of the published column with the amount in currency units. Undefined if the column does not hold integer micros.
 */
export function amountColumn(name: string, type: DataType): string | undefined {
  return type === 'INT64' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : undefined;
}

export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/**
 * `Column.field` of a model's computed column that the author casts. The cast makes it a number that adds up, or a
 * text.
 */
export const COMPUTED = 'computed';
/** `Column.field` of every other computed column. Such a column can be a ratio, which does not add up over days. */
export const COMPUTED_OTHERWISE = 'computed.otherwise';
