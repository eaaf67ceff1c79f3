export type ColumnBrand = 'CustomerId' | 'BudgetId' | 'CampaignId' | 'Micros' | 'CivilDate' | 'string';

/** TypeScript types of columns. `npm run schema` writes these types into `state-schema.ts`. */
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
  ['amountMicros', 'Micros'],
  ['budgetUnitMicros', 'Micros'],
  ['accountDay', 'CivilDate'],
  ['date', 'CivilDate'],
  // For tables without days, this column contains an empty text, so it is not a date.
  ['unpublishedDay.date', 'string'],
  ['dateFrom', 'CivilDate'],
  ['dateTo', 'CivilDate'],
  ['changesReadFrom', 'CivilDate'],
]);

export function brandOf(column: string): ColumnBrand | undefined {
  return COLUMN_BRANDS.get(column);
}

/** Ids of accounts, budgets and campaigns are integers in SQLite and text everywhere else. */
export function isIdColumn(column: string): boolean {
  return COLUMN_BRANDS.get(column)?.endsWith('Id') ?? false;
}
