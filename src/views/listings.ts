import { ACCOUNTS } from './accounts.ts';
import { ALERTS_LIST } from './alerts-list.ts';
import { BUDGETS_HISTORY } from './budgets-history.ts';
import { BUDGETS_LIST } from './budgets-list.ts';
import { CONFIG_SHOW } from './config-show.ts';
import { DOCTOR } from './doctor.ts';
import { GRAPH_PAGE_TOKENS, GRAPH_PERMISSIONS, GRAPH_PHONE_NUMBERS } from './graph.ts';
import { ideasListing } from './ideas.ts';
import type { Listing } from './listing.ts';
import { SANDBOX_INBOX } from './sandbox-inbox.ts';
import { STATUS } from './status.ts';

/** Every listing that CSV and NDJSON have too, by name. */
export const LISTINGS: readonly Listing<never>[] = [
  ACCOUNTS,
  ALERTS_LIST,
  BUDGETS_HISTORY,
  BUDGETS_LIST,
  CONFIG_SHOW,
  DOCTOR,
  GRAPH_PAGE_TOKENS,
  GRAPH_PERMISSIONS,
  GRAPH_PHONE_NUMBERS,
  ideasListing([]),
  SANDBOX_INBOX,
  STATUS,
];
