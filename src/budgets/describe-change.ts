import { isMade, isPersons, subjectOf } from '../domain/budget-change.ts';
import { ALERT_SEVERITIES, type AlertSeverity } from '../domain/channel.ts';
import { addDays, civilDateAt, clockTimeAt } from '../domain/civil-date.ts';
import { formatChangeIn } from '../domain/micros.ts';
import { cutText, outsideName, outsideText, shortLine } from '../domain/outside-text.ts';
import type { NewAlert } from '../store/alerts/alert-table.ts';
import type { DecidedChange } from '../store/budgets/decided-change.ts';
import type { Intent } from '../store/budgets/intent-table.ts';
import type { Proposal } from '../store/budgets/proposal-table.ts';

/** What outsiders wrote is cut, so that every line of an alert has room in the message. */
const SENTENCE_LENGTH_MAX = 300;
/** Of a reason: the numbers that decided, on a phone. */
const WHY_LENGTH_MAX = 160;
/** Of a campaign's name in the two lines that a proposal has at least. */
const SHORT_NAME_LENGTH_MAX = 40;

/** How an account is told of. */
export interface AccountWords {
  readonly name: string | undefined;
  /** How its amounts are written; undefined for the plain form. */
  readonly locale: string | undefined;
}

/** With the reason that stands beside the amounts; the whole one does where it was not recorded. */
export type Told<Decided> = Decided & Pick<DecidedChange, 'reasonWithoutAmounts'>;

type Change = Pick<Intent, 'budgetId' | 'campaignId' | 'campaignName' | 'currency' | 'from' | 'to'>;

/** "40.00 EUR to 34.00 EUR (-15%)": for a line without a name, which could say something else. */
export function describeAmounts({ currency, from, to }: Change, locale?: string): string {
  return formatChangeIn(locale, from, to, currency);
}

/** What to say first of an intent in the state, and of one that takes a change back; nothing where there is nothing to tell. */
const HEADLINES: Partial<Record<Intent['state'], readonly [change: string, undo: (actor: string) => string]>> = {
  applied: ['Budget changed', (actor) => `Budget change undone by ${actor}`],
  confirmed: ['Budget change confirmed', (actor) => `Undoing a budget change by ${actor} confirmed`],
  rejected: ['Budget change rejected', (actor) => `Undoing a budget change, asked for by ${actor}, rejected`],
  unknown: [
    'Budget change without an answer: it may have been made',
    (actor) => `Undoing a budget change, asked for by ${actor}, without an answer: it may have been undone`,
  ],
  superseded: [
    'Budget change given up: the budget is not what it was',
    (actor) => `Undoing a budget change, asked for by ${actor}, given up: the budget is not what it was`,
  ],
  expired: ['Approved budget change not made', (actor) => `A budget change was not undone, as ${actor} asked`],
};

/**
 * The alert for what became of an intent, as it is now; undefined when there is nothing to tell. Keyed by intent and end,
 * so that each is told once. That a decision expired is told only to the person who made it: a rule decides anew.
 */
export function alertFor(intent: Told<Intent>, account: AccountWords): NewAlert | undefined {
  const { id, state, kind, actor, customerId, rule, outcome, alertSeverity } = intent;
  const headline = HEADLINES[state];
  if (headline === undefined || (state === 'expired' && !isPersons(intent))) return undefined;
  const [change, undo] = headline;
  const first = kind === 'undo' ? undo(actor) : change;
  const good = isMade(intent);
  const next = good
    ? `Undo: pacekeeper budgets undo B${id}`
    : state === 'unknown'
      ? `B${id}, find out more: pacekeeper budgets reconcile`
      : `More: pacekeeper budgets show B${id}`;
  return {
    dedupeKey: `budget-intent:${id}:${good ? 'done' : state}`,
    severity: worse(good ? 'info' : 'warning', alertSeverity),
    customerId,
    rule,
    text: linesOf(intent, account, { first, outcome, reference: `B${id}`, next }),
  };
}

/** How people decide on a proposal, and until when. */
export interface DecidingWords {
  /** Somebody may decide by a reply to the message. */
  readonly byReply: boolean;
  /** Of the account. */
  readonly timeZone: string;
}

/** Asks people to decide on a proposal. */
export function alertForProposal(
  proposal: Told<Proposal>,
  account: AccountWords,
  { byReply, timeZone }: DecidingWords,
): NewAlert {
  const { code, customerId, rule, alertSeverity } = proposal;
  const until = `until ${untilWords(proposal, timeZone)}`;
  const decide = byReply ? `YES ${code} or NO ${code}` : `pacekeeper budgets approve ${code} or reject ${code}`;
  const next = `${byReply ? 'Reply' : 'Decide:'} ${decide} (${until})`;
  const first = 'Budget change awaiting approval';
  return {
    dedupeKey: `proposal:${code}`,
    proposalCode: code,
    severity: worse('info', alertSeverity),
    customerId,
    rule,
    text: linesOf(proposal, account, { first, outcome: undefined, reference: code, next }),
    short: `${decide}: ${describeAmounts(proposal, account.locale)}\n  ${subjectOf(proposal, 'short', (name) => outsideName(name, SHORT_NAME_LENGTH_MAX))}`,
  };
}

/**
 * "18:00 Europe/Berlin", or where that is on a later day "the report of 2026-11-21, 13:00 Europe/Berlin at the latest": a report
 * of the account's next day ends what was proposed on an earlier one.
 */
export function untilWords(
  { accountDay, createdAt, expiresAt }: Pick<Proposal, 'accountDay' | 'createdAt' | 'expiresAt'>,
  timeZone: string,
): string {
  const untilMs = Date.parse(expiresAt);
  const day = civilDateAt(untilMs, timeZone);
  const time = `${clockTimeAt(untilMs, timeZone)} ${timeZone}`;
  if (day === civilDateAt(Date.parse(createdAt), timeZone)) return time;
  const next = addDays(accountDay, 1);
  return `the report of ${next}, ${day === next ? '' : `${day} `}${time} at the latest`;
}

interface Said {
  /** What happened. */
  readonly first: string;
  /** What became of it, as the service or a guard says. */
  readonly outcome: string | undefined;
  readonly reference: string;
  /** What to do about it. */
  readonly next: string;
}

/** What happened to which budget; the amounts; what became of it; the rule's own words; why, where, and what to do about it. */
function linesOf(
  change: Change & Told<Pick<Intent, 'customerId' | 'rule' | 'reason' | 'alertText'>>,
  account: AccountWords,
  { first, outcome, reference, next }: Said,
): string {
  const { customerId, rule, alertText } = change;
  const full = outsideText(change.reasonWithoutAmounts ?? change.reason, Number.POSITIVE_INFINITY);
  const isCut = full.length > WHY_LENGTH_MAX;
  const why = cutText(full, WHY_LENGTH_MAX);
  return [
    `${first}: ${subjectOf(change, 'with id', outsideName)}`,
    describeAmounts(change, account.locale),
    ...(outcome === undefined ? [] : [outsideText(outcome, SENTENCE_LENGTH_MAX)]),
    ...(alertText === undefined ? [] : [shortLine(alertText, SENTENCE_LENGTH_MAX)]),
    `Why: ${why}${isCut ? ` (in full: pacekeeper budgets show ${reference})` : ''}`,
    `${describeAccount(customerId, account)}, rule ${rule}`,
    next,
  ].join('\n');
}

/** "Account Trail Shop (1234567890)". */
export function describeAccount(customerId: string, { name }: Pick<AccountWords, 'name'>): string {
  return name === undefined ? `Account ${customerId}` : `Account ${outsideName(name)} (${customerId})`;
}

function worse(severity: AlertSeverity, other: AlertSeverity | undefined): AlertSeverity {
  if (other === undefined) return severity;
  return ALERT_SEVERITIES.indexOf(other) > ALERT_SEVERITIES.indexOf(severity) ? other : severity;
}
