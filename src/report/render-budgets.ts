import { subjectOf } from '../domain/budget-subject.ts';
import type { Frozen } from '../domain/frozen.ts';
import { formatMoney, formatMoneyChange } from '../domain/micros.ts';
import { whoDecided } from '../domain/who-decided.ts';
import type { Account } from '../store/account-table.ts';
import type { BudgetEvent } from '../store/event-table.ts';
import type { SeenForeignChange } from '../store/foreign-change-table.ts';
import type { Intent } from '../store/intent-table.ts';
import type { Proposal } from '../store/proposal-table.ts';
import { endingDay } from './proposal-end.ts';
import { frozenBlock, namesOf, section } from './sections.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS } from './state-words.ts';
import { type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** A change, and the one that took it back. */
export interface ShownChange extends Intent {
  readonly undoneBy?: Pick<Intent, 'id' | 'actor' | 'createdAt'> | undefined;
  /** The code of the limit that a person went beyond with it. */
  readonly beyondLimits?: string | undefined;
}

/** A proposal, with why it ended as it did and by which message. */
export interface ShownProposal extends Proposal {
  readonly why?: string | undefined;
  readonly reply?: string | undefined;
}

/** What waits for a person, for an answer, or for the end of a freeze. */
export interface WaitingBudgets {
  readonly accounts: readonly Account[];
  readonly frozen: Frozen | undefined;
  readonly proposals: readonly Proposal[];
  /** Changes whose outcome is not known. */
  readonly open: readonly Intent[];
  /** Proposals that were decided on or have expired, the newest first; empty unless asked for. */
  readonly past: readonly ShownProposal[];
}

/** What became of budgets, the newest first. */
export interface BudgetHistory {
  readonly frozen: Frozen | undefined;
  readonly accounts: readonly Account[];
  readonly entries: readonly (
    | { readonly kind: 'ours'; readonly change: ShownChange }
    | { readonly kind: 'foreign'; readonly change: SeenForeignChange }
    /** A freeze, a copy that was put back, settings that let more be changed. */
    | { readonly kind: 'record'; readonly event: BudgetEvent }
  )[];
}

/** One proposal or change with its part of the audit trail. */
export interface OneBudgetChange {
  readonly accounts: readonly Account[];
  readonly proposal: ShownProposal | undefined;
  readonly change: ShownChange | undefined;
  readonly events: readonly BudgetEvent[];
}

export function renderWaiting(waiting: WaitingBudgets, layout: TextLayout): string {
  const { accounts, frozen, proposals, open, past } = waiting;
  const nameOf = namesOf(accounts);
  const blocks = [
    frozenBlock(frozen, layout),
    section('Awaiting approval', proposals.map((one) => proposalBlock(one, nameOf, layout)).join('\n'), layout),
    section('Changes without a known outcome', open.map((one) => changeBlock(one, nameOf, layout)).join('\n'), layout),
    section('Past proposals', past.map((one) => proposalBlock(one, nameOf, layout)).join('\n'), layout),
    proposals.length + open.length === 0 ? 'Nothing waits.' : '',
    proposals.length === 0 ? '' : wrapText(APPROVE_HINT, layout.width, '', ''),
    open.length === 0 ? '' : wrapText(RECONCILE_HINT, layout.width, '', ''),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const APPROVE_HINT =
  'pacekeeper budgets approve CODE makes a change that awaits approval; pacekeeper budgets reject CODE refuses it.';

const RECONCILE_HINT = 'pacekeeper budgets reconcile finds out what became of changes without a known outcome.';

export function renderHistory({ frozen, accounts, entries }: BudgetHistory, layout: TextLayout): string {
  const first = frozen === undefined ? '' : `${frozenBlock(frozen, layout)}\n\n`;
  if (entries.length === 0) return `${first}No budget was changed.\n`;
  const nameOf = namesOf(accounts);
  const blocks = entries.map((entry) => {
    if (entry.kind === 'record') return recordBlock(entry.event, accounts, layout);
    return entry.kind === 'ours'
      ? changeBlock(entry.change, nameOf, layout)
      : foreignBlock(entry.change, accounts, layout);
  });
  return `${first}${blocks.join('\n')}\n`;
}

export function renderOne({ accounts, proposal, change, events }: OneBudgetChange, layout: TextLayout): string {
  const nameOf = namesOf(accounts);
  const blocks = [
    proposal ? proposalBlock(proposal, nameOf, layout, change) : '',
    change ? changeBlock(change, nameOf, layout) : '',
    section('What happened', events.map((event) => eventBlock(event, change, layout)).join('\n'), layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** What the lines above the events say already. */
const TOLD = new Set([
  ...['account_day', 'amount_source', 'budget_id', 'campaign_id', 'campaign_name', 'currency', 'customer_id', 'rule'],
  ...['from_micros', 'to_micros', 'floor_micros', 'ceiling_micros', 'declared_micros', 'intent_kind', 'undoes'],
  ...['reason', 'rule_version', 'state', 'proposal_state', 'expires_at', 'origin', 'version'],
  ...['subject_kind', 'subject', 'numbers'],
]);

function eventBlock(
  { id, createdAt, kind, actor, detail }: BudgetEvent,
  change: Intent | undefined,
  { width }: TextLayout,
): string {
  const untold = Object.entries(JSON.parse(detail) ?? {}).filter(([name]) => !TOLD.has(name));
  const facts = untold.flatMap(([name, value]) => factsOf(value, name));
  const lines = facts.map(([name, value]) => wrapText(`${name} ${oneLine(value)}`, width, '    ', '      '));
  // An approved change has "approved by" in its actor.
  const isApproved = change?.origin === 'approval' && actor === change.actor;
  const by = isApproved ? `, ${oneLine(actor)}` : ` by ${oneLine(actor)}`;
  return [wrapText(`${createdAt}  ${kind}${by}, event ${id}`, width, '  ', '    '), ...lines].join('\n');
}

/** The detail's values by their dotted names; what is null says nothing. */
function factsOf(value: unknown, name: string): (readonly [string, string])[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => factsOf(inner, `${name}.${key}`));
}

/** With the change that came of it the reason is told there. */
function proposalBlock(proposal: ShownProposal, nameOf: NameOf, layout: TextLayout, change?: Intent): string {
  const { code, state, expiresAt, decidedBy, decidedAt, rule, reason, customerId, why } = proposal;
  const day = endingDay(proposal);
  const until = day === undefined ? expiresAt : `the report of ${day}, ${expiresAt} at the latest`;
  const waits =
    state === 'open'
      ? `${PROPOSAL_WORDS.open[0]} until ${until}`
      : `${PROPOSAL_WORDS[state][0]}${decidedBy ? ` by ${decidedBy}` : ''}${decidedAt ? ` ${decidedAt}` : ''}${why ? `: ${why}` : ''}`;
  return block(
    `${code}  ${subjectOf(proposal, 'with id')}: ${amounts(proposal)}`,
    [`${withId(customerId, nameOf)}, rule ${rule}, ${waits}`, ...(change === undefined ? [reason] : [])],
    layout,
  );
}

function changeBlock(change: ShownChange, nameOf: NameOf, layout: TextLayout): string {
  const { id, state, updatedAt, customerId, reason, outcome, undoneBy, beyondLimits: limit } = change;
  const undone = undoneBy && `undone by B${undoneBy.id} (${undoneBy.actor}, ${undoneBy.createdAt})`;
  return block(
    `B${id}  ${updatedAt}  ${CHANGE_WORDS[state][0].toUpperCase()}  ${subjectOf(change, 'with id')}: ${amounts(change)}`,
    [
      `${withId(customerId, nameOf)}, ${whoDecided(change)}`,
      reason,
      ...[limit && `beyond limits (${limit}), as ${change.actor} decided`, outcome, undone].filter(
        (line) => line !== undefined,
      ),
    ],
    layout,
  );
}

function foreignBlock(change: SeenForeignChange, accounts: readonly Account[], layout: TextLayout): string {
  const { customerId, budgetId, seenAt, expected, found, accountDay } = change;
  const currency = accounts.find((account) => account.customerId === customerId)?.currency;
  const words = `changed elsewhere: ${formatMoneyChange(expected, found, currency)}, seen ${accountDay}`;
  return block(`${seenAt}  budget ${budgetId} ${words}`, [withId(customerId, namesOf(accounts))], layout);
}

function recordBlock(event: BudgetEvent, accounts: readonly Account[], { width }: TextLayout): string {
  const { createdAt, kind, actor } = event;
  const words = wordsOf(event, accounts);
  const line = `${createdAt}  ${KIND_WORDS[kind] ?? kind} by ${oneLine(actor)}${words === '' ? '' : `: ${oneLine(words)}`}`;
  return wrapText(line, width, '  ', '    ');
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  freeze_file_found: 'frozen',
  freeze_file_gone: 'unfrozen',
  settings_widened: 'settings widened',
};

interface RecordDetail {
  readonly why?: string;
  readonly first_line?: string;
  readonly copy?: string;
  readonly frozen_until?: string;
  readonly settings?: readonly { readonly setting: string; readonly before: string; readonly now: string | null }[];
}

/** What an event of the record says beside its kind and who it is of. */
function wordsOf({ kind, detail }: BudgetEvent, accounts: readonly Account[]): string {
  const { why, first_line, copy, frozen_until: until, settings = [] } = JSON.parse(detail) as RecordDetail;
  const gone = kind === 'freeze_file_gone' ? 'the file is gone' : undefined;
  const widened = settings.map(({ setting, before, now }) => {
    const words = (value: string) => boundWords(setting, value, accounts);
    return `${setting} from ${words(before)} to ${now === null ? 'no bound' : words(now)}`;
  });
  const parts = [copy, why, first_line, gone, until && `nothing is changed before ${until}`, ...widened];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** Bounds of accounts are amounts in micros. */
function boundWords(setting: string, value: string, accounts: readonly Account[]): string {
  const [, id] = /^accounts\.(\d+)\./.exec(setting) ?? [];
  if (id === undefined) return value;
  return formatMoney(BigInt(value), accounts.find(({ customerId }) => customerId === id)?.currency);
}

function block(head: string, lines: readonly string[], { width, bold }: TextLayout): string {
  return [
    bold(wrapText(oneLine(head), width, '  ', '    ')),
    ...lines.map((line) => wrapText(oneLine(line), width, '    ', '    ')),
  ].join('\n');
}

type Named = Pick<Intent, 'campaignId' | 'campaignName' | 'budgetId' | 'from' | 'to' | 'currency'>;

const amounts = ({ from, to, currency }: Named): string => formatMoneyChange(from, to, currency);

export function renderWaitingJson({ frozen, proposals, open, past }: WaitingBudgets): string {
  return toJson({
    frozen: frozen?.why,
    proposals: proposals.map(proposalObject),
    open: open.map(changeObject),
    past: past.map(proposalObject),
  });
}

export function renderHistoryJson({ entries }: BudgetHistory): string {
  return toJson({
    changes: entries.flatMap((entry) => (entry.kind === 'ours' ? [changeObject(entry.change)] : [])),
    foreign_changes: entries.flatMap((entry) => (entry.kind === 'foreign' ? [foreignObject(entry.change)] : [])),
    record_events: entries.flatMap((entry) => (entry.kind === 'record' ? [eventObject(entry.event)] : [])),
  });
}

/** A row for each proposal and change; `proposal` is the code to approve it by. */
export function waitingRows({ proposals, open, past }: WaitingBudgets): object[] {
  const ofProposal = (row: string) => (one: ShownProposal) => {
    return { ...proposalObject(one), row, proposal: one.code, code: undefined };
  };
  return [
    ...proposals.map(ofProposal('proposal')),
    ...open.map((change) => ({ row: 'change', ...changeObject(change) })),
    ...past.map(ofProposal('past_proposal')),
  ];
}

/** A row for each change, the newest first. What was changed elsewhere went from what was expected to what was found. */
export function historyRows({ accounts, entries }: BudgetHistory): object[] {
  return entries.map((entry) => {
    if (entry.kind === 'ours')
      return { row: 'change', ...changeObject(entry.change), undone_by: entry.change.undoneBy?.id };
    if (entry.kind === 'record') {
      const { id, kind, actor, createdAt } = entry.event;
      return { row: 'record_event', id, kind, actor, reason: wordsOf(entry.event, accounts), created_at: createdAt };
    }
    const { change } = entry;
    const amounts = { from_micros: change.expected, to_micros: change.found };
    return { row: 'foreign_change', ...foreignObject(change), ...amounts, created_at: change.seenAt };
  });
}

function foreignObject(change: SeenForeignChange): object {
  return {
    ...{ customer_id: change.customerId, budget_id: change.budgetId, account_day: change.accountDay },
    ...{ expected_micros: change.expected, found_micros: change.found, seen_at: change.seenAt },
    ...{ intent_id: change.intentId, event_id: change.eventId },
  };
}

export function renderOneJson({ proposal, change, events }: OneBudgetChange): string {
  return toJson({
    proposal: proposal && proposalObject(proposal),
    change: change && changeObject(change),
    events: events.map(eventObject),
  });
}

export function proposalObject(proposal: ShownProposal): object {
  return {
    code: proposal.code,
    state: proposal.state,
    ...amountsObject(proposal),
    rule: proposal.rule,
    rule_version: proposal.ruleVersion,
    reason: proposal.reason,
    created_at: proposal.createdAt,
    expires_at: proposal.expiresAt,
    decided_by: proposal.decidedBy,
    decided_at: proposal.decidedAt,
    why: proposal.why,
    reply: proposal.reply,
    intent_id: proposal.intentId,
  };
}

function changeObject(change: ShownChange): object {
  return {
    id: change.id,
    kind: change.kind,
    undoes: change.undoes,
    beyond_limits: change.beyondLimits,
    undone_by: change.undoneBy && {
      ...{ id: change.undoneBy.id, actor: change.undoneBy.actor, created_at: change.undoneBy.createdAt },
    },
    state: change.state,
    ...amountsObject(change),
    rule: change.rule,
    rule_version: change.ruleVersion,
    actor: change.actor,
    code: change.code,
    reason: change.reason,
    outcome: change.outcome,
    created_at: change.createdAt,
    updated_at: change.updatedAt,
  };
}

function amountsObject(named: Named & Pick<Intent, 'customerId' | 'accountDay'>): object {
  return {
    customer_id: named.customerId,
    budget_id: named.budgetId,
    campaign_id: named.campaignId,
    campaign_name: named.campaignName,
    account_day: named.accountDay,
    currency: named.currency,
    from_micros: named.from,
    to_micros: named.to,
  };
}

function eventObject({ id, intentId, kind, actor, detail, createdAt, previousHash, hash }: BudgetEvent): object {
  return {
    ...{ id, intent_id: intentId, kind, actor, detail: JSON.parse(detail) as unknown },
    ...{ created_at: createdAt, previous_hash: previousHash, hash },
  };
}
