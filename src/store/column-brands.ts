export type ColumnBrand = 'CustomerId' | 'BudgetId' | 'CampaignId' | 'Micros' | 'CivilDate' | 'string';

/** TypeScript types of columns, by camelCase name. `npm run schema` writes them into `state-schema.ts`. */
const COLUMN_BRANDS: ReadonlyMap<string, ColumnBrand> = new Map<string, ColumnBrand>([
  ['customerId', 'CustomerId'],
  ['loginCustomerId', 'CustomerId'],
  ['budgetId', 'BudgetId'],
  ['campaignId', 'CampaignId'],
  ['fromMicros', 'Micros'],
  ['toMicros', 'Micros'],
  ['declaredMicros', 'Micros'],
  ['floorMicros', 'Micros'],
  ['ceilingMicros', 'Micros'],
  ['expectedMicros', 'Micros'],
  ['foundMicros', 'Micros'],
  ['accountDay', 'CivilDate'],
  ['date', 'CivilDate'],
  // Contains an empty text for tables without days, so it is not a date.
  ['unpublishedDay.date', 'string'],
  ['dateFrom', 'CivilDate'],
  ['dateTo', 'CivilDate'],
]);

export function brandOf(column: string): ColumnBrand | undefined {
  return COLUMN_BRANDS.get(column);
}

/** True for columns of ids, which are integers in SQLite and text everywhere else. */
export function isIdColumn(column: string): boolean {
  return COLUMN_BRANDS.get(column)?.endsWith('Id') ?? false;
}
