import type { CatalogueField, DataType, FieldRole } from '../catalogue/catalogue.ts';

export interface Column {
  /** The alias, or else the field with underscores, without `metrics.` or `segments.`: `campaign_id`, `cost_micros`. */
  readonly name: string;
  readonly field: string;
  /** Path in a result row, lowerCamelCase: `['metrics', 'costMicros']`. */
  readonly path: readonly string[];
  /** Lists also have the type `MESSAGE`, because the column holds JSON. */
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

/** Integer micros are also published in currency units, in this column. Undefined for other columns. */
export function amountColumn(name: string, type: DataType): string | undefined {
  return type === 'INT64' && name.endsWith(MICROS) ? name.slice(0, -MICROS.length) : undefined;
}

export function resultPath(field: string): string[] {
  return field.split('.').map((part) => part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/** Fields of computed columns of models. The author's cast says that this one is a number that adds up, or a text. */
export const COMPUTED = 'computed';
/** Field of all other computed columns. Such a column can be a ratio, which does not add up over days. */
export const COMPUTED_OTHERWISE = 'computed.otherwise';
