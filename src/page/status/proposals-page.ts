import { endingDay } from '../../report/proposal-end.ts';
import type { ShownProposal, WaitingBudgets } from '../../report/render-budgets.ts';
import { namesOf } from '../../report/sections.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from '../../report/state-words.ts';
import type { NameOf } from '../../report/text-layout.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { budgetLink } from './budget-link.ts';
import { frame } from './frame.ts';
import { PAGES } from './pages.ts';
import { account, amountChange, badge, column, facts, instant, line, section } from './parts.ts';

const { path, title } = PAGES.proposals;
const PAST_MAX = 50;

/** What waits for a person, and how it is decided: by a command or by an answer, never here. */
export function proposalsPage({ accounts, frozen, proposals, open, past }: WaitingBudgets): string {
  const nameOf = namesOf(accounts);
  const waiting = proposals.map((proposal) => proposalCard(proposal, nameOf));
  const none = html`<p>Nothing awaits approval.</p>`;
  return frame({
    path,
    title,
    frozen,
    isKnown: true,
    body: html`<h1>${title}</h1>
<p>Here they are read only. A proposal is decided by a command on the machine, or by an answer of an approver's phone.</p>
${waiting.length > 0 ? waiting : none}
${section('Changes without a known outcome', open.length > 0 && openChanges(open, nameOf))}
${section('Past proposals', past.length > 0 && pastProposals(past.slice(0, PAST_MAX), nameOf))}
${past.length > PAST_MAX && html`<p class="note">The newest ${PAST_MAX} of ${past.length}: <code>pacekeeper budgets list --all</code> shows all.</p>`}`,
  });
}

function proposalCard(proposal: ShownProposal, nameOf: NameOf): Html {
  const { code, customerId, from, to, currency, rule, reason, createdAt, expiresAt } = proposal;
  const id = `proposal-${code}`;
  const day = endingDay(proposal);
  return html`<article class="card" aria-labelledby="${id}">
<h2 id="${id}"><span class="code">${code}</span> ${budgetLink(path, proposal)}</h2>
<p class="change">${amountChange(from, to, currency)} <small>a day</small></p>
<p>${line(reason)}</p>
${facts([
  ['Account', account(customerId, nameOf)],
  ['Rule', rule],
  ['Made', instant(createdAt)],
  [
    'Awaiting approval until',
    day === undefined ? instant(expiresAt) : html`the report of ${day}, ${instant(expiresAt)} at the latest`,
  ],
])}
<h3>How to decide ${code}</h3>
${facts([
  ['Make it', html`<code>pacekeeper budgets approve ${code}</code>, or the answer <code>YES ${code}</code>`],
  ['Refuse it', html`<code>pacekeeper budgets reject ${code}</code>, or the answer <code>NO ${code}</code>`],
])}
</article>`;
}

function openChanges(open: WaitingBudgets['open'], nameOf: NameOf): Html {
  return html`${table({
    caption: 'Nobody knows yet what became of these',
    columns: [{ title: 'Change' }, { title: 'Account' }, { title: 'Budget' }, { title: 'Amount' }, { title: 'State' }],
    rows: open.map((change) => [
      `B${change.id}`,
      account(change.customerId, nameOf),
      budgetLink(path, change),
      amountChange(change.from, change.to, change.currency),
      badge(CHANGE_WORDS[change.state]),
    ]),
  })}<p class="note"><code>pacekeeper budgets reconcile</code> finds out what became of them.</p>`;
}

function pastProposals(past: readonly ShownProposal[], nameOf: NameOf): Html {
  return table({
    caption: 'Decided or over, the newest first',
    columns: [
      ...[{ title: 'Code' }, { title: 'Outcome' }, { title: 'By' }, { title: 'When' }, { title: 'Account' }],
      ...[{ title: 'Budget' }, { title: 'Amount' }, column('Why')],
    ],
    rows: past.map((proposal) => [
      html`<span class="code">${proposal.code}</span>`,
      badge(PROPOSAL_WORDS[proposal.state]),
      line(proposal.decidedBy),
      instant(proposal.decidedAt),
      account(proposal.customerId, nameOf),
      budgetLink(path, proposal),
      amountChange(proposal.from, proposal.to, proposal.currency),
      line(proposal.why),
    ]),
  });
}
