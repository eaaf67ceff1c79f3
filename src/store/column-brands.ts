export type ColumnBrand = 'CustomerId' | 'BudgetId' | 'CampaignId' | 'Micros' | 'CivilDate' | 'string';

/** By camelCase name. A script makes the types in `state-schema.ts` from them. */
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
  // Empty for a table without days.
  ['unpublishedDay.date', 'string'],
  ['dateFrom', 'CivilDate'],
  ['dateTo', 'CivilDate'],
]);

export function brandOf(column: string): ColumnBrand | undefined {
  return COLUMN_BRANDS.get(column);
}

/** An id is an integer in SQLite and text everywhere else. */
export function isIdColumn(column: string): boolean {
  return COLUMN_BRANDS.get(column)?.endsWith('Id') ?? false;
}
