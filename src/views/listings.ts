import { BUDGETS_HISTORY } from './budgets-history.ts';
import { BUDGETS_LIST } from './budgets-list.ts';
import type { Listing } from './listing.ts';

/** Every listing that CSV and NDJSON have too, by name. */
export const LISTINGS: readonly Listing<never>[] = [BUDGETS_HISTORY, BUDGETS_LIST];
