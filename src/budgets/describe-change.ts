import { formatMoney } from '../domain/micros.ts';
import type { Intent } from '../store/intent-table.ts';
import type { NewAlert } from '../store/outbox-table.ts';
import type { Proposal } from '../store/proposal-table.ts';

/** A campaign's name in an alert is cut so that the reason always fits the message. */
const NAME_LENGTH_MAX = 80;

/** How an intent says that a person let a rule's proposal through. */
const APPROVED_BY = 'approved by ';

export function approvedBy(person: string): string {
  return `${APPROVED_BY}${person}`;
}

/** Whether a person let it through, so that it does not depend on what automation may do. */
export function isApproved({ actor }: Pick<Intent, 'actor'>): boolean {
  return actor.startsWith(APPROVED_BY);
}

/** "Budget of Trail Shoes (campaign 21): 40.00 EUR to 34.00 EUR"; "Budget 987: …" for more than one campaign. */
export function describeChange(
  change: Pick<Intent, 'budgetId' | 'campaignId' | 'campaignName' | 'currency' | 'from' | 'to'>,
): string {
  const { budgetId, campaignId, campaignName: name, currency, from, to } = change;
  const shown = name && name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
  const campaign = shown === undefined ? `campaign ${campaignId}` : `${shown} (campaign ${campaignId})`;
  const subject = campaignId === undefined ? `Budget ${budgetId}` : `Budget of ${campaign}`;
  return `${subject}: ${formatMoney(from, currency)} to ${formatMoney(to, currency)}`;
}

/** What to say first of an intent in the state; nothing where there is nothing to tell. */
function headline({ state, kind }: Intent): string | undefined {
  const undo = kind === 'undo';
  switch (state) {
    case 'applied':
      return undo ? 'Budget change undone.' : 'Budget changed.';
    case 'confirmed':
      return undo ? 'Undoing a budget change confirmed.' : 'Budget change confirmed.';
    case 'rejected':
      return undo ? 'Undoing a budget change rejected.' : 'Budget change rejected.';
    case 'unknown':
      return undo
        ? 'Undoing a budget change without an answer: it may have been undone.'
        : 'Budget change without an answer: it may have been made.';
    case 'superseded':
      return undo
        ? 'Undoing a budget change given up: the budget is not what it was.'
        : 'Budget change given up: the budget is not what it was.';
    case 'expired':
      return undo ? 'A budget change was not undone.' : 'Approved budget change not made.';
    default:
      return undefined;
  }
}

/**
 * The alert for what became of an intent, as it is now; undefined when there is nothing to tell. Keyed by intent and end,
 * so that each is told once. That a decision expired is told only to the person who made it: a rule decides anew.
 */
export function alertFor(intent: Intent): NewAlert | undefined {
  const { id, state, actor, customerId, rule, reason, outcome } = intent;
  const person = intent.kind === 'undo' ? `Undone by ${actor}` : isApproved(intent) ? capitalized(actor) : undefined;
  const first = headline(intent);
  if (first === undefined || (state === 'expired' && person === undefined)) return undefined;
  const good = state === 'applied' || state === 'confirmed';
  const end = good ? 'done' : state;
  const lines = [
    first,
    describeChange(intent),
    ...(person === undefined ? [] : [`${good || intent.kind !== 'undo' ? person : `Asked for by ${actor}`}.`]),
    `Why: ${reason}`,
    ...(outcome === undefined ? [] : [`What happened: ${outcome}`]),
    `Account ${customerId}, rule ${rule}, reference B${id}.`,
  ];
  return {
    dedupeKey: `budget-intent:${id}:${end}`,
    severity: good ? 'info' : 'warning',
    customerId,
    text: lines.join('\n'),
  };
}

/** Asks people to decide on a proposal. */
export function alertForProposal(proposal: Proposal): NewAlert {
  const { code, customerId, rule, reason, expiresAt } = proposal;
  const lines = [
    'Budget change proposed.',
    describeChange(proposal),
    `Why: ${reason}`,
    `It waits until ${expiresAt}: pacekeeper budgets approve ${code}`,
    `Account ${customerId}, rule ${rule}.`,
  ];
  return { dedupeKey: `proposal:${code}`, severity: 'info', customerId, text: lines.join('\n') };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
