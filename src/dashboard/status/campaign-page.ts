import { civilDateAt, minuteText } from '../../domain/civil-date.ts';
import {
  type CampaignId,
  type CustomerId,
  campaignId as campaignIdOf,
  customerId as customerIdOf,
} from '../../domain/ids.ts';
import { explorePath, linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { openProposals } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { changeRows, spendRows } from '../../storage/warehouse/publish/published-selects.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import {
  account as accountLink,
  emptyState,
  facts as factList,
  figures,
  line,
  section,
} from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import {
  amountText,
  costText,
  counted,
  numberText,
  rangeText,
  shareText,
  shortDay,
  zoneWords,
} from '../../views/html/wording.ts';
import { cellText } from '../../views/kit/cells.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { type KnownBudget, lastBy, usedShare } from '../../views/known-budgets.ts';
import { arrivingWords, numberWords } from '../../views/report/arriving-words.ts';
import { comparedWords } from '../../views/report/comparison.ts';
import { newestSettled } from '../../views/report/pace.ts';
import { ACCOUNT_RANGE_COLUMNS, type AccountRange } from '../../views/report/range-columns.ts';
import { partialWords, rangeRows } from '../../views/report/range-rows.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { CONVERSIONS, CPA, ROAS, SPEND, VALUE } from '../../views/report/sum-columns.ts';
import { exploreLink, sqlLinks } from '../explore/explore-link.ts';
import { gatherReport } from '../report/gather-report.ts';
import { changesSection } from '../report/report-decisions.ts';
import { budgetHistory, changesOfBudget } from './budget-history.ts';
import { sharedBy } from './budget-page.ts';
import { rulesSection } from './campaign-rules.ts';
import { textsSections } from './campaign-texts.ts';
import { stateFrame } from './frame.ts';
import { gatherKnownBudgets } from './gather-known-budgets.ts';
import { filterForm, readFilter, readyRanges } from './page-filter.ts';

/** Undefined for an unknown campaign. */
export async function campaignPage(
  app: StateApp,
  ids: { readonly customer: string; readonly campaign: string },
  query: URLSearchParams,
  role: Role,
): Promise<string | undefined> {
  const customer = customerIdOf(ids.customer);
  const campaign = campaignIdOf(ids.campaign);
  const filter = { ...readFilter(query), customers: [customer], campaigns: [campaign] };
  const published = warehousePath(app.settings.paths.data);
  const report = await gatherReport(app, filter);
  const file = await app.state.warehouse.openPublished(published);
  try {
    const found = await factsOf(app, file, report, { customer, campaign });
    if (found === undefined) return undefined;
    const { name, accountName, budget, seen, account, row, rows, range } = found;
    const path = pathOf('campaign', { customer, campaign });
    const own = { ...filter, customers: [], campaigns: [] };
    const isKnown = account !== undefined && row !== undefined && row.complete > 0;
    return await stateFrame(app, {
      path,
      title: name,
      heading: html`${aside(line(name))} <small>${campaign}</small>`,
      kept: { ...own, customers: [customer] },
      filter: filterForm({
        path,
        filter: own,
        fields: ['days', 'compare'],
        accounts: [],
        ranges: readyRanges(account && newestSettled(account.days)),
      }),
      body: html`<p class="scope">${accountLink(customer, accountName, path)}${seen?.status !== undefined && html` · status ${line(seen.status.toLowerCase())}`}${seen && ` · newest row of ${seen.lastSeen}`}</p>
${finding(found, path)}
${isKnown ? figuresOf(found, row, path) : emptyState('No complete day of this campaign is in this range.', 'Choose other days, or run pacekeeper report.')}
<div class="answer"><article>${await spendChart(app, found, path)}
${isKnown && conversionsChart(found, account)}</article>
<div>${await rulesSection(app, report, { customer, campaign, name, budget })}
${section('Budget', budgetBox(budget, path))}</div></div>
${file && (await textsSections(app, file, { customer, campaign, range, currency: row?.currency }, path))}
${changesSection(report, { here: path, canUndo: may(role, 'undo') && report.frozen === undefined, more: exploreLink(path, changeRows([customer], budget?.budgetId), 'SQL') })}
${rows && html`<p class="ways">${sqlLinks(path, rows)}</p>`}`,
    });
  } finally {
    file?.close();
  }
}

type CampaignFacts = NonNullable<Awaited<ReturnType<typeof factsOf>>>;

async function factsOf(
  app: StateApp,
  file: PublishedData | undefined,
  report: ReportFacts,
  { customer, campaign }: { readonly customer: CustomerId; readonly campaign: CampaignId },
) {
  const { db } = app.state;
  const [account] = report.accounts;
  const range = report.range?.range;
  const seen = (await file?.campaigns([campaign]))?.find(({ customerId }) => customerId === customer);
  const only = { customers: [customer], campaigns: [campaign] };
  const wanted = { ...only, from: range?.from, to: range?.to, offset: 0, limit: BUDGETS_READ };
  const { budgets } = await gatherKnownBudgets(app, file, wanted);
  const budget = budgets.find(({ amount }) => amount !== undefined) ?? budgets[0];
  const decided = [...report.lastDecisions, ...report.decisions, ...report.changes].find(
    (one) => one.campaignId === campaign,
  );
  if (range === undefined || (seen ?? budget ?? decided) === undefined) return undefined;
  const rows = report.table && spendRows({ ...only, query: report.table, range });
  const open = await openProposals(db, app.clock.now());
  const known = (await allAccounts(db)).find((one) => one.customerId === customer);
  return {
    ...redactTexts(
      {
        name: seen?.name ?? budget?.campaignName ?? decided?.campaignName ?? `campaign ${campaign}`,
        accountName: account?.name ?? known?.name,
        seen,
      },
      app.settings,
    ),
    customer,
    range,
    isChosen: report.range?.isChosen === true,
    comparison: report.range?.comparison,
    account,
    budget,
    row: account && rangeRows([account], range, report.range?.comparison, () => rows && explorePath(rows))[0],
    rows,
    shares:
      report.table === undefined ? undefined : await file?.impressionShares({ ...only, query: report.table, range }),
    waiting: open.find((one) => one.customerId === customer && one.budgetId === budget?.budgetId),
  };
}

/** A campaign uses one budget at a time. Earlier ones are on record with their changes. */
const BUDGETS_READ = 10;

/** Smaller losses are usual. */
const LOST_NOTABLE = 0.1;
const USED_UP = 0.95;

/** A request to a person, then lost impressions, then spend without a result. Without such facts there is no sentence. */
function finding({ waiting, shares, budget, row }: CampaignFacts, path: string): Html {
  const inbox = linkFrom(path, PAGES.inbox.path);
  const used = budget && usedShare(budget);
  const spent = used !== undefined && used >= USED_UP && `It spent ${shareText(used)} of its budget. `;
  const { converted, convertedDays = 0, currency } = row ?? {};
  const sentences = [
    waiting &&
      html`A change from ${amountText(waiting.from, waiting.currency)} to <strong>${amountText(waiting.to, waiting.currency)}</strong> a day <a href="${inbox}">awaits approval</a>. `,
    shares?.lost !== undefined &&
      shares.lost >= LOST_NOTABLE &&
      html`<strong>${shareText(shares.lost)}</strong> of the possible impressions in search were lost to the budget. ${spent}`,
    converted?.conversions === 0 &&
      (converted.costMicros ?? 0n) > 0n &&
      html`<strong>${costText(converted.costMicros, currency)}</strong> in ${counted(convertedDays, 'day')} brought no conversion.`,
  ].filter((one) => one !== false && one !== undefined);
  return html`${
    sentences.length > 0 &&
    html`<p class="find" data-section="finding">${sentences}</p>
`
  }${
    row?.arriving &&
    html`<p class="scope">${arrivingWords(row.arriving)}</p>
`
  }`;
}

const FIGURES = [SPEND, CONVERSIONS, CPA, VALUE, ROAS];

/** Each with its change, from the columns of the figures of an account. */
function figuresOf({ shares, range, comparison, account }: CampaignFacts, row: AccountRange, path: string): Html {
  const cells = sheetOf(ACCOUNT_RANGE_COLUMNS, [row], 'people').rows.flat();
  const textOf = (title: string) => {
    const text = cellText(cells.find((cell) => cell?.column.title?.toLowerCase() === title.toLowerCase()));
    return text === '' ? undefined : text;
  };
  const ratesUntil = row.arriving?.completeUntil;
  const partial = partialWords([row]);
  const shown = FIGURES.map(({ title = '', link }) => {
    const isRate = title === CPA.title || title === ROAS.title;
    const until = isRate && ratesUntil !== undefined && `, to ${shortDay(ratesUntil)}`;
    const soFar =
      title === CONVERSIONS.title && row.arriving && `${numberWords(row.arriving.soFar)} on days still arriving`;
    const notes = [textOf(`Change of ${title}`), soFar].filter((note) => note !== undefined && note !== false);
    const text = textOf(title);
    const rows = link?.(row);
    const value = text !== undefined && rows !== undefined ? html`<a href="${linkFrom(path, rows)}">${text}</a>` : text;
    return { label: `${title}${until || ''}`, value, note: notes.join(' · ') };
  });
  const lost = shareText(shares?.lost);
  const share = {
    label: 'Impression share, search',
    value: shareText(shares?.shown),
    note: lost && `${lost} lost to the budget`,
  };
  return html`${figures([...shown, share])}<p class="note">${rangeText(range)}, complete days only. ${zoneWords(account && [account])} ${comparedWords(comparison, range)}</p>
${partial && html`<p class="problem">${partial} The other days are not in these figures.</p>\n`}`;
}

/** Until today, because a change of today has no complete day yet. */
async function spendChart(app: StateApp, facts: CampaignFacts, path: string): Promise<Html | undefined> {
  const { customer, budget, account, range, isChosen, row } = facts;
  const { db } = app.state;
  const days = account?.days.filter(({ state }) => state === 'settled') ?? [];
  if (budget === undefined && days.length === 0) return undefined;
  const accounts = (await allAccounts(db)).filter((one) => one.customerId === customer);
  const none = { changes: [], foreign: [] };
  const made = budget === undefined ? none : await changesOfBudget(db, accounts, customer, budget.budgetId);
  const campaigns = budget?.campaigns.length ?? 0;
  const course = {
    ...redactTexts(made, app.settings),
    title: `Spend${budget === undefined ? '' : ' and daily budget'}${campaigns > 1 ? `, which ${campaigns} campaigns share` : ''}`,
    currency: row?.currency ?? budget?.currency,
    today: civilDateAt(app.clock.now(), 'UTC'),
    amount: budget?.amount,
    spendByDay: new Map(days.map(({ date, costMicros }) => [date, costMicros])),
    rowsAt: budget && linkFrom(path, budgetPath(budget)),
  };
  return html`<div class="card">${budgetHistory(course, { from: range.from, to: isChosen ? range.to : undefined })}</div>`;
}

function conversionsChart({ range }: CampaignFacts, { days, lag }: AccountFacts): Html | undefined {
  const own = days.filter(({ date }) => date >= range.from && date <= range.to);
  const values = own.map(({ state, conversions }) => (state === 'settled' ? conversions : undefined));
  if (values.every((value) => value === undefined)) return undefined;
  const until = lag?.completeUntil;
  const paleFrom = own.findLastIndex(({ date }) => lag === undefined || (until !== undefined && date <= until));
  const isPale = paleFrom < own.length - 1;
  return html`<div class="card">${dayChart({
    title: 'Conversions per day',
    summary: `Complete days.${isPale ? ' Conversions of the pale days are still arriving.' : ''}`,
    unit: '',
    x: own.map(({ date }) => date),
    series: [{ name: 'Conversions', values, texts: values.map(numberText), paleFrom }],
  })}</div>`;
}

function budgetBox(budget: KnownBudget | undefined, path: string): Html {
  if (budget === undefined) return html`<p class="none">No budget of this campaign is known.</p>`;
  const { amount, currency, last, source, campaigns } = budget;
  const href = linkFrom(path, budgetPath(budget));
  const now = amountText(amount, currency);
  return factList([
    ['In force', html`<a href="${href}">${now === undefined ? 'The amount is unknown' : `${now} a day`}</a>`],
    ['From', source],
    ['Used', shareText(usedShare(budget))],
    ['Shared by', campaigns.length > 1 ? sharedBy(budget, path) : undefined],
    ['Last change', last && `${lastBy(last)}, ${minuteText(last.at)}`],
  ]);
}

const budgetPath = ({ customerId, budgetId }: KnownBudget) =>
  pathOf('budget', { customer: customerId, budget: budgetId });
