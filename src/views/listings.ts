import { BUDGETS_HISTORY } from './budgets-history.ts';
import { BUDGETS_LIST } from './budgets-list.ts';
import { COVERAGE } from './coverage.ts';
import { FIELDS } from './fields.ts';
import type { Listing } from './listing.ts';
import { PACING } from './pacing.ts';
import { RULES_BACKTEST } from './rules-backtest.ts';
import { RULES_EVALUATE } from './rules-evaluate.ts';
import { RULES_LIST } from './rules-list.ts';

/** Every listing that CSV and NDJSON have too, by name. */
export const LISTINGS: readonly Listing<never>[] = [
  BUDGETS_HISTORY,
  BUDGETS_LIST,
  COVERAGE,
  FIELDS,
  PACING,
  RULES_BACKTEST,
  RULES_EVALUATE,
  RULES_LIST,
];
