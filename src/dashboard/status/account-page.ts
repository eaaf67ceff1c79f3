import { customerId as customerIdOf } from '../../domain/ids.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { listFiring } from '../../engine/tell/list-alerts.ts';
import { withPublished } from '../../engine/with-published.ts';
import { CUSTOMER } from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import { changeRows } from '../../storage/warehouse/publish/published-selects.ts';
import { FIRING_COLUMNS } from '../../views/alerts-list.ts';
import { budgetsWaiting, PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { COVERAGE_COLUMNS, lackedBy } from '../../views/coverage.ts';
import { html } from '../../views/html/html.ts';
import { emptyState, section } from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import { htmlSection, htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { KNOWN_BUDGET_COLUMNS } from '../../views/known-budgets.ts';
import { accountMonths } from '../../views/report/account-months.ts';
import { newestSettled } from '../../views/report/pace.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { namesOfBudgets } from '../report/budget-names.ts';
import { gatherReport } from '../report/gather-report.ts';
import { accountDetails } from '../report/report-account.ts';
import { changesSection } from '../report/report-decisions.ts';
import { accountFinding } from '../report/report-head.ts';
import { stateFrame } from './frame.ts';
import { gatherKnownBudgets } from './gather-known-budgets.ts';
import { chosenFilter, filterForm, filterQuery, readyRanges } from './page-filter.ts';
import { rangeSection } from './range-section.ts';

/** The page of budgets has all. */
const BUDGETS_SHOWN = 30;

/** Undefined for an unknown account. */
export async function accountPage(
  app: StateApp,
  id: string,
  query: URLSearchParams,
  role: Role,
): Promise<string | undefined> {
  const { db } = app.state;
  const customer = customerIdOf(id);
  const filter = await chosenFilter(app, query, customer);
  const report = await gatherReport(app, filter);
  const [account] = report.accounts;
  const seen = await withPublished(app, async (file) => {
    const isOwn = (one: { readonly customerId: string }) => one.customerId === customer;
    const known = (await knownAccount(db, customer)) ?? (await file?.accounts())?.find(isOwn);
    return (
      known && { known, found: await gatherKnownBudgets(app, file, { ...filter, offset: 0, limit: BUDGETS_SHOWN }) }
    );
  });
  if (seen === undefined) return undefined;
  const { known, found } = seen;
  const name = redactTexts(known.name, app.settings) ?? customer;
  const path = pathOf('account', { customer });
  const waiting = await budgetsWaiting(db, undefined, { customers: [customer], all: false, nowMs: app.clock.now() });
  const proposals = redactTexts(waiting.proposals.map(await namesOfBudgets(app)), app.settings);
  const firing = redactTexts(await listFiring(db), app.settings).filter(({ customerId }) => customerId === customer);
  const ranges = readyRanges(account && newestSettled(account.days));
  const missing = report.coverage.filter((one) => lackedBy(one) > 0);
  const own = { ...filter, customers: [] };
  return stateFrame(app, {
    path,
    title: name,
    heading: html`${aside(name)} <small>${customer}</small>`,
    kept: own,
    filter: filterForm({ path, filter: own, fields: ['days', 'compare', 'campaign'], accounts: [], ranges }),
    body: html`${account === undefined && emptyState(`No data of this account is published${filter.campaigns.length > 0 ? ' for these campaigns' : ''}.`, 'Run pacekeeper report.')}
${accountFinding(accountMonths(report), report)}
${htmlSection(path, 'Awaiting approval', 'Open proposals', ofOne(PROPOSAL_COLUMNS), proposals)}
${htmlSection(path, 'Firing', 'Conditions that were true at the last run', ofOne(FIRING_COLUMNS), firing)}
${proposals.length + firing.length > 0 && html`<p class="ways"><a href="${linkFrom(path, PAGES.inbox.path)}${filterQuery({ customers: [customer] })}">Inbox of the account</a></p>`}
${account && rangeSection(report, path)}
${section(
  'Budgets',
  found.budgets.length > 0 &&
    html`${htmlTable(sheetOf(ofOne(KNOWN_BUDGET_COLUMNS), found.budgets, 'people'), { caption: 'Last changed first. Spend of complete days', path })}<p class="ways">${found.sql && exploreLink(path, found.sql, 'SQL')}<a href="${linkFrom(path, PAGES.budgets.path)}${filterQuery(filter)}">All ${found.total} budgets of the account</a></p>`,
)}
${changesSection(report, { here: path, canUndo: may(role, 'undo') && report.frozen === undefined, more: html`<a href="${linkFrom(path, PAGES.log.path)}${filterQuery({ customers: [customer] })}">Change log of the account</a>${exploreLink(path, changeRows([customer]), 'SQL')}` })}
${htmlSection(
  path,
  'Missing days',
  'Tables with missing days',
  COVERAGE_COLUMNS.filter(({ key }) => key !== 'name'),
  missing,
)}
${account && section('Month, days and weekdays', accountDetails(account, report.budgetTables, report.range?.range))}`,
  });
}

const ofOne = <Row>(columns: readonly Column<Row>[]) => columns.filter(({ key }) => key !== CUSTOMER.key);
