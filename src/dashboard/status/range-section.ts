import { addDays, type CivilDate, daysOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import { explorePath, linkFrom } from '../../domain/pages.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import type { Column } from '../../storage/columns/column.ts';
import { spendRows } from '../../storage/warehouse/publish/published-selects.ts';
import { dayChart, dayName } from '../../views/html/chart/day-chart.ts';
import type { Series } from '../../views/html/chart/plot.ts';
import { type Html, html } from '../../views/html/html.ts';
import { section } from '../../views/html/parts.ts';
import { counted, drawnMoney, rangeText, zoneWords } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { arrivingWords } from '../../views/report/arriving-words.ts';
import { comparedDay, comparedRange, comparedWords, lengthOf } from '../../views/report/comparison.ts';
import { referenceOf } from '../../views/report/decision-words.ts';
import {
  ACCOUNT_RANGE_COLUMNS,
  type AccountRange,
  CAMPAIGN_RANGE_COLUMNS,
  type CampaignRange,
} from '../../views/report/range-columns.ts';
import { notComparedWords, partialWords, rangeRows } from '../../views/report/range-rows.ts';
import type { AccountFacts, ReportFacts, ReportRange } from '../../views/report/report-facts.ts';
import { sqlLinks } from '../explore/explore-link.ts';
import { changeMark } from '../report/change-mark.ts';
import { filterQuery } from './page-filter.ts';

const CURRENCIES_MAX = 4;
const GREY = 3;

/** Figures of the range, a chart for each currency, and the campaigns with most spend. Undefined without a range. */
export function rangeSection(facts: ReportFacts, here: string): Html | undefined {
  const { range, table: query, accounts, accountsLeftOut } = facts;
  if (range === undefined) return undefined;
  const rowsPath = (customers: readonly CustomerId[]) =>
    query && explorePath(spendRows({ ...range, query, customers, range: range.range }));
  const { comparison } = range;
  const rows = rangeRows(accounts, range.range, comparison, rowsPath);
  const title = `Figures: ${rangeText(range.range)}`;
  if (rows.every(({ complete }) => complete === 0)) {
    return section(title, html`<p>No complete day of the chosen accounts and campaigns is in this range.</p>`);
  }
  const sums = rows.filter(({ customerId }) => customerId === undefined);
  const partial = partialWords(rows);
  const lacking = comparison && notComparedWords(rows);
  const against = comparison && comparedRange(comparison, range.range);
  const arriving = sumOfArriving(rows.map((row) => row.arriving));
  const currencies = [...Map.groupBy(accounts, (account) => account.currency)];
  const isWide = currencies.length === 1;
  const charts = currencies
    .slice(0, CURRENCIES_MAX)
    .map(([currency, own]) => spendChart(currency, own, facts, range, here));
  return section(
    title,
    html`<p class="note">Complete days only. ${zoneWords(accounts)} ${comparedWords(comparison, range.range)}${accountsLeftOut > 0 && ` ${counted(accountsLeftOut, 'account')} with fewer recent clicks ${accountsLeftOut === 1 ? 'is' : 'are'} not included.`}${arriving && ` ${arrivingWords(arriving)}`}</p>
${tooEarlyWords(rows, facts, range, here)}${partial && html`<p class="problem">${partial} The other days are not in these figures.</p>\n`}${lacking && html`<p class="note">${lacking}</p>\n`}${htmlTable(sheetOf(ACCOUNT_RANGE_COLUMNS, rows, 'people'), { caption: 'Figures by account', path: here, foot: sums.length })}
${query && html`<p class="ways">${sqlLinks(here, spendRows({ ...range, query, range: range.range }))}${against && html` ${sqlLinks(here, spendRows({ ...range, query, range: against }), ' of the compared days')}`}</p>`}
${isWide ? charts : html`<div class="charts">${charts}</div>`}
${topCampaigns(facts, range, rows, here)}`,
  );
}

/** Leads to the newest equally long range with comparable conversions if those of a range are still arriving. */
function tooEarlyWords(
  rows: readonly AccountRange[],
  { accounts }: ReportFacts,
  chosen: ReportRange,
  here: string,
): Html | false {
  const own = rows.filter(({ customerId }) => customerId !== undefined);
  const early = own.filter(({ before, convertedBefore }) => before && !convertedBefore);
  if (early.length === 0) return false;
  const whose = early.length < own.length && ` of ${counted(early.length, 'account')}`;
  const to = sumOfArriving(early.map(({ arriving }) => arriving))?.completeUntil;
  const compared = Math.max(...early.map(({ arrivingBefore }) => arrivingBefore));
  const length = lengthOf(chosen.range);
  const range = to && { from: addDays(to, 1 - length), to };
  const isComparable =
    range && rangeRows(accounts, range, chosen.comparison).some(({ convertedBefore }) => convertedBefore !== undefined);
  const words = length === 7 ? 'week is' : length === 1 ? 'day is' : `${length} days are`;
  return html`<p class="note">Too early to compare conversions${whose}.${compared > 0 && ` Those of ${counted(compared, 'compared day')} are still arriving.`}${isComparable && html` The newest comparable ${words} <a href="${linkFrom(here, here)}${filterQuery({ ...chosen, ...range })}">${rangeText(range)}</a>.`}</p>
`;
}

/**
 * A day is a gap in the line if one of the accounts is not complete. Days before an account’s first day do not count, but
 * on compared days, every account must be complete.
 */
function spendChart(
  currency: string | undefined,
  accounts: readonly AccountFacts[],
  { changes }: ReportFacts,
  { range, comparison }: ReportRange,
  here: string,
): Html {
  const dates = daysOf(range);
  const known = accounts.flatMap(({ days }) => {
    const first = days[0]?.date;
    return first === undefined ? [] : [{ first, byDate: new Map(days.map((day) => [day.date, day])) }];
  });
  const spend = dates.map((date) => {
    const own = known.filter(({ first }) => first <= date).map(({ byDate }) => byDate.get(date));
    const isComplete = own.length > 0 && own.every((day) => day?.state === 'settled');
    return isComplete ? sumOfKnown(own.map((day) => day?.costMicros)) : undefined;
  });
  const ids = new Set(accounts.map(({ customerId }) => customerId));
  const changed = Map.groupBy(
    changes.filter(({ customerId }) => ids.has(customerId)),
    ({ accountDay }) => accountDay,
  );
  const numbersOf = (date: CivilDate) => (changed.get(date) ?? []).flatMap((change) => referenceOf(change) ?? []);
  const marks = dates.flatMap((date, index) => {
    const own = changed.get(date);
    return own === undefined || spend[index] === undefined ? [] : changeMark(own, index, here);
  });
  const isChanged = dates.some((date) => changed.has(date));
  const until = dates.findLast((_, index) => spend[index] !== undefined);
  const against = comparison && until && comparedRange(comparison, range, until);
  const rows = dates.map((date, index): SpendDay => {
    const place = { date, spend: spend[index], currency, changes: numbersOf(date) };
    const day = against && date <= until ? comparedDay(comparison, range, against, date) : undefined;
    if (day === undefined) return place;
    const own = known.map(({ byDate }) => byDate.get(day));
    const isComplete = own.every((one) => one?.state === 'settled');
    return { ...place, day, before: isComplete ? sumOfKnown(own.map((one) => one?.costMicros)) : undefined };
  });
  const line = comparedLine(rows, currency);
  return dayChart({
    title: `Spend per day${currency === undefined ? '' : `, ${currency}`}`,
    summary: `Complete days.${line && against ? ` Dashed: ${comparedShare(rows, lengthOf(against))}.` : ''}${marks.length > 0 ? ' Rings mark budget changes.' : isChanged ? '' : ' No budget changed.'}`,
    unit: '',
    x: dates,
    series: [{ name: 'Spend', ...drawnMoney(spend, currency), marks }, ...(line ? [line] : [])],
    table: htmlTable(sheetOf(DAY_COLUMNS, rows, 'people'), { caption: 'Spend per day' }),
  });
}

/** Undefined without a value. */
function comparedLine(rows: readonly SpendDay[], currency: string | undefined): Series | undefined {
  const spend = rows.map(({ before }) => before);
  if (spend.every((amount) => amount === undefined)) return undefined;
  return {
    name: 'Compared days',
    ...drawnMoney(spend, currency),
    tips: rows.map(({ day }) => day && `on ${dayName(day, true)}`),
    dashed: true,
    colour: GREY,
  };
}

/** A longer compared range has no places for all of its days. */
function comparedShare(rows: readonly SpendDay[], length: number): string {
  const shown = new Set(rows.flatMap(({ day }) => day ?? [])).size;
  return shown < length ? `${shown} of ${length} compared days` : 'the compared days';
}

interface SpendDay {
  readonly date: CivilDate;
  readonly spend: bigint | undefined;
  readonly currency: string | undefined;
  readonly changes: readonly string[];
  readonly day?: CivilDate;
  readonly before?: bigint | undefined;
}

const DAY_COLUMNS: readonly Column<SpendDay>[] = [
  onPage.day('Day', 'date'),
  onPage.money('Spend', 'spend', { rounded: true }),
  onPage.day('Compared day', 'day'),
  onPage.money('Compared spend', 'before', { rounded: true }),
  onPage.list('Budget changes', 'changes'),
];

function topCampaigns(
  { accounts, table: query }: ReportFacts,
  { top, topSql, range }: ReportRange,
  figures: readonly AccountRange[],
  here: string,
): Html {
  const byId = new Map(accounts.map((account) => [account.customerId, account]));
  const ofAccount = new Map(figures.map((row) => [row.customerId, row]));
  const rows = top.map((sums): CampaignRange => {
    const { customerId, campaignId, name } = sums;
    const account = byId.get(customerId);
    const { complete = 0, convertedDays = 0 } = ofAccount.get(customerId) ?? {};
    const until = account?.lag?.completeUntil;
    return {
      ...sums,
      complete,
      convertedDays,
      isDetailed: true,
      accountName: account?.name,
      campaign: name ?? `campaign ${campaignId}`,
      budget: budgetOf(account, campaignId),
      ratesUntil: until !== undefined && until < range.to ? until : undefined,
      currency: account?.currency,
      rowsPath: query && explorePath(spendRows({ query, range, customers: [customerId], campaigns: [campaignId] })),
    };
  });
  const isOne = accounts.length === 1;
  const columns = CAMPAIGN_RANGE_COLUMNS.filter(({ title }) => !isOne || title !== 'Account');
  const isOneCurrency = new Set(accounts.map(({ currency }) => currency)).size < 2;
  return html`<h3>Top campaigns</h3>
${htmlTable(sheetOf(columns, rows, 'people'), { caption: `Campaigns with most ${isOneCurrency ? 'spend' : 'clicks'}`, path: here, none: 'none with rows.' })}
${topSql && html`<p class="ways">${sqlLinks(here, topSql)}</p>`}`;
}

function budgetOf(account: AccountFacts | undefined, campaign: string): bigint | undefined {
  const budget = account?.campaigns?.find(({ campaignId }) => campaignId === campaign)?.budget;
  return budget?.count === 1 ? budget.dailyMicros : undefined;
}
