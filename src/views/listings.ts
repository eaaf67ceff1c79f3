import { ACCOUNTS } from './accounts.ts';
import { ALERTS_LIST } from './alerts-list.ts';
import { BUDGETS_HISTORY } from './budgets-history.ts';
import { BUDGETS_LIST } from './budgets-list.ts';
import { CONFIG_SHOW } from './config-show.ts';
import { COVERAGE } from './coverage.ts';
import { DOCTOR } from './doctor.ts';
import { FIELDS } from './fields.ts';
import { GRAPH_PAGE_TOKENS, GRAPH_PERMISSIONS, GRAPH_PHONE_NUMBERS } from './graph.ts';
import { ideasListing } from './ideas.ts';
import type { Listing } from './kit/listing.ts';
import { PACING } from './pacing.ts';
import { RULES_BACKTEST } from './rules-backtest.ts';
import { RULES_EVALUATE } from './rules-evaluate.ts';
import { RULES_LIST } from './rules-list.ts';
import { SANDBOX_INBOX } from './sandbox-inbox.ts';
import { STATUS } from './status.ts';

/** Every listing that CSV and NDJSON have too, by name. */
export const LISTINGS: readonly Listing<never>[] = [
  ACCOUNTS,
  ALERTS_LIST,
  BUDGETS_HISTORY,
  BUDGETS_LIST,
  CONFIG_SHOW,
  COVERAGE,
  DOCTOR,
  FIELDS,
  GRAPH_PAGE_TOKENS,
  GRAPH_PERMISSIONS,
  GRAPH_PHONE_NUMBERS,
  ideasListing([]),
  PACING,
  RULES_BACKTEST,
  RULES_EVALUATE,
  RULES_LIST,
  SANDBOX_INBOX,
  STATUS,
];
