import { isMade } from '../../domain/budget-change.ts';
import { type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import {
  type BudgetId,
  budgetId as budgetIdOf,
  type CustomerId,
  customerId as customerIdOf,
} from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { withPublished } from '../../engine/with-published.ts';
import {
  CHANGE,
  CUSTOMER,
  type ShownChange,
  type ShownProposal,
  SUBJECT,
  UPDATED_AT,
} from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { proposalsOfBudget } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { changeRows } from '../../storage/warehouse/publish/published-selects.ts';
import { type BudgetChanges, OF_ONE_BUDGET, shownProposals } from '../../views/budgets-history.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, budgetName, figures, line, section } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { costText, rangeText, shareText, shortDay, zoneWords } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import type { Part } from '../../views/kit/listing.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { joinedSheet, sheetOf } from '../../views/kit/sheet.ts';
import { type KnownBudget, usedShare } from '../../views/known-budgets.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { actPath, HELD } from '../inbox/acts.ts';
import { budgetHistory, CHANGES_MAX, changesOfBudget, PLACES_MAX } from './budget-history.ts';
import { standing, stateFrame } from './frame.ts';
import { gatherKnownBudgets } from './gather-known-budgets.ts';
import {
  fileFormat,
  fileLinks,
  filterForm,
  filterQuery,
  type PageFilter,
  readFilter,
  readyRanges,
  shownFile,
} from './page-filter.ts';
import type { Download } from './page-source.ts';

export async function budgetPage(
  app: StateApp,
  ids: { readonly customer: string; readonly budget: string },
  query: URLSearchParams,
  role: Role,
): Promise<string | Download | undefined> {
  const filter = readFilter(query);
  const found = await factsOf(app, customerIdOf(ids.customer), budgetIdOf(ids.budget), filter);
  if (found === undefined) return undefined;
  const { changes, foreign, proposals } = redactTexts(
    { changes: found.changes, foreign: found.foreign, proposals: found.proposals },
    app.settings,
  );
  const rejections = proposals.filter(({ state }) => state === 'rejected');
  const budget = { ...found, changes, foreign, proposals, rejections };
  const { customerId, budgetId, accountName, currency, amount, source, amountPath, spendPath, range } = budget;
  const { available, spend, campaigns } = budget;
  const isFrozen = (await standing(app)) !== undefined;
  const historyOf = (reader: Role) => joinedSheet({ parts: historyParts(reader, isFrozen) }, budget, 'people');
  // A file has no acts.
  const format = fileFormat(query);
  if (format !== undefined) return shownFile(format, `budget-${budgetId}`, historyOf('viewer'));
  const name = budgetName(budget);
  const path = pathOf('budget', { customer: customerId, budget: budgetId });
  const used = shareText(usedShare({ spend, available }));
  const rowsLink = (to: string | undefined, words: string | undefined) =>
    to === undefined || words === undefined ? words : html`<a href="${linkFrom(path, to)}">${words}</a>`;
  const daily = rowsLink(amountPath, amount === undefined ? undefined : formatMoney(amount, currency));
  const spent = rowsLink(spendPath, costText(spend, currency));
  return stateFrame(app, {
    path,
    title: name,
    filter: filterForm({ path, filter, fields: ['days'], accounts: [], ranges: readyRanges(budget.newest) }),
    body: html`<p class="scope">${account(customerId, accountName, path)} · budget ${budgetId}${campaigns.length > 0 && html` · ${campaigns.length > 1 ? 'campaigns' : 'campaign'} ${sharedBy(budget, path)}`}</p>
${figures([
  { label: 'Now, a day', value: daily, note: amount === undefined ? undefined : `from ${source}` },
  { label: `Spend, ${rangeText(range)}`, value: spent, note: used && `${used} of the budgets of these days` },
])}
<p class="note">${zoneWords(budget.accounts)}</p>
<div class="card">${budgetHistory(budget, filter)}</div>
${section(
  'History',
  changes.length + foreign.length + rejections.length > 0 &&
    html`${htmlTable(historyOf(role), { caption: 'Newest first, including changes by others', path })}
<p class="ways">${fileLinks(path, filter)}${exploreLink(path, changeRows([customerId], budgetId), 'SQL')}</p>
${Math.max(changes.length, foreign.length) >= CHANGES_MAX && html`<p class="note">Only the newest ${CHANGES_MAX} are shown.</p>`}`,
)}
${section('Proposals', proposals.length > 0 && proposalTable(proposals, path))}
<p class="ways"><a href="${linkFrom(path, PAGES.budgets.path)}">All budgets</a><a href="${linkFrom(path, PAGES.log.path)}${filterQuery({ customers: [customerId] })}">Change log of the account</a></p>`,
  });
}

const CAMPAIGNS_MAX = 20;

/** The campaigns that use the budget, with links. */
export function sharedBy(
  { customerId: customer, campaigns, campaignNames }: Pick<KnownBudget, 'customerId' | 'campaigns' | 'campaignNames'>,
  path: string,
): Html {
  const more = campaigns.length - CAMPAIGNS_MAX;
  const shown = campaigns.slice(0, CAMPAIGNS_MAX).map((campaign, index) => {
    const href = linkFrom(path, pathOf('campaign', { customer, campaign }));
    return html`${index > 0 && ', '}<a href="${href}">${named(line(campaignNames[index]))}</a>`;
  });
  return html`${shown}${more > 0 && ` and ${more} more`}`;
}

const RUN = onPage.id('Run', ({ runId }: ShownChange) => runId, {
  link: ({ runId }) => (runId === undefined ? undefined : pathOf('run', { id: runId })),
});

/** The history, with a link to each run, and to the undo page for people who may act now. */
function historyParts(role: Role, isFrozen: boolean): Part<BudgetChanges>[] {
  const isOpen = (change: ShownChange) => may(role, 'undo') && isMade(change) && change.undoneBy === undefined;
  const words = isFrozen ? `Undo: ${HELD}` : 'Undo';
  const undo = onPage.text('Act', (change: ShownChange) => (isOpen(change) ? words : undefined), {
    link: (change) => (isFrozen ? undefined : actPath({ act: 'undo', on: `B${change.id}` })),
    importance: 3,
  });
  const more = [RUN, undo] as readonly Column<unknown>[];
  return OF_ONE_BUDGET.map((part) =>
    part.json === 'changes' ? { ...part, columns: [...part.columns.map(anchored), ...more] } : part,
  );
}

/** The marks of the chart lead to the rows. An account's day can be another one than in UTC. */
function anchored(column: Column<unknown>): Column<unknown> {
  if (column.key === UPDATED_AT.key) {
    const note = ({ accountDay, updatedAt }: ShownChange) =>
      updatedAt.startsWith(accountDay) ? undefined : `${shortDay(accountDay)} in the account`;
    return { ...column, note } as Column<unknown>;
  }
  if (column.key !== CHANGE.key) return column;
  const page = ({ id }: ShownChange) => html`<span id="B${id}">B${id}</span>`;
  return { ...column, page } as Column<unknown>;
}

function factsOf(app: StateApp, customerId: CustomerId, budgetId: BudgetId, filter: PageFilter) {
  const { db } = app.state;
  return withPublished(app, async (file) => {
    const wanted = { ...filter, customers: [customerId], campaigns: [], budget: budgetId, offset: 0, limit: 1 };
    const { budgets, range, newest, query } = await gatherKnownBudgets(app, file, wanted);
    const [known] = budgets;
    if (known === undefined) return undefined;
    const accounts = (await allAccounts(db)).filter((account) => account.customerId === customerId);
    const { changes, foreign } = await changesOfBudget(db, accounts, customerId, budgetId);
    const proposals = await shownProposals(db, accounts, await proposalsOfBudget(db, customerId, budgetId));
    return {
      ...known,
      accounts,
      range,
      newest,
      currency: known.currency ?? [...changes, ...proposals][0]?.currency,
      today: civilDateAt(app.clock.now(), 'UTC'),
      title: 'Daily budget',
      changes,
      foreign,
      proposals: proposals.slice(0, CHANGES_MAX),
      spendByDay:
        file && query !== undefined && known.spend !== undefined ? await spendPerDay(file, query, known) : new Map(),
    };
  });
}

/** Complete days of the last 13 months. A complete day without rows counts as 0. */
async function spendPerDay(
  file: PublishedData,
  query: string,
  { customerId, campaigns }: Pick<KnownBudget, 'customerId' | 'campaigns'>,
): Promise<ReadonlyMap<CivilDate, bigint | undefined>> {
  const states = await file.dayStates(query, customerId, EVER);
  const sums = await file.daysOfCampaigns(query, customerId, campaigns, EVER, END);
  const spent = new Map(sums.map(({ date, costMicros }) => [date, costMicros]));
  const settled = [...states].flatMap(([date, { state }]) => (state === 'settled' ? date : [])).slice(-PLACES_MAX);
  return new Map(settled.map((date) => [date, spent.has(date) ? spent.get(date) : 0n]));
}

const EVER = civilDate('1970-01-01');
const END = civilDate('9999-12-31');

function proposalTable(proposals: readonly ShownProposal[], path: string): Html {
  const columns = PROPOSAL_COLUMNS.filter(({ key }) => key !== SUBJECT.key && key !== CUSTOMER.key);
  return html`${htmlTable(sheetOf(columns, proposals, 'people'), { caption: 'Newest first', path })}<p class="ways"><a href="${linkFrom(path, PAGES.inbox.path)}">Inbox</a></p>`;
}
