import { isMade, isUndo, whoDecided } from '../../domain/budget-change.ts';
import { instantText } from '../../domain/civil-date.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { may, type Role } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import {
  accountNames,
  type OfAccount,
  type ShownChange,
  type ShownProposal,
} from '../../storage/columns/budget-columns.ts';
import { RUN_WORDS, SEVERITY_WORDS } from '../../storage/columns/state-words.ts';
import { type AlertRecord, firingAlerts, isAcknowledged } from '../../storage/records/alerts/alert-table.ts';
import { type LostRow, lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { intentsOf, undosMade } from '../../storage/records/budgets/intent-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReport, type PastRun } from '../../storage/records/runs/run-history.ts';
import { type RunTarget, targetsOfRun } from '../../storage/records/runs/run-result-table.ts';
import { CHANGE_COLUMNS } from '../../views/budgets-history.ts';
import { budgetsWaiting, PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { type Html, html } from '../../views/html/html.ts';
import {
  account,
  amountChange,
  badge,
  budgetLink,
  emptyState,
  fold,
  instant,
  line,
  section,
} from '../../views/html/parts.ts';
import { aside, named } from '../../views/html/table.ts';
import { countText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { namesOfBudgets } from '../report/budget-names.ts';
import { ruleTextsIn } from '../report/gather-report.ts';
import { standing, stateFrame } from '../status/frame.ts';
import { filterForm, isChosen, isRestricted, type PageFilter, readFilter } from '../status/page-filter.ts';
import { actLink } from './act-page.ts';
import { type Ask, askCard, asksOf, firstAsks } from './ask-cards.ts';

const { path, title } = PAGES.inbox;
const FREEZES = "SELECT * FROM budget_event WHERE kind IN ('frozen', 'unfrozen') ORDER BY id DESC";
const UNDO_DAYS = 14;
/** Longest list in each section, so that the page stays small. */
const SHOWN_MAX = 50;
const CHANGES_READ = 1000;

interface Some<Row> {
  readonly rows: readonly Row[];
  /** Counts all rows, including those that are not shown. */
  readonly count: number;
}

interface InboxFacts {
  readonly asks: readonly Ask[];
  readonly open: Some<ShownChange>;
  readonly past: Some<ShownProposal>;
  readonly changes: Some<ShownChange>;
  readonly undoneCount: number;
  readonly firing: Some<AlertRecord & { readonly accountName: string | undefined }>;
  readonly lost: Some<LostRow>;
  readonly lastRun: PastRun | undefined;
}

/** The lists are short, so a filter reaches the others. Links of other pages do not keep it: the inbox begins with all. */
export async function inboxPage(app: StateApp, query: URLSearchParams, role: Role): Promise<string> {
  const filter = readFilter(new URLSearchParams({ customer: query.getAll('customer').join() }));
  const frozen = redactTexts(await standing(app), app.settings);
  const inbox = redactTexts(await gather(app, filter), app.settings);
  const accounts = redactTexts(await allAccounts(app.state.db), app.settings);
  const { asks, open, past, changes, undoneCount, firing, lost, lastRun } = inbox;
  const failed = lastRun !== undefined && lastRun.state !== 'done' && lastRun.state !== 'running' ? lastRun : undefined;
  const isEmpty = asks.length + open.count + firing.count + lost.count === 0 && failed === undefined;
  const isFrozen = frozen !== undefined;
  const stop =
    frozen === undefined
      ? actLink(role, { act: 'freeze', on: '' })
      : frozen.isLiftable && actLink(role, { act: 'unfreeze', on: '' });
  return stateFrame(app, {
    path,
    title,
    filter: html`${stop}${filterForm({ path, filter, fields: ['customer'], accounts })}`,
    body: html`${!may(role, 'approve') && html`<p class="note">Your token is a viewer’s: it decides nothing. An approver’s token does.</p>`}
${isEmpty && emptyState(isRestricted(filter) ? 'Nothing of this account needs you.' : 'Nothing needs you.')}
${failed && section(`Last ${failed.command}`, lastRunFailed(failed))}
${awaitingApproval(asks, role, isFrozen)}
${list('Changes in doubt', open, inDoubt)}
${list('Alerts not delivered', lost, (rows) => lostAlerts(rows, role))}
${list('Firing', firing, (rows) => cards(rows.map((one) => firingCard(one, role))))}
${list(`Changes of the last ${UNDO_DAYS} days`, changes, (rows) => html`<ol class="events">${rows.map((one) => changeEvent(one, role, isFrozen))}</ol>`, undoneCount > 0 ? `, ${countText(undoneCount)} of them undone` : '')}
${past.count > 0 && fold({ id: 'past', title: 'Past proposals' }, pastProposals(past))}
<p class="ways">${exploreLink(path, FREEZES, 'SQL: freezes')}</p>`,
  });
}

function awaitingApproval(asks: readonly Ask[], role: Role, isFrozen: boolean): Html | undefined {
  const count = asks.reduce((sum, { proposals }) => sum + proposals.length, 0);
  const { shown, lines } = firstAsks(asks);
  const all = html`${cards(shown.map((ask) => askCard(ask, path, role, isFrozen)))}${more(lines, count)}`;
  return section(`Awaiting approval (${countText(count)})`, count > 0 && all);
}

function list<Row>(
  name: string,
  { rows, count }: Some<Row>,
  show: (rows: readonly Row[]) => Html,
  note = '',
): Html | undefined {
  return section(`${name} (${countText(count)})${note}`, count > 0 && html`${show(rows)}${more(rows.length, count)}`);
}

function more(shown: number, count: number): Html | false {
  return (
    shown < count &&
    html`<p class="note">The first ${shown} of ${countText(count)}. Filter by account to see the others.</p>`
  );
}

async function gather(app: StateApp, filter: PageFilter): Promise<InboxFacts> {
  const { db } = app.state;
  const nowMs = app.clock.now();
  const named = await namesOfBudgets(app);
  const shown = accountNames(await allAccounts(db));
  const { proposals, open, past } = await budgetsWaiting(db, undefined, {
    customers: filter.customers,
    all: true,
    nowMs,
  });
  const undone = await undosMade(db);
  const since = instantText(nowMs - UNDO_DAYS * 86_400_000);
  const newest = await intentsOf(db, { customers: filter.customers, limit: CHANGES_READ });
  const isShown = (one: OfAccount) => isChosen(filter, one.customerId);
  const changes = newest.filter((one) => isMade(one) && one.updatedAt >= since);
  const targets = new Map<bigint, readonly RunTarget[]>();
  for (const runId of new Set(proposals.flatMap((one) => one.runId ?? [])))
    targets.set(runId, await targetsOfRun(db, runId));
  return {
    asks: asksOf(proposals.map(named), targets, ruleTextsIn(app.settings.paths)),
    open: some(open.map(named)),
    past: some(past.map(named)),
    changes: some(changes.map((one) => ({ ...named(shown(one)), undoneBy: undone.get(one.id) }))),
    undoneCount: changes.filter(({ id }) => undone.has(id)).length,
    firing: some((await firingAlerts(db, 'condition')).filter(isShown).map(shown)),
    lost: some((await lostRows(db)).filter(isShown)),
    lastRun: await lastReport(db),
  };
}

function some<Row>(rows: readonly Row[]): Some<Row> {
  return { rows: rows.slice(0, SHOWN_MAX), count: rows.length };
}

function lostAlerts(rows: readonly LostRow[], role: Role): Html {
  const linesOf = (text: string) => text.split('\n').map((one, at) => html`${at > 0 && html`<br>`}${line(one)}`);
  const ways = (alertId: bigint) => actLink(role, { act: 'acknowledge', on: `A${alertId}` });
  return html`<ul>${rows.map(({ alertId, severity, text }) => html`<li>${badge(SEVERITY_WORDS[severity])} ${linesOf(text)} ${ways(alertId)}</li>`)}</ul>
${!may(role, 'acknowledge') && html`<p class="note">When you have read them, run pacekeeper alerts acknowledge.</p>`}`;
}

function lastRunFailed(run: PastRun): Html {
  const href = linkFrom(path, pathOf('run', { id: run.id }));
  return html`<p>${badge(RUN_WORDS[run.state])} <a href="${href}">Run ${run.id}</a>, ${instant(run.startedAt)}</p>`;
}

const cards = (shown: readonly Html[]) => html`<div class="cards">${shown}</div>`;

function firingCard(alert: InboxFacts['firing']['rows'][number], role: Role): Html {
  const { id, text, rule, firedAt, notified, acknowledgedBy } = alert;
  const seenBy = isAcknowledged(alert, notified) ? acknowledgedBy : undefined;
  const on = `A${id}`;
  const notes = [accountOf(alert), html`since ${instant(firedAt)}`, seenBy && html`acknowledged by ${line(seenBy)}`];
  const acts = [
    seenBy === undefined ? actLink(role, { act: 'acknowledge', on }) : undefined,
    rule === undefined ? undefined : actLink(role, { act: 'silence', on }),
  ].filter((act) => act !== undefined);
  return html`<article class="card" aria-labelledby="${on}"><h3 id="${on}">${named(rule ?? 'Alert')}</h3>
<p>${aside(line(text))}</p>
<ul class="line note">${notes.map((note) => note && html`<li>${note}</li>`)}</ul>
${acts.length > 0 && html`<p class="ways">${acts}</p>`}</article>
`;
}

function changeEvent(change: ShownChange, role: Role, isFrozen: boolean): Html {
  const { id, from, to, currency, updatedAt, undoneBy, reason } = change;
  const act =
    undoneBy === undefined
      ? actLink(role, { act: 'undo', on: `B${id}` }, isFrozen)
      : html`<small>undone by <a href="#B${undoneBy.id}">B${undoneBy.id}</a>, ${line(undoneBy.actor)}</small>`;
  return html`<li id="B${id}">${instant(updatedAt)}<div>${isUndo(change) && html`<p>${aside(line(reason))}</p>`}<p><strong>${budgetLink(path, change)}</strong> <span class="code muted">B${id}</span> ${amountChange(from, to, currency)} <small>a day</small></p>
<p class="note">${accountOf(change)} · ${line(whoDecided(change))}</p></div>${act}</li>
`;
}

function accountOf({ customerId, accountName }: OfAccount): Html | undefined {
  return customerId && account(customerId, accountName, path);
}

function inDoubt(open: readonly ShownChange[]): Html {
  const table = htmlTable(sheetOf(CHANGE_COLUMNS, open, 'people'), { caption: 'Outcome unknown', path });
  return html`<p>The next run finds the outcome. To find it now, run <code>pacekeeper budgets reconcile</code> where pacekeeper runs.</p>${table}`;
}

function pastProposals({ rows, count }: Some<ShownProposal>): Html {
  const shown = sheetOf(PROPOSAL_COLUMNS, rows, 'people');
  return html`${htmlTable(shown, { caption: 'Decided or expired, newest first', path })}${more(rows.length, count)}`;
}
