import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';

/** A column of a query's table. */
export interface Column {
  /** The alias; without one dots to underscores, `metrics.` and `segments.` dropped: `campaign_id`, `cost_micros`. */
  readonly name: string;
  /** The selected field: `metrics.cost_micros`. */
  readonly field: string;
  /** Where the value stands in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  /** `MESSAGE` for lists, too: the column holds JSON. */
  readonly type: DataType;
  readonly role: FieldRole;
}

export function columnOf(field: CatalogueField, alias?: string): Column {
  const { role, type, repeated } = field;
  const name = alias ?? columnName(field.name);
  return { name, field: field.name, path: resultPath(field.name), type: repeated ? 'MESSAGE' : type, role };
}

/** The column's name where the query gives none. */
export function columnName(field: string): string {
  return field.replace(/^(metrics|segments)\./, '').replaceAll('.', '_');
}

/** What the field of a column of micros, and its column, end with. */
export const MICROS = '_micros';

/** The column in which the amount in currency units is published beside integer micros; undefined beside any other. */
export function amountColumn(name: string, type: DataType): string | undefined {
  return type === 'INT64' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : undefined;
}

/** Query fields are snake case, results lowerCamelCase. */
export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}
