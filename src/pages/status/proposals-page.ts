import type { StateApp } from '../../app.ts';
import { type Html, html } from '../../html/html.ts';
import { PAGES } from '../../html/pages.ts';
import { account, amountChange, facts, instant, line, section } from '../../html/parts.ts';
import { redactTexts } from '../../pipeline/redact-texts.ts';
import { CHANGE_COLUMNS } from '../../views/budgets-history.ts';
import { budgetsWaiting, PROPOSAL_COLUMNS, type ShownProposal, type WaitingBudgets } from '../../views/budgets-list.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { endingDay } from '../../views/report/decision-facts.ts';
import { budgetLink } from './budget-link.ts';
import { frame, standing } from './frame.ts';

const { path, title } = PAGES.proposals;
const PAST_MAX = 50;

export async function proposalsPage(app: StateApp): Promise<string> {
  const all = { all: true, nowMs: app.clock.now() };
  const budgets = await budgetsWaiting(app.state.db, await standing(app), all);
  const { frozen, proposals, open, past } = redactTexts(budgets, app.settings);
  const waiting = proposals.map(proposalCard);
  const none = html`<p>Nothing awaits approval.</p>`;
  return frame({
    path,
    title,
    frozen,
    body: html`<h1>${title}</h1>
<p>This page is read-only. Decide by command on the machine, or by reply from an approver’s phone.</p>
${waiting.length > 0 ? waiting : none}
${section('Changes in doubt', open.length > 0 && openChanges(open))}
${section('Past proposals', past.length > 0 && pastProposals(past.slice(0, PAST_MAX)))}
${past.length > PAST_MAX && html`<p class="note">The newest ${PAST_MAX} of ${past.length}. Run <code>pacekeeper budgets list --all</code> for all.</p>`}`,
  });
}

function proposalCard(proposal: ShownProposal): Html {
  const { code, customerId, accountName, from, to, currency, rule, reason, createdAt, expiresAt } = proposal;
  const id = `proposal-${code}`;
  const day = endingDay(proposal);
  return html`<article class="card" aria-labelledby="${id}">
<h2 id="${id}"><span class="code">${code}</span> ${budgetLink(path, proposal)}</h2>
<p class="change">${amountChange(from, to, currency)} <small>a day</small></p>
<p>${line(reason)}</p>
${facts([
  ['Account', account(customerId, accountName)],
  ['Rule', rule],
  ['Created', instant(createdAt)],
  [
    'Awaiting approval until',
    day === undefined ? instant(expiresAt) : html`the report of ${day}, at the latest ${instant(expiresAt)}`,
  ],
])}
<h3>Decide ${code}</h3>
${facts([
  ['Approve', html`<code>pacekeeper budgets approve ${code}</code>, or reply <code>YES ${code}</code>`],
  ['Reject', html`<code>pacekeeper budgets reject ${code}</code>, or reply <code>NO ${code}</code>`],
])}
</article>`;
}

function openChanges(open: WaitingBudgets['open']): Html {
  const caption = 'Outcome unknown';
  return html`${htmlTable(sheetOf(CHANGE_COLUMNS, open, 'people'), { caption, path })}<p class="note">Run <code>pacekeeper budgets reconcile</code> to learn the outcome.</p>`;
}

function pastProposals(past: readonly ShownProposal[]): Html {
  const caption = 'Decided or expired, newest first';
  return htmlTable(sheetOf(PROPOSAL_COLUMNS, past, 'people'), { caption, path });
}
