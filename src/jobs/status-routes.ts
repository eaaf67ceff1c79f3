import type { StateApp } from '../app.ts';
import { killSwitch } from '../budgets/kill-switch.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import type { Frozen } from '../domain/frozen.ts';
import { type BudgetId, budgetId, type CustomerId, customerId, isId } from '../domain/ids.ts';
import { alertsPage } from '../page/status/alerts-page.ts';
import { budgetPage } from '../page/status/budget-page.ts';
import { budgetsPage } from '../page/status/budgets-page.ts';
import { coveragePage } from '../page/status/coverage-page.ts';
import { proposalsPage } from '../page/status/proposals-page.ts';
import { runPage } from '../page/status/run-page.ts';
import { runsPage } from '../page/status/runs-page.ts';
import { allAccounts } from '../store/account-table.ts';
import { changedBudgets } from '../store/changed-budgets.ts';
import { decisionsOfRun } from '../store/decision-table.ts';
import { foreignChangesOf } from '../store/foreign-change-table.ts';
import { intentsOfBudget } from '../store/intent-table.ts';
import { proposalsOfBudget } from '../store/proposal-table.ts';
import { accountsInRun, pastRun, pastRuns } from '../store/run-history.ts';
import { showingChanges, showingForeign } from '../views/budgets-history.ts';
import { budgetsWaiting, type WaitingBudgets } from '../views/budgets-list.ts';
import { coverage } from './coverage.ts';
import { listAlerts } from './list-alerts.ts';
import { redactTexts } from './redact-texts.ts';
import { jobFacts } from './schedule-facts.ts';
import { overview } from './status-overview.ts';

/** Makes a page of the databases; undefined where there is nothing of that name. What is asked for may be anything. */
export type PageMaker = (app: StateApp, query: URLSearchParams) => Promise<string | undefined>;

const RUNS_MAX = 50;
const BUDGETS_MAX = 100;
const LIST_MAX = 500;

const PAGES: Readonly<Record<string, PageMaker>> = {
  '/': overview,
  '/proposals': async (app) => proposalsPage(redactTexts(await proposals(app), app.settings)),
  '/runs': runs,
  '/coverage': coverageOf,
  '/budgets': budgets,
  '/alerts': async (app) =>
    alertsPage(redactTexts({ ...(await listAlerts(app, true)), frozen: await standing(app) }, app.settings)),
};

/** Who makes the page of that path; undefined where there is none. */
export function pageMakerOf(path: string): PageMaker | undefined {
  if (Object.hasOwn(PAGES, path)) return PAGES[path];
  const run = /^\/runs\/([^/]+)$/.exec(path)?.[1];
  if (run !== undefined && isId(run)) return (app) => oneRun(app, BigInt(run));
  const [, customer = '', budget = ''] = /^\/budgets\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (isId(customer) && isId(budget)) return (app) => oneBudget(app, customerId(customer), budgetId(budget));
  return undefined;
}

async function proposals(app: StateApp): Promise<WaitingBudgets> {
  return budgetsWaiting(app.state.db, await standing(app), { all: true, nowMs: app.clock.now() });
}

/** Every page begins with it. */
function standing(app: StateApp): Promise<Frozen | undefined> {
  return killSwitch(app, app.settings.paths.data).standing();
}

async function runs(app: StateApp, query: URLSearchParams): Promise<string> {
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

async function oneRun(app: StateApp, id: bigint): Promise<string | undefined> {
  const { settings } = app;
  const { db } = app.state;
  const run = await pastRun(db, id);
  if (run === undefined) return undefined;
  const accounts = (await accountsInRun(db, id, LIST_MAX)).map(({ name, ...account }) => ({
    ...account,
    accountName: name,
    state: account.code === 'nothing_to_read' ? ('not_read' as const) : account.state,
  }));
  const decisions = await decisionsOfRun(db, id, LIST_MAX);
  const facts = { run, accounts, decisions, listMax: LIST_MAX, frozen: await standing(app) };
  return runPage(redactTexts(facts, settings));
}

async function coverageOf(app: StateApp, query: URLSearchParams): Promise<string | undefined> {
  const nothing = { queries: [], customers: [], from: undefined, to: undefined };
  // What is asked for is what a page of ours called it, by which it is found again.
  const all = redactTexts(await coverage(app, nothing), app.settings);
  const frozen = redactTexts(await standing(app), app.settings);
  const [name, customer] = [query.get('query'), query.get('customer')];
  if (name === null || customer === null) return coveragePage({ accounts: all, chosen: undefined, frozen });
  const accounts = all.filter((account) => account.query === name && account.customerId === customer);
  return accounts.length === 0 ? undefined : coveragePage({ accounts, chosen: { query: name, customer }, frozen });
}

const PAGES_MAX = 10_000;

async function budgets(app: StateApp, query: URLSearchParams): Promise<string> {
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

async function oneBudget(app: StateApp, customer: CustomerId, budget: BudgetId): Promise<string | undefined> {
  const { clock, settings } = app;
  const { db } = app.state;
  const accounts = (await allAccounts(db)).filter(({ customerId: id }) => id === customer);
  const changes = (await intentsOfBudget(db, customer, budget)).map(await showingChanges(db, accounts));
  const foreign = (await foreignChangesOf(db, { customers: [customer] }))
    .filter(({ budgetId: id }) => id === budget)
    .map(showingForeign(accounts));
  const proposals = await proposalsOfBudget(db, customer, budget);
  const decided = [...changes, ...proposals];
  if (decided.length + foreign.length === 0) return undefined;
  const facts = {
    customerId: customer,
    budgetId: budget,
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
