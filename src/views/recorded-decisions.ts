import { isUndo } from '../domain/budget-change.ts';
import { minuteText } from '../domain/civil-date.ts';
import { type DecisionFacts, isWaiting } from '../domain/decision-facts.ts';
import { shortLine } from '../domain/outside-text.ts';
import { linkFrom, PAGES, pathOf } from '../domain/pages.ts';
import type { Column } from '../storage/columns/column.ts';
import type { RecordedDecision } from '../storage/records/budgets/decision-table.ts';
import { type Html, html } from './html/html.ts';
import { account, campaignLink, ruleLink } from './html/parts.ts';
import { changeText } from './html/wording.ts';
import { onPage } from './kit/page-column.ts';
import { actorWords, detailWords, referenceOf, shortSubject, stateWordOf } from './report/decision-words.ts';

export interface ShownDecision extends RecordedDecision {
  readonly ruleText?: string | undefined;
}

export const WHY_MAX = 160;

export const accountOf = (
  { customerId, accountName }: Pick<RecordedDecision, 'customerId' | 'accountName'>,
  path: string | undefined,
): Html => account(customerId, accountName, path);

export const DECIDED_ON = onPage.text('Campaign', (decision: RecordedDecision) => shortSubject(decision), {
  note: (decision, path) => {
    const campaign = campaignLink(decision, path);
    return html`${accountOf(decision, path)}${campaign && html` · ${campaign}`}`;
  },
  // A budget has no page before its first change or proposal.
  link: ({ kind, customerId, budgetId }) =>
    (kind === 'change' || kind === 'proposal') && budgetId !== undefined
      ? pathOf('budget', { customer: customerId, budget: budgetId })
      : undefined,
});

export const RECORDED_DECISION_COLUMNS: readonly Column<ShownDecision>[] = [
  DECIDED_ON,
  onPage.state('Outcome', (decision: ShownDecision) => stateWordOf(decision)[0], {
    word: stateWordOf,
    importance: 2,
    note: (decision, path) => {
      const inbox = inboxLink(decision, path);
      return html`${[referenceOf(decision), minuteText(decision.at)].filter(Boolean).join(', ')}${inbox && html`, ${inbox}`}`;
    },
  }),
  onPage.money('Daily budget', ({ to, from }) => to ?? from, { page: changeText, importance: 2 }),
  onPage.text('Rule', 'rule', { page: ruleCell }),
  onPage.text('Why', 'reason', { long: true, page: whyOf }),
];

/** Undefined if no person needs to decide. */
export function inboxLink(decision: DecisionFacts, path: string | undefined): Html | undefined {
  const isOpen = decision.kind === 'proposal' && decision.proposal?.state === 'open';
  if (path === undefined || !(isOpen || isWaiting(decision))) return undefined;
  return html`<a href="${linkFrom(path, PAGES.inbox.path)}">inbox</a>`;
}

function whyOf(decision: RecordedDecision): Html {
  const { kind, reason, intent } = decision;
  const detail = detailWords(decision);
  const code = decision.code ?? intent?.code;
  const word = code !== undefined && html`<br><span class="note">${codeWord(code)}</span>`;
  if (kind === 'refusal' && detail !== undefined) return html`<strong>${detail}</strong><br>${reason}${word}`;
  return html`${reason}${detail !== undefined && html`<br><span class="note">${detail}</span>`}${word}`;
}

export function codeWord(code: string): Html {
  return html`<code title="Reason code. See docs/troubleshoot.md.">${code}</code>`;
}

function ruleCell(decision: ShownDecision, path: string | undefined): Html {
  const actor = actorWords(decision);
  if (isUndo(decision)) return html`${actor}`;
  const lines = [ruleWords(decision), actor].filter((line) => line !== undefined);
  const rule = path === undefined ? decision.rule : ruleLink(path, decision.rule);
  return html`${rule}${lines.map((line) => html`<br><span class="note">${line}</span>`)}`;
}

export function ruleWords({ ruleText }: Pick<ShownDecision, 'ruleText'>): string | undefined {
  return ruleText === undefined ? undefined : shortLine(ruleText, WHY_MAX);
}
