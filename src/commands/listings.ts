import { AGENT_CALLS } from '../views/agent-calls.ts';
import { ALERTS_LIST } from '../views/alerts-list.ts';
import { BUDGETS_HISTORY } from '../views/budgets-history.ts';
import { BUDGETS_LIST } from '../views/budgets-list.ts';
import { COVERAGE } from '../views/coverage.ts';
import type { Listing } from '../views/kit/listing.ts';
import { LINKS_LIST } from '../views/links-list.ts';
import { PACING } from '../views/pacing.ts';
import { STATUS } from '../views/status.ts';
import { ACCOUNTS } from './accounts/run-accounts.ts';
import { CATALOGUE_DIFF, CATALOGUE_STATUS } from './catalogue/catalogue-view.ts';
import { CONFIG_SHOW } from './config/run-show.ts';
import { DOCTOR } from './doctor/doctor-view.ts';
import { FIELDS } from './fields/fields-view.ts';
import { GRAPH_PAGE_TOKENS, GRAPH_PERMISSIONS, GRAPH_PHONE_NUMBERS } from './graph/run-graph.ts';
import { ideasListing } from './ideas/run-ideas.ts';
import { RULES_BACKTEST } from './rules/backtest-view.ts';
import { RULES_EVALUATE } from './rules/evaluate-view.ts';
import { RULES_LIST } from './rules/list-view.ts';
import { SANDBOX_INBOX } from './sandbox/run-inbox.ts';
import { TABLES } from './tables/tables-view.ts';
import { TESTS } from './test/run-test.ts';

export const LISTINGS: readonly Listing<never>[] = [
  ACCOUNTS,
  AGENT_CALLS,
  ALERTS_LIST,
  BUDGETS_HISTORY,
  BUDGETS_LIST,
  CATALOGUE_DIFF,
  CATALOGUE_STATUS,
  CONFIG_SHOW,
  COVERAGE,
  DOCTOR,
  FIELDS,
  GRAPH_PAGE_TOKENS,
  GRAPH_PERMISSIONS,
  GRAPH_PHONE_NUMBERS,
  ideasListing([]),
  LINKS_LIST,
  PACING,
  RULES_BACKTEST,
  RULES_EVALUATE,
  RULES_LIST,
  SANDBOX_INBOX,
  STATUS,
  TABLES,
  TESTS,
];
