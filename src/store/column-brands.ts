export type ColumnBrand = 'CustomerId' | 'BudgetId' | 'CampaignId' | 'Micros' | 'CivilDate' | 'string';

/**
 * The columns that hold more than text or a whole number, by the name that the program gives them. The script that writes
 * `state-schema.ts` takes their types from here, and the state database their ids.
 */
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

/** SQLite holds an id as an integer; everywhere else it is text. */
export function isIdColumn(column: string): boolean {
  return COLUMN_BRANDS.get(column)?.endsWith('Id') ?? false;
}
