import type { AskedPage, PageName } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { explorePage } from '../explore/explore-page.ts';
import { actPage } from '../inbox/act-page.ts';
import { askedAct } from '../inbox/acts.ts';
import { inboxPage } from '../inbox/inbox-page.ts';
import { linksPage } from '../links/links-page.ts';
import { logPage } from '../log/log-page.ts';
import { rulePage } from '../rules/rule-page.ts';
import { rulesPage } from '../rules/rules-page.ts';
import { accountPage } from './account-page.ts';
import { alertsPage } from './alerts-page.ts';
import { budgetPage } from './budget-page.ts';
import { budgetsPage } from './budgets-page.ts';
import { campaignPage } from './campaign-page.ts';
import { coveragePage } from './coverage-page.ts';
import { kitPage } from './kit-page.ts';
import { overviewPage } from './overview-page.ts';
import type { Download, PageRequest } from './page-source.ts';
import { runPage } from './run-page.ts';
import { runsPage } from './runs-page.ts';
import { searchPage } from './search-page.ts';

type Made = Promise<string | Download | undefined>;
type MakePage<Ids> = (app: StateApp, ids: Ids, query: URLSearchParams, visitor: Visitor) => Made;

type Visitor = Pick<PageRequest, 'role' | 'form' | 'explored' | 'question'>;

const MAKERS: { readonly [Name in PageName]: MakePage<AskedPage<Name>['ids']> } = {
  overview: (app, _, query, { role }) => overviewPage(app, query, role),
  inbox: (app, _, query, { role, form }) => {
    const asked = askedAct(query);
    return asked === undefined ? inboxPage(app, query, role) : actPage(app, asked, form, query.get('why') ?? '');
  },
  account: (app, { customer }, query, { role }) => accountPage(app, customer, query, role),
  budgets: (app, _, query) => budgetsPage(app, query),
  budget: (app, ids, query, { role }) => budgetPage(app, ids, query, role),
  log: (app, _, query, { role }) => logPage(app, query, role),
  campaign: (app, ids, query, { role }) => campaignPage(app, ids, query, role),
  rules: (app) => rulesPage(app),
  rule: (app, { name }, query) => rulePage(app, name, query),
  alerts: (app, _, query, { role }) => alertsPage(app, query, role),
  coverage: (app, _, query) => coveragePage(app, query),
  runs: (app, _, query) => runsPage(app, query),
  run: runPage,
  links: (app, _, _query, visitor) => linksPage(app, visitor),
  search: (app, _, query) => searchPage(app, query),
  kit: (app) => kitPage(app),
  explore: (app, _, query, visitor) => explorePage(app, query, visitor),
};

/** Undefined for an unknown id. The query has not been validated. */
export function makePage<Name extends PageName>(
  app: StateApp,
  { name, ids }: AskedPage<Name>,
  { query, ...visitor }: PageRequest,
): Made {
  return MAKERS[name](app, ids, new URLSearchParams(query), visitor);
}
