import type { DayState } from '../../domain/complete-days.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { coverage, coverageByQuery } from '../../engine/read/coverage.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { DAY_MARKS } from '../../storage/columns/state-words.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import {
  type AccountCoverage,
  correctedWords,
  FAILED_READ_COLUMNS,
  GAP_COLUMNS,
  gapsOf,
} from '../../views/coverage.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState, instant, line } from '../../views/html/parts.ts';
import { counted, zoneWords } from '../../views/html/wording.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { monthsOf } from '../../views/report/render-coverage.ts';
import { QUERY_COVERAGE_COLUMNS } from '../../views/status.ts';
import { sqlLinks } from '../explore/explore-link.ts';
import { stateFrame } from './frame.ts';
import { filterForm, isChosen, isRestricted, readFilter } from './page-filter.ts';

const { path, title } = PAGES.coverage;

const ROWS_MAX = 500;
const MISSING_DAYS = "SELECT * FROM account_day WHERE state = 'missing' ORDER BY query, customer_id, date";

export async function coveragePage(app: StateApp, asked: URLSearchParams): Promise<string | undefined> {
  const query = asked.get('query') ?? undefined;
  const customer = asked.get('customer') ?? '';
  return query === undefined || customer === '' ? gapsPage(app, asked, query) : calendarPage(app, query, customer);
}

/** Shows only missing days. The calendar of an account shows all its days. One filter narrows all that it says. */
async function gapsPage(app: StateApp, asked: URLSearchParams, query: string | undefined): Promise<string | undefined> {
  const filter = readFilter(asked);
  const { from, to } = filter;
  const facts = {
    all: await coverage(app, { queries: [], customers: [], from, to }),
    accounts: await allAccounts(app.state.db),
  };
  const { all, accounts } = redactTexts(facts, app.settings);
  const ofQuery = all.filter((one) => query === undefined || one.query === query);
  if (query !== undefined && ofQuery.length === 0) return undefined;
  const chosen = ofQuery.filter(({ customerId }) => isChosen(filter, customerId));
  const gaps = gapsOf(chosen);
  const failed = chosen.filter(({ lastRead }) => lastRead.failure !== undefined);
  const more = gaps.length - ROWS_MAX;
  const unread = new Set(
    chosen.filter(({ lastRead }) => lastRead.at === undefined).map(({ customerId }) => customerId),
  );
  const never = unread.size > 0 && ` Never read, at least in one table: ${counted(unread.size, 'account')}.`;
  const none =
    all.length === 0
      ? emptyState('No days read yet.', html`Run <code>pacekeeper extract</code>.`)
      : chosen.length > 0 && html`<p class="find">No day is missing.${never}</p>`;
  return stateFrame(app, {
    path,
    title,
    kept: filter,
    filter: filterForm({ path, filter, fields: ['days', 'customer'], accounts }),
    body: html`<p class="scope">${zoneWords(accounts.filter(({ customerId }) => isChosen(filter, customerId)))}</p>${query !== undefined && html`<p>Only the table <code>${query}</code>. <a href="${linkFrom(path, path)}">All tables</a></p>`}${htmlSection(path, 'Missing days', 'Longest gaps first', GAP_COLUMNS, gaps.slice(0, ROWS_MAX)) ?? none}
${gaps.length > 0 && html`<p class="ways">${sqlLinks(path, MISSING_DAYS, ': missing days')}</p>`}
${more > 0 && html`<p class="note">And ${more} more gaps. Run <code>pacekeeper coverage --format csv</code> for all.</p>`}
${htmlSection(path, 'Failed reads', 'Their numbers are old', FAILED_READ_COLUMNS, failed.slice(0, ROWS_MAX))}
${failed.length > ROWS_MAX && html`<p class="note">The first ${ROWS_MAX} of ${failed.length}. Filter by account to see the others.</p>`}
${htmlSection(path, 'Tables', isRestricted(filter) || query !== undefined ? 'Only what the filter shows' : 'All accounts', QUERY_COVERAGE_COLUMNS, coverageByQuery(chosen))}`,
  });
}

async function calendarPage(app: StateApp, query: string, customer: string): Promise<string | undefined> {
  // Links contain the redacted names, so look for the account among redacted names.
  const all = redactTexts(await coverage(app), app.settings);
  const account = all.find((one) => one.query === query && one.customerId === customer);
  if (account === undefined) return undefined;
  const name = `Coverage of ${query}`;
  const entries = Object.entries(DAY_MARKS).map(
    ([state, [mark, words]]) => html`<li><span class="day ${state}" aria-hidden="true">${mark}</span> ${words}</li>`,
  );
  return stateFrame(app, {
    path,
    title: name,
    body: html`<ul class="legend">${entries}</ul><p>Last read: ${instant(account.lastRead.at)}. ${zoneWords()}</p>${calendar(account)}
<p class="ways"><a href="${linkFrom(path, path)}">All gaps</a></p>`,
  });
}

/** Every cell has a mark, because some people cannot see the colours. */
function calendar(account: AccountCoverage): Html {
  const name = line(account.name ?? account.customerId);
  const head = Array.from({ length: 31 }, (_, day) => html`<th scope="col">${day + 1}</th>`);
  const rows = [...monthsOf(account.days)].map(([month, states]) => {
    const cells = Array.from({ length: 31 }, (_, index) => dayCell(states.get(index + 1)));
    return html`<tr><th scope="row">${month}</th>${cells}</tr>`;
  });
  const corrected = correctedWords(account.restated);
  const caption = corrected === undefined ? 'No late corrections.' : `Late corrections: ${corrected}.`;
  return html`<section class="calendar"><h2>${name} <small>${account.customerId}</small></h2>
<div class="scroll" tabindex="0" role="group" aria-label="Calendar of ${name}"><table><caption>${caption}</caption>
<thead><tr><th scope="col">Month</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function dayCell(state: DayState | undefined): Html {
  return state === undefined
    ? html`<td></td>`
    : html`<td class="day ${state}" title="${DAY_MARKS[state][1]}">${DAY_MARKS[state][0]}</td>`;
}
