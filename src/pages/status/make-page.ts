import type { StateApp } from '../../app.ts';
import { killSwitch } from '../../budgets/kill-switch.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import type { Frozen } from '../../domain/frozen.ts';
import { budgetId, customerId, isId } from '../../domain/ids.ts';
import { warehousePath } from '../../folder/forgotten-past.ts';
import type { AskedPage, PageName } from '../../html/pages.ts';
import { coverage } from '../../pipeline/read/coverage.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { listAlerts } from '../../pipeline/tell/list-alerts.ts';
import { firingAlerts } from '../../store/alerts/alert-table.ts';
import { changedBudgets } from '../../store/budgets/changed-budgets.ts';
import { decisionsOfRun } from '../../store/budgets/decision-table.ts';
import { foreignChangesOf } from '../../store/budgets/foreign-change-table.ts';
import { intentsOfBudget, openIntents } from '../../store/budgets/intent-table.ts';
import { openProposals, proposalsOfBudget } from '../../store/budgets/proposal-table.ts';
import { allAccounts } from '../../store/runs/account-table.ts';
import { accountsInRun, pastRun, pastRuns } from '../../store/runs/run-history.ts';
import { showingChanges, showingForeign } from '../../views/budgets-history.ts';
import { budgetsWaiting, type WaitingBudgets } from '../../views/budgets-list.ts';
import { gatherReport } from '../report/gather-report.ts';
import { alertsPage } from './alerts-page.ts';
import { budgetPage } from './budget-page.ts';
import { budgetsPage } from './budgets-page.ts';
import { coveragePage } from './coverage-page.ts';
import { overviewPage } from './overview-page.ts';
import { proposalsPage } from './proposals-page.ts';
import { runPage } from './run-page.ts';
import { runsPage } from './runs-page.ts';
import { jobFacts } from './schedule-standing.ts';

const RUNS_MAX = 50;
const BUDGETS_MAX = 100;
const LIST_MAX = 500;

type Query = { readonly query: URLSearchParams };
type MakePage<Asked> = (app: StateApp, asked: Asked & Query) => Promise<string | undefined>;

const MAKERS: { readonly [Name in PageName]: MakePage<AskedPage<Name>['ids']> } = {
  overview,
  proposals: async (app) => proposalsPage(redactTexts(await proposals(app), app.settings)),
  budgets,
  budget,
  alerts: async (app) =>
    alertsPage(redactTexts({ ...(await listAlerts(app, true)), frozen: await standing(app) }, app.settings)),
  coverage: coverageOf,
  runs,
  run,
};

/** A page of the databases; undefined where there is nothing of that name. The query may be anything. */
export function makePage<Name extends PageName>(
  app: StateApp,
  { name, ids }: AskedPage<Name>,
  query: URLSearchParams,
): Promise<string | undefined> {
  return MAKERS[name](app, { ...ids, query });
}

/** The report of now, below what waits and what fires. */
async function overview(app: StateApp): Promise<string> {
  const { db } = app.state;
  const waiting = await openProposals(db, app.clock.now());
  const open = await openIntents(db);
  const [newest] = await pastRuns(db, { limit: 1 });
  const firing = await firingAlerts(db, 'condition');
  const sources = { ...app, warehousePath: warehousePath(app.settings.paths.data) };
  const now = { run: newest, proposals: waiting.length, open: open.length, firing: firing.length };
  const report = await gatherReport(sources);
  return overviewPage({ ...redactTexts(now, app.settings), report });
}

async function proposals(app: StateApp): Promise<WaitingBudgets> {
  return budgetsWaiting(app.state.db, await standing(app), { all: true, nowMs: app.clock.now() });
}

/** Every page begins with it. */
function standing(app: StateApp): Promise<Frozen | undefined> {
  return killSwitch(app, app.settings.paths.data).standing();
}

async function runs(app: StateApp, { query }: Query): Promise<string> {
  const { settings, clock } = app;
  const { db } = app.state;
  const wanted = query.get('before') ?? '';
  const before = isId(wanted) ? BigInt(wanted) : undefined;
  const found = await pastRuns(db, { before, limit: RUNS_MAX + 1 });
  const shown = found.slice(0, RUNS_MAX);
  const jobs = before === undefined ? jobFacts({ settings, clock }) : [];
  const olderThan = found.length > shown.length ? shown.at(-1)?.id : undefined;
  const frozen = await standing(app);
  return runsPage(redactTexts({ runs: shown, olderThan, isNewest: before === undefined, jobs, frozen }, settings));
}

async function run(app: StateApp, ids: AskedPage<'run'>['ids']): Promise<string | undefined> {
  const { settings } = app;
  const { db } = app.state;
  const id = BigInt(ids.id);
  const found = await pastRun(db, id);
  if (found === undefined) return undefined;
  const accounts = (await accountsInRun(db, id, LIST_MAX)).map(({ name, ...account }) => ({
    ...account,
    accountName: name,
    state: account.code === 'nothing_to_read' ? ('not_read' as const) : account.state,
  }));
  const decisions = await decisionsOfRun(db, id, LIST_MAX);
  const facts = { run: found, accounts, decisions, listMax: LIST_MAX, frozen: await standing(app) };
  return runPage(redactTexts(facts, settings));
}

async function coverageOf(app: StateApp, { query }: Query): Promise<string | undefined> {
  const nothing = { queries: [], customers: [], from: undefined, to: undefined };
  // What is asked for is what a page of ours called it, by which it is found again.
  const all = redactTexts(await coverage(app, nothing), app.settings);
  const frozen = redactTexts(await standing(app), app.settings);
  const name = query.get('query');
  const customer = query.get('customer');
  if (name === null || customer === null) return coveragePage({ accounts: all, chosen: undefined, frozen });
  const accounts = all.filter((account) => account.query === name && account.customerId === customer);
  return accounts.length === 0 ? undefined : coveragePage({ accounts, chosen: { query: name, customer }, frozen });
}

const PAGES_MAX = 10_000;

async function budgets(app: StateApp, { query }: Query): Promise<string> {
  const { settings } = app;
  const { db } = app.state;
  const wanted = Number(/^\d{1,5}$/.exec(query.get('page') ?? '')?.[0] ?? 1);
  const page = Math.min(Math.max(1, wanted), PAGES_MAX);
  const found = await changedBudgets(db, { limit: BUDGETS_MAX + 1, offset: (page - 1) * BUDGETS_MAX });
  const facts = {
    budgets: found.slice(0, BUDGETS_MAX),
    page,
    hasMore: found.length > BUDGETS_MAX,
    frozen: await standing(app),
  };
  return budgetsPage(redactTexts(facts, settings));
}

async function budget(app: StateApp, ids: AskedPage<'budget'>['ids']): Promise<string | undefined> {
  const { clock, settings } = app;
  const { db } = app.state;
  const customer = customerId(ids.customer);
  const id = budgetId(ids.budget);
  const accounts = (await allAccounts(db)).filter((account) => account.customerId === customer);
  const changes = (await intentsOfBudget(db, customer, id)).map(await showingChanges(db, accounts));
  const foreign = (await foreignChangesOf(db, { customers: [customer] }))
    .filter((change) => change.budgetId === id)
    .map(showingForeign(accounts));
  const proposals = await proposalsOfBudget(db, customer, id);
  const decided = [...changes, ...proposals];
  if (decided.length + foreign.length === 0) return undefined;
  const facts = {
    customerId: customer,
    budgetId: id,
    accountName: accounts[0]?.name,
    currency: accounts[0]?.currency ?? decided[0]?.currency,
    campaignName: decided.find((change) => change.campaignName !== undefined)?.campaignName,
    today: civilDateAt(clock.now(), 'UTC'),
    changes: changes.slice(0, LIST_MAX),
    foreign: foreign.slice(0, LIST_MAX),
    proposals: proposals.slice(0, LIST_MAX),
    listMax: LIST_MAX,
    frozen: await standing(app),
  };
  return budgetPage(redactTexts(facts, settings));
}
