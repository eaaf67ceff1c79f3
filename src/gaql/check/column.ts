import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';

/** A column of a query's table. */
export interface Column {
  /** Dots to underscores, `metrics.` and `segments.` dropped: `campaign_id`, `cost_micros`, `date`. */
  readonly name: string;
  /** The selected field: `metrics.cost_micros`. */
  readonly field: string;
  /** Where the value stands in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  readonly type: DataType;
  readonly role: FieldRole;
}

export function columnOf(field: CatalogueField): Column {
  const name = field.name.replace(/^(metrics|segments)\./, '').replaceAll('.', '_');
  return { name, field: field.name, path: resultPath(field.name), type: field.type, role: field.role };
}

/** Query fields are snake case, results lowerCamelCase. */
export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}
