import { agentOf, isMade, isPersons, isUndo, subjectOf, untilWords } from '../../domain/budget-change.ts';
import { ALERT_SEVERITIES, type AlertSeverity, shortWaysToDecide, waysToDecide } from '../../domain/channel.ts';
import { formatChangeIn } from '../../domain/micros.ts';
import { cutText, outsideName, outsideText, shortLine } from '../../domain/outside-text.ts';
import type { NewAlert } from '../../storage/records/alerts/alert-table.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';

/** In UTF-16 units. External text is cut, so that all lines of an alert fit into the message. */
const SENTENCE_LENGTH_MAX = 300;
const WHY_LENGTH_MAX = 160;
const SHORT_NAME_LENGTH_MAX = 40;

export interface AccountWords {
  readonly name: string | undefined;
  /** If undefined, amounts are not localised. */
  readonly locale: string | undefined;
}

export type WithReason<Decided> = Decided & Pick<DecidedChange, 'reasonWithoutAmounts'>;

type Change = Pick<Intent, 'budgetId' | 'campaignId' | 'campaignName' | 'currency' | 'from' | 'to'>;

/** Returns text such as "40.00 EUR to 34.00 EUR (-15%)". */
export function describeAmounts({ currency, from, to }: Change, locale?: string): string {
  return formatChangeIn(locale, from, to, currency);
}

const HEADLINES: Partial<Record<Intent['state'], readonly [change: string, undo: (actor: string) => string]>> = {
  applied: ['Budget changed', (actor) => `Budget change undone by ${actor}`],
  confirmed: ['Budget change confirmed', (actor) => `Undo of a budget change, requested by ${actor}, confirmed`],
  rejected: ['Budget change rejected', (actor) => `Undo of a budget change, requested by ${actor}, rejected`],
  unknown: [
    'Budget change, outcome unknown: it may have been made',
    (actor) => `Undo of a budget change, requested by ${actor}, outcome unknown: it may have been undone`,
  ],
  superseded: [
    'Budget change cancelled: the budget has changed since',
    (actor) => `Undo of a budget change, requested by ${actor}, cancelled: the budget has changed since`,
  ],
  expired: ['Approved budget change not made', (actor) => `Undo of a budget change, requested by ${actor}, not made`],
};

/** Expired decisions of rules get no alert, because the rule decides again. */
export function alertFor(intent: WithReason<Intent>, account: AccountWords): NewAlert | undefined {
  const { id, state, kind, actor, customerId, rule, outcome, alertSeverity } = intent;
  const headline = HEADLINES[state];
  if (headline === undefined || (state === 'expired' && !isPersons(intent))) return undefined;
  const [change, undo] = headline;
  const first = kind === 'undo' ? undo(actor) : change;
  const good = isMade(intent);
  const next = good
    ? `Undo: pacekeeper budgets undo B${id}`
    : state === 'unknown'
      ? `Check B${id}: pacekeeper budgets reconcile`
      : `More: pacekeeper budgets show B${id}`;
  return {
    dedupeKey: `budget-intent:${id}:${good ? 'done' : state}`,
    severity: worse(good ? 'info' : 'warning', alertSeverity),
    customerId,
    rule,
    text: linesOf(intent, account, { first, outcome, reference: `B${id}`, next }),
  };
}

export interface DecidingWords {
  readonly byReply: boolean;
  readonly timeZone: string;
}

export function alertForProposal(
  proposal: WithReason<Proposal>,
  account: AccountWords,
  { byReply, timeZone }: DecidingWords,
): NewAlert {
  const { code, customerId, rule, alertSeverity } = proposal;
  const until = `until ${untilWords(proposal, timeZone)}`;
  const next = `${waysToDecide(code, byReply)} (${until})`;
  const first = 'Budget change awaiting approval';
  return {
    dedupeKey: `proposal:${code}`,
    proposalCode: code,
    severity: worse('info', alertSeverity),
    customerId,
    rule,
    text: linesOf(proposal, account, { first, outcome: undefined, reference: code, next }),
    short: `${shortWaysToDecide(code, byReply)}: ${describeAmounts(proposal, account.locale)}\n  ${subjectOf(proposal, 'short', (name) => outsideName(name, SHORT_NAME_LENGTH_MAX))}`,
  };
}

interface Said {
  readonly first: string;
  readonly outcome: string | undefined;
  readonly reference: string;
  readonly next: string;
}

function linesOf(
  change: Change &
    WithReason<Pick<Intent, 'customerId' | 'rule' | 'reason' | 'alertText'> & Partial<Pick<Intent, 'origin'>>>,
  account: AccountWords,
  { first, outcome, reference, next }: Said,
): string {
  const { customerId, rule, alertText } = change;
  const full = outsideText(change.reasonWithoutAmounts ?? change.reason, Number.POSITIVE_INFINITY);
  const isCut = full.length > WHY_LENGTH_MAX;
  const why = cutText(full, WHY_LENGTH_MAX);
  const agent = isUndo(change) ? undefined : agentOf(rule);
  return [
    `${first}: ${subjectOf(change, 'with id', outsideName)}`,
    describeAmounts(change, account.locale),
    ...(outcome === undefined ? [] : [outsideText(outcome, SENTENCE_LENGTH_MAX)]),
    ...(alertText === undefined ? [] : [shortLine(alertText, SENTENCE_LENGTH_MAX)]),
    `${agent === undefined ? 'Why:' : `Suggested by agent ${agent} because`} ${why}${isCut ? ` (in full: pacekeeper budgets show ${reference})` : ''}`,
    `${describeAccount(customerId, account)}${isUndo(change) || agent !== undefined ? '' : `, rule ${rule}`}`,
    next,
  ].join('\n');
}

export function describeAccount(customerId: string, { name }: Pick<AccountWords, 'name'>): string {
  return name === undefined ? `Account ${customerId}` : `Account ${outsideName(name)} (${customerId})`;
}

function worse(severity: AlertSeverity, other: AlertSeverity | undefined): AlertSeverity {
  if (other === undefined) return severity;
  return ALERT_SEVERITIES.indexOf(other) > ALERT_SEVERITIES.indexOf(severity) ? other : severity;
}
