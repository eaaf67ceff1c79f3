import type { StateApp } from '../../app.ts';
import { warehousePath } from '../../folder/forgotten-past.ts';
import type { AskedPage, PageName } from '../../html/pages.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { firingAlerts } from '../../store/alerts/alert-table.ts';
import { openIntents } from '../../store/budgets/intent-table.ts';
import { openProposals } from '../../store/budgets/proposal-table.ts';
import { pastRuns } from '../../store/runs/run-history.ts';
import { explorePage } from '../explore/explore-page.ts';
import { sqlIn } from '../explore/explore-text.ts';
import { actPage } from '../inbox/act-page.ts';
import { askedAct } from '../inbox/acts.ts';
import { inboxPage } from '../inbox/inbox-page.ts';
import { liveRun } from '../live/live-run.ts';
import { gatherReport } from '../report/gather-report.ts';
import { alertsPage } from './alerts-page.ts';
import { budgetPage } from './budget-page.ts';
import { budgetsPage } from './budgets-page.ts';
import { coveragePage } from './coverage-page.ts';
import { overviewPage } from './overview-page.ts';
import type { PageRequest } from './page-source.ts';
import { runPage } from './run-page.ts';
import { runsPage } from './runs-page.ts';

type MakePage<Ids> = (app: StateApp, ids: Ids, query: URLSearchParams, visitor: Visitor) => Promise<string | undefined>;

type Visitor = Pick<PageRequest, 'role' | 'form' | 'explored'>;

const MAKERS: { readonly [Name in PageName]: MakePage<AskedPage<Name>['ids']> } = {
  overview,
  inbox: (app, _, query, { role, form }) => {
    const asked = askedAct(query);
    return asked === undefined ? inboxPage(app, role) : actPage(app, asked, form);
  },
  budgets: (app, _, query) => budgetsPage(app, query),
  budget: budgetPage,
  alerts: (app, _, query, { role }) => alertsPage(app, query, role),
  coverage: (app, _, query) => coveragePage(app, query),
  runs: (app, _, query) => runsPage(app, query),
  run: runPage,
  explore: (app, _, query, { form, explored }) => explorePage(app, sqlIn(query), form, explored),
};

/** Undefined for an unknown id. The query has not been validated. */
export function makePage<Name extends PageName>(
  app: StateApp,
  { name, ids }: AskedPage<Name>,
  { query, ...visitor }: PageRequest,
): Promise<string | undefined> {
  return MAKERS[name](app, ids, new URLSearchParams(query), visitor);
}

async function overview(app: StateApp): Promise<string> {
  const { db } = app.state;
  const waiting = await openProposals(db, app.clock.now());
  const open = await openIntents(db);
  const [newest] = await pastRuns(db, { limit: 1 });
  const firing = await firingAlerts(db, 'condition');
  const sources = { ...app, warehousePath: warehousePath(app.settings.paths.data) };
  const now = { run: newest, proposals: waiting.length, open: open.length, firing: firing.length };
  const report = await gatherReport(sources);
  return overviewPage({ ...redactTexts(now, app.settings), progress: await liveRun(app), report });
}
