import { minuteText } from '../../domain/civil-date.ts';
import { type Frozen, modeWords } from '../../domain/frozen.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { LOGOUT_PATH, linkFrom, PAGES, type PageName, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { firingAlerts, isAcknowledged } from '../../storage/records/alerts/alert-table.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { openIntents } from '../../storage/records/budgets/intent-table.ts';
import { openProposals } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { named } from '../../views/html/table.ts';
import { actWay } from '../inbox/acts.ts';
import { filterQuery, type PageFilter } from './page-filter.ts';

/** Facts for every page. */
export interface ShellFacts {
  /** How many things need a person. */
  readonly needs: number;
  readonly firing: number;
  readonly accounts: readonly { readonly customerId: CustomerId; readonly name: string | undefined }[];
  readonly target: string | undefined;
  readonly mode: string;
  /** When the last report began, in UTC. */
  readonly reportedAt: string | undefined;
}

export async function shellFacts({ state: { db }, clock, settings }: StateApp): Promise<ShellFacts> {
  const firing = await firingAlerts(db, 'condition');
  const unseen = firing.filter((alert) => !isAcknowledged(alert, alert.notified)).length;
  const waiting = [await openProposals(db, clock.now()), await openIntents(db), await lostRows(db)];
  const run = await lastReport(db);
  return {
    needs: waiting.reduce((sum, { length }) => sum + length, unseen),
    firing: firing.length,
    accounts: await allAccounts(db),
    target: run?.target ?? undefined,
    mode: run?.mode ?? settings.automation.mode,
    reportedAt: run?.startedAt,
  };
}

/** The others of the navigation stand behind "More" on a phone. */
const FIRST_PAGES: readonly PageName[] = ['overview', 'inbox', 'budgets', 'explore'];
const ACCOUNTS_MAX = 30;

/** These pages keep the days and accounts that a person chose on another one. */
const FILTERED_PAGES: readonly PageName[] = ['overview', 'budgets', 'log', 'alerts', 'coverage', 'runs'];

export type Kept = Pick<PageFilter, 'from' | 'to' | 'customers' | 'comparison'>;

interface ShellOptions {
  /** Undefined if the page cannot be made from the database. The shell then has only its links. */
  readonly facts: ShellFacts | undefined;
  readonly frozen: Frozen | undefined;
  readonly kept: Kept | undefined;
}

export function shell(path: string, { facts, frozen, kept }: ShellOptions): Html {
  const here = `/${path.split('/')[1] ?? ''}`;
  const counts: { readonly [Name in PageName]?: number | undefined } = { inbox: facts?.needs, alerts: facts?.firing };
  const entries = Object.entries(PAGES) as [PageName, { readonly path: string; readonly title?: string }][];
  const query = kept && filterQuery(keptOf(kept));
  const links = (isFirst: boolean) =>
    entries.map(([name, page]) => {
      if (page.title === undefined || FIRST_PAGES.includes(name) !== isFirst) return undefined;
      const current = page.path === here && html` aria-current="page"`;
      const count = counts[name] ?? 0;
      return html`<li><a href="${linkFrom(path, page.path)}${FILTERED_PAGES.includes(name) && query}"${current}>${page.title}${count > 0 && html` <span class="count">${count}</span>`}</a></li>`;
    });
  return html`<header class="shell">
<span class="brand">${BRAND}</span>
${facts && accountSwitch(path, facts, kept)}
<nav aria-label="Pages"><ul>${links(true)}</ul>
<button type="button" class="more-button" popovertarget="more">More</button>
<div id="more" class="more-pages" popover><ul>${links(false)}</ul>
<form class="out" method="post" action="${linkFrom(path, LOGOUT_PATH)}"><button type="submit">Log out</button></form></div></nav>
<form class="search" role="search" action="${linkFrom(path, PAGES.search.path)}"><input type="search" name="q" placeholder="Search" aria-label="Search accounts, campaigns, rules and changes"><kbd aria-hidden="true">/</kbd><button type="submit" class="quiet" tabindex="-1">Search</button></form>
<div class="standing">${facts && standingOf(path, facts, frozen)}</div>
</header>
`;
}

/** Other restrictions of a page, such as a person in the change log, mean nothing to the others. */
function keptOf({ from, to, customers, comparison }: Kept): Kept {
  return { from, to, customers, comparison };
}

export const BRAND = html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M2 15 7 11 11 13 18 4" fill="none" stroke="var(--accent)" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>pacekeeper`;

function accountSwitch(path: string, { accounts }: ShellFacts, kept: Kept | undefined): Html | false {
  if (accounts.length === 0) return false;
  const days = kept && filterQuery({ ...keptOf(kept), customers: [] });
  const chosen = accounts.find(({ customerId }) => path === pathOf('account', { customer: customerId }));
  const links = accounts.slice(0, ACCOUNTS_MAX).map(({ customerId, name }) => {
    const href = linkFrom(path, pathOf('account', { customer: customerId }));
    return html`<li><a href="${href}${days}">${named(name ?? customerId)}</a></li>`;
  });
  const all = html`<li><a href="${linkFrom(path, PAGES.overview.path)}${days}">All accounts</a></li>`;
  const more = accounts.length - ACCOUNTS_MAX;
  const rest = more > 0 && html`<li><a href="${linkFrom(path, PAGES.search.path)}">Search ${more} more</a></li>`;
  const words = chosen === undefined ? 'All accounts' : named(chosen.name ?? chosen.customerId);
  return html`<details class="switch"><summary>${words} <small>${accounts.length}</small></summary><ul>${all}${links}${rest}</ul></details>`;
}

function standingOf(path: string, { target = 'no run yet', mode, reportedAt }: ShellFacts, frozen: Frozen | undefined) {
  const way =
    frozen === undefined
      ? actWay(path, { act: 'freeze', on: '' })
      : frozen.isLiftable && actWay(path, { act: 'unfreeze', on: '' });
  const name = target.replace(/ .*/, '');
  return html`<span class="state${frozen !== undefined && ' bad'}"><span class="long">Target: </span>${name} · mode ${modeWords(mode, frozen)}</span>
${way}${reportedAt !== undefined && html`<span class="long">Report of ${minuteText(reportedAt)}</span>`}`;
}
