import { formatMoney } from '../../domain/micros.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { withPublished } from '../../engine/with-published.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { html } from '../../views/html/html.ts';
import { emptyState, figures } from '../../views/html/parts.ts';
import { counted, rangeText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { KNOWN_BUDGET_COLUMNS } from '../../views/known-budgets.ts';
import { comparedWords } from '../../views/report/comparison.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { stateFrame } from './frame.ts';
import { type BudgetSum, gatherKnownBudgets } from './gather-known-budgets.ts';
import {
  chosenFilter,
  fileFormat,
  fileLinks,
  filterForm,
  filterQuery,
  isRestricted,
  readyRanges,
  shownFile,
} from './page-filter.ts';
import type { Download } from './page-source.ts';

const { path, title } = PAGES.budgets;

const BUDGETS_MAX = 100;
const PAGES_MAX = 10_000;
const CURRENCIES_MAX = 4;

export async function budgetsPage(app: StateApp, query: URLSearchParams): Promise<string | Download> {
  const format = fileFormat(query);
  const limit = format === undefined ? BUDGETS_MAX : BUDGETS_MAX * PAGES_MAX;
  const wanted = Number(/^\d{1,5}$/.exec(query.get('page') ?? '')?.[0] ?? 1);
  const page = Math.min(Math.max(1, wanted), PAGES_MAX);
  const filter = await chosenFilter(app, query);
  const offset = format === undefined ? (page - 1) * BUDGETS_MAX : 0;
  const { budgets, total, sums, range, sql, newest } = await withPublished(app, (file) =>
    gatherKnownBudgets(app, file, { ...filter, offset, limit }),
  );
  const table = sheetOf(KNOWN_BUDGET_COLUMNS, budgets, 'people');
  if (format !== undefined) return shownFile(format, 'budgets', table);
  const accounts = redactTexts(await allAccounts(app.state.db), app.settings);
  const link = (to: number, rel: string, words: string) =>
    html`<a href="${linkFrom(path, path)}${filterQuery(filter, { page: String(to) })}" rel="${rel}">${words}</a>`;
  const caption = `${counted(total, 'budget')}, last changed first. Spend of ${rangeText(range)}`;
  const isCompared = filter.comparison !== undefined && filter.comparison.kind !== 'none';
  const lacking = isCompared
    ? budgets.filter(({ spend, before }) => spend !== undefined && before === undefined).length
    : 0;
  const none = isRestricted(filter) ? 'No budget matches the filter.' : 'No budgets known yet.';
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: filterForm({
      path,
      filter,
      fields: ['days', 'compare', 'customer', 'campaign'],
      accounts,
      ranges: readyRanges(newest),
    }),
    body: html`${
      budgets.length > 0
        ? html`${figures(sums.slice(0, CURRENCIES_MAX).map(sumFigure))}<div class="card">${htmlTable(table, { caption, path })}<p class="note">Used: the spend of complete days as a share of the budgets in force on these days. On a day with a change, the highest amount counts.${filter.comparison && ` ${comparedWords(filter.comparison, range)}${lacking > 0 ? ` Not compared: ${counted(lacking, 'budget')} of this page, because days are missing.` : ''}`}</p></div>`
        : emptyState(total > 0 ? 'No such page.' : none)
    }
<p class="ways">${page > 1 && link(page - 1, 'prev', 'Previous')}${total > offset + BUDGETS_MAX && link(page + 1, 'next', 'Next')}${budgets.length > 0 && fileLinks(path, filter)}${sql && exploreLink(path, sql, 'SQL')}</p>`,
  });
}

function sumFigure({ currency, count, known, amount }: BudgetSum) {
  return {
    label: `Daily budgets${currency === undefined ? '' : `, ${currency}`}`,
    value: formatMoney(amount, currency),
    note: known < count ? `${known} of ${counted(count, 'budget')} have a known amount` : counted(count, 'budget'),
  };
}
