import type { StateApp } from '../../app.ts';
import type { DayState } from '../../domain/complete-days.ts';
import { grouped } from '../../domain/wording.ts';
import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES } from '../../html/pages.ts';
import { line } from '../../html/parts.ts';
import { coverage } from '../../pipeline/read/coverage.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { DAY_MARKS } from '../../text/state-words.ts';
import { count } from '../../text/text-layout.ts';
import { type AccountCoverage, COVERAGE_COLUMNS, correctedWords, mostLackingFirst } from '../../views/coverage.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { monthsOf } from '../../views/report/render-coverage.ts';
import { stateFrame } from './frame.ts';

const { path } = PAGES.coverage;

const MONTHS_MAX = 15;
const CALENDARS_MAX = 6;
const ROWS_MAX = 500;

export async function coveragePage(app: StateApp, asked: URLSearchParams): Promise<string | undefined> {
  // Links contain redacted names, so the account is searched by its redacted name.
  const all = redactTexts(await coverage(app), app.settings);
  const query = asked.get('query');
  const customer = asked.get('customer');
  const isOne = query !== null && customer !== null;
  const accounts = isOne ? all.filter((one) => one.query === query && one.customerId === customer) : all;
  if (isOne && accounts.length === 0) return undefined;
  const title = isOne ? `Coverage of ${query}` : PAGES.coverage.title;
  const body = isOne
    ? html`${accounts.map((account) => calendar(account, Number.POSITIVE_INFINITY))}<p class="ways"><a href="${linkFrom(path, path)}">All accounts</a></p>`
    : html`${grouped(accounts, (one) => one.query).map(queryPart)}`;
  const none = html`<p>No days read yet. Run <code>pacekeeper extract</code>.</p>`;
  return stateFrame(app, {
    path,
    title,
    body: html`<h1>${title}</h1>${accounts.length > 0 ? html`${legend()}${body}` : none}`,
  });
}

function legend(): Html {
  const entries = Object.entries(DAY_MARKS).map(
    ([state, [mark, words]]) => html`<li><span class="day ${state}" aria-hidden="true">${mark}</span> ${words}</li>`,
  );
  return html`<ul class="legend">${entries}</ul>`;
}

function queryPart(accounts: readonly AccountCoverage[]): Html {
  const query = accounts[0]?.query ?? '';
  const worstFirst = mostLackingFirst(accounts);
  const shown = worstFirst.filter(({ days }) => days.length > 0).slice(0, CALENDARS_MAX);
  const list = htmlTable(sheetOf(COVERAGE_COLUMNS, worstFirst.slice(0, ROWS_MAX), 'people'), {
    caption: `${query}: ${count(accounts.length, 'account')}, most missing days first`,
    path,
  });
  const more = accounts.length > ROWS_MAX && html`<p class="note">Only the first ${ROWS_MAX} are shown.</p>`;
  return html`<section><h2>${query}</h2>${list}${more}${shown.map((account) => calendar(account, MONTHS_MAX))}</section>`;
}

/** Every cell has a mark, because some people cannot see the colours. */
function calendar(account: AccountCoverage, monthsMax: number): Html {
  const name = line(account.name ?? account.customerId);
  const months = [...monthsOf(account.days)];
  const left = months.length - monthsMax;
  const shown = left > 0 ? months.slice(-monthsMax) : months;
  const head = Array.from({ length: 31 }, (_, day) => html`<th scope="col">${day + 1}</th>`);
  const rows = shown.map(([month, states]) => {
    const cells = Array.from({ length: 31 }, (_, index) => dayCell(states.get(index + 1)));
    return html`<tr><th scope="row">${month}</th>${cells}</tr>`;
  });
  const corrected = correctedWords(account.restated);
  const moved = corrected === undefined ? 'No late corrections.' : `Late corrections: ${corrected}.`;
  return html`<section class="calendar"><h3>${name} <small>${account.customerId}</small></h3>
<div class="scroll" tabindex="0" role="group" aria-label="Calendar of ${name}"><table><caption>${moved}${left > 0 && ` The last ${monthsMax} months.`}</caption>
<thead><tr><th scope="col">Month</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function dayCell(state: DayState | undefined): Html {
  return state === undefined
    ? html`<td></td>`
    : html`<td class="day ${state}" title="${DAY_MARKS[state][1]}">${DAY_MARKS[state][0]}</td>`;
}
