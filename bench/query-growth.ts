/** What query-growth-child prints: how the time for one value, or one kilobyte, changes with the size of the query. */
export interface QueryGrowth {
  readonly work: 'parse' | 'check';
  /** What the sizes count. */
  readonly unit: 'value' | 'KB';
  readonly sizes: readonly Growing[];
  /** Time per unit of the largest size by that of the smallest: 1 when time grows as the text does. */
  readonly largestBySmallest: number;
}

export interface Growing {
  readonly size: number;
  readonly microsecondsPerUnit: number;
}
