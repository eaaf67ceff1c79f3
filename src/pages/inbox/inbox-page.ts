import type { StateApp } from '../../app.ts';
import { isMade } from '../../domain/budget-change.ts';
import { instantText } from '../../domain/civil-date.ts';
import { mayAct, type Role } from '../../domain/role.ts';
import { type Html, html } from '../../html/html.ts';
import { linkFrom, PAGES, pathOf } from '../../html/pages.ts';
import { account, amountChange, badge, facts, instant, line, section } from '../../html/parts.ts';
import { named } from '../../html/table.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { type AlertRecord, firingAlerts } from '../../store/alerts/alert-table.ts';
import { intentsOf, undosMade } from '../../store/budgets/intent-table.ts';
import { allAccounts } from '../../store/runs/account-table.ts';
import { type PastRun, pastRuns } from '../../store/runs/run-history.ts';
import { RUN_WORDS } from '../../text/state-words.ts';
import type { ShownChange } from '../../views/budget-columns.ts';
import { CHANGE_COLUMNS } from '../../views/budgets-history.ts';
import { accountNames, budgetsWaiting, PROPOSAL_COLUMNS, type ShownProposal } from '../../views/budgets-list.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { endingDay } from '../../views/report/decision-facts.ts';
import { fold } from '../report/fold.ts';
import { budgetLink } from '../status/budget-link.ts';
import { frame, standing } from '../status/frame.ts';
import { actLink } from './act-page.ts';

const { path, title } = PAGES.inbox;
const PAST_MAX = 50;
const UNDO_DAYS = 14;
const UNDO_MAX = 50;
const FIRING_MAX = 100;

interface InboxFacts {
  readonly proposals: readonly ShownProposal[];
  readonly open: readonly ShownChange[];
  readonly past: readonly ShownProposal[];
  readonly changes: readonly ShownChange[];
  readonly firing: readonly (AlertRecord & { readonly accountName: string | undefined })[];
  readonly lastRun: PastRun | undefined;
}

export async function inboxPage(app: StateApp, role: Role): Promise<string> {
  const frozen = redactTexts(await standing(app), app.settings);
  const inbox = redactTexts(await gather(app), app.settings);
  const { proposals, open, past, changes, firing, lastRun } = inbox;
  const failed = lastRun !== undefined && lastRun.state !== 'done' && lastRun.state !== 'running' ? lastRun : undefined;
  const isEmpty = proposals.length + open.length + firing.length === 0 && failed === undefined;
  const stop =
    frozen === undefined
      ? actLink(role, { act: 'freeze', on: '' })
      : frozen.isLiftable && actLink(role, { act: 'unfreeze', on: '' });
  return frame({
    path,
    title,
    frozen,
    body: html`<h1>${title}</h1>
${!mayAct(role) && html`<p class="note">Your token is a viewer’s: it decides nothing. An approver’s token does.</p>`}
${stop && html`<p class="ways">${stop}</p>`}
${isEmpty && html`<p>Nothing needs you.</p>`}
${failed && section('Last run', lastRunFailed(failed))}
${section('Awaiting approval', proposals.length > 0 && html`${proposals.map((one) => proposalCard(one, role))}`)}
${section('Changes in doubt', open.length > 0 && inDoubt(open))}
${section('Firing', firing.length > 0 && html`${firing.slice(0, FIRING_MAX).map((one) => firingCard(one, role))}${more(firing.length, FIRING_MAX)}`)}
${section('Recent changes', changes.length > 0 && html`<p class="note">Changes of the last ${UNDO_DAYS} days that you can undo.</p>${changes.slice(0, UNDO_MAX).map((one) => changeCard(one, role))}${more(changes.length, UNDO_MAX)}`)}
${past.length > 0 && fold({ id: 'past', title: 'Past proposals' }, pastProposals(past))}`,
  });
}

async function gather(app: StateApp): Promise<InboxFacts> {
  const { db } = app.state;
  const nowMs = app.clock.now();
  const shown = accountNames(await allAccounts(db));
  const { proposals, open, past } = await budgetsWaiting(db, undefined, { all: true, nowMs });
  const undone = await undosMade(db);
  const since = instantText(nowMs - UNDO_DAYS * 86_400_000);
  const made = (await intentsOf(db)).filter((one) => isMade(one) && one.updatedAt >= since && !undone.has(one.id));
  const [lastRun] = await pastRuns(db, { limit: 1 });
  const firing = (await firingAlerts(db, 'condition')).map(shown);
  return { proposals, open, past, changes: made.map(shown), firing, lastRun };
}

function lastRunFailed(run: PastRun): Html {
  const href = linkFrom(path, pathOf('run', { id: run.id }));
  return html`<p>${badge(RUN_WORDS[run.state])} <a href="${href}">Run ${run.id}</a>, ${run.command}, ${instant(run.startedAt)}</p>`;
}

function proposalCard(proposal: ShownProposal, role: Role): Html {
  const { code, customerId, accountName, from, to, currency, rule, reason, createdAt, expiresAt } = proposal;
  const day = endingDay(proposal);
  const latest = instant(expiresAt);
  return card({
    id: `proposal-${code}`,
    head: html`<span class="code">${code}</span> ${budgetLink(path, proposal)}`,
    body: html`<p class="change">${amountChange(from, to, currency)} <small>a day</small></p>
<p>${line(reason)}</p>
${facts([
  ['Account', account(customerId, accountName, path)],
  ['Rule', rule],
  ['Created', instant(createdAt)],
  ['Waits until', day === undefined ? latest : html`the report of ${day}, at the latest ${latest}`],
])}`,
    acts: [actLink(role, { act: 'approve', on: code }), actLink(role, { act: 'reject', on: code })],
  });
}

function firingCard(
  { id, text, customerId, accountName, rule, firedAt }: InboxFacts['firing'][number],
  role: Role,
): Html {
  return card({
    id: `A${id}`,
    head: html`${named(rule ?? 'Alert')}`,
    body: html`<p>${line(text)}</p>${facts([
      ['Account', customerId && account(customerId, accountName, path)],
      ['Since', instant(firedAt)],
    ])}`,
    acts: [rule !== undefined && actLink(role, { act: 'silence', on: `A${id}` })],
  });
}

function changeCard(change: ShownChange, role: Role): Html {
  const { id, customerId, accountName, from, to, currency, actor, updatedAt } = change;
  return card({
    id: `B${id}`,
    head: html`<span class="code">B${id}</span> ${budgetLink(path, change)}`,
    body: html`<p class="change">${amountChange(from, to, currency)} <small>a day</small></p>${facts([
      ['Account', account(customerId, accountName, path)],
      ['By', line(actor)],
      ['Changed', instant(updatedAt)],
    ])}`,
    acts: [actLink(role, { act: 'undo', on: `B${id}` })],
  });
}

function card({
  id,
  head,
  body,
  acts,
}: {
  id: string;
  head: Html;
  body: Html;
  acts: (Html | false | undefined)[];
}): Html {
  const links = acts.filter((act) => act !== false && act !== undefined);
  return html`<article class="card" aria-labelledby="${id}"><h3 id="${id}">${head}</h3>${body}${links.length > 0 && html`<p class="ways">${links}</p>`}</article>`;
}

function inDoubt(open: readonly ShownChange[]): Html {
  const table = htmlTable(sheetOf(CHANGE_COLUMNS, open, 'people'), { caption: 'Outcome unknown', path });
  return html`${table}<p class="note">The next run finds the outcome. To find it now, run <code>pacekeeper budgets reconcile</code>.</p>`;
}

function pastProposals(past: readonly ShownProposal[]): Html {
  const shown = sheetOf(PROPOSAL_COLUMNS, past.slice(0, PAST_MAX), 'people');
  return html`${htmlTable(shown, { caption: 'Decided or expired, newest first', path })}${more(past.length, PAST_MAX)}`;
}

function more(count: number, max: number): Html | false {
  return count > max && html`<p class="note">The first ${max} of ${count}.</p>`;
}
