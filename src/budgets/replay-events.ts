import { isMade } from '../domain/budget-change.ts';
import { parseJson } from '../domain/parse-json.ts';
import type { BudgetEvent } from '../store/budgets/event-table.ts';
import { INTENT_TRANSITIONS } from '../store/budgets/intent-table.ts';
import type { IntentState, ProposalState } from '../store/schema.ts';

/** What the events alone say of an intent, by the names of its columns; amounts and ids as text. */
export interface ReplayedIntent {
  readonly id: bigint;
  readonly state: IntentState;
  readonly facts: Facts;
  readonly updatedAt: string;
}

export interface ReplayedAmount {
  readonly customerId: string;
  readonly budgetId: string;
  /** Micros. */
  readonly amount: bigint;
  /** The event that says so. */
  readonly eventId: bigint;
}

/** What the events alone say of a proposal, by the names of its columns. */
export interface ReplayedProposal {
  readonly state: ProposalState;
  readonly facts: Facts;
}

/** The world as the events tell it. */
export interface Replay {
  readonly intents: ReadonlyMap<bigint, ReplayedIntent>;
  /** By `customer/budget`: what each budget was last set to, by us or by someone else. */
  readonly amounts: ReadonlyMap<string, ReplayedAmount>;
  /** By code. */
  readonly proposals: ReadonlyMap<string, ReplayedProposal>;
  /** Foreign changes by their event. */
  readonly foreign: ReadonlyMap<bigint, Facts>;
  /** What cannot have been so, one sentence each. */
  readonly impossible: readonly string[];
}

type Facts = Readonly<Record<string, unknown>>;

interface Draft {
  readonly intents: Map<bigint, ReplayedIntent>;
  readonly amounts: Map<string, ReplayedAmount>;
  readonly proposals: Map<string, ReplayedProposal>;
  readonly foreign: Map<bigint, Facts>;
  readonly impossible: string[];
}

type Events = AsyncIterable<BudgetEvent> | Iterable<BudgetEvent>;

/** Goes through the events in order, and believes nothing but them. */
export async function replay(events: Events): Promise<Replay> {
  const draft: Draft = {
    intents: new Map(),
    amounts: new Map(),
    proposals: new Map(),
    foreign: new Map(),
    impossible: [],
  };
  for await (const event of events) replayEvent(draft, event);
  return draft;
}

function replayEvent(draft: Draft, event: BudgetEvent): void {
  const detail = parseJson(event.detail);
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) {
    draft.impossible.push(`Event ${event.id} (${event.kind}) has no readable detail.`);
    return;
  }
  replayReadable(draft, event, detail as Facts);
}

function replayReadable(draft: Draft, event: BudgetEvent, facts: Facts): void {
  if (event.kind === 'recorded') replayFirst(draft, event, facts, facts.state);
  else if (event.kind === 'planned') replayPlanned(draft, event, facts);
  else if (isIntentState(event.kind)) replayStep(draft, event, facts);
  else if (PROPOSAL_KINDS.has(event.kind)) replayProposal(draft, event, facts);
  else if (event.kind === 'foreign_change') {
    draft.foreign.set(event.id, facts);
    setAmount(draft, event, facts, facts.found_micros);
  }
}

const PROPOSAL_KINDS: ReadonlySet<string> = new Set(['proposed', 'approved', 'declined', 'proposal_expired']);

/** The first event of an intent, or the decision that took the place of one that expired, has all of its columns. */
function replayPlanned(draft: Draft, event: BudgetEvent, facts: Facts): void {
  const known = event.intentId === undefined ? undefined : draft.intents.get(event.intentId);
  const isStep = known !== undefined && known.state !== 'expired';
  if (isStep) replayStep(draft, event, facts);
  else replayFirst(draft, event, facts, 'planned');
}

function replayFirst(draft: Draft, event: BudgetEvent, facts: Facts, state: unknown): void {
  const { intentId: id } = event;
  if (id === undefined || !isIntentState(state)) {
    draft.impossible.push(`Event ${event.id} (${event.kind}) names no intent, or no state of one.`);
    return;
  }
  if (event.kind === 'recorded' && draft.intents.has(id)) {
    draft.impossible.push(`Event ${event.id} (recorded) begins intent ${id}, which has begun before.`);
  }
  const before = draft.intents.get(id);
  // Events of the first version do not say it; the approval of such an intent follows.
  const origin = facts.origin ?? before?.facts.origin ?? (facts.intent_kind === 'undo' ? 'undo' : 'rule');
  draft.intents.set(id, { id, state, facts: { ...facts, origin, actor: event.actor }, updatedAt: event.createdAt });
  if (isMade({ state })) setAmount(draft, event, facts, facts.to_micros);
}

function isIntentState(state: unknown): state is IntentState {
  return typeof state === 'string' && Object.hasOwn(INTENT_TRANSITIONS, state);
}

function replayStep(draft: Draft, event: BudgetEvent, step: Facts): void {
  const known = event.intentId === undefined ? undefined : draft.intents.get(event.intentId);
  if (known === undefined) {
    draft.impossible.push(`Event ${event.id} (${event.kind}) is about an intent that no event began.`);
    return;
  }
  const state = event.kind as IntentState;
  if (!INTENT_TRANSITIONS[known.state].includes(state)) {
    draft.impossible.push(`Event ${event.id} makes intent ${known.id} ${state}, and it was ${known.state} before.`);
  }
  for (const name of ['customer_id', 'budget_id', 'from_micros', 'to_micros']) {
    if (step[name] !== known.facts[name])
      draft.impossible.push(
        `Event ${event.id} (${state}) says ${name} ${step[name]}, and intent ${known.id} began with ${known.facts[name]}.`,
      );
  }
  const { account_day, code, outcome } = step;
  const facts = { ...known.facts, account_day, code, outcome, state };
  draft.intents.set(known.id, { ...known, state, facts, updatedAt: event.createdAt });
  if (isMade({ state })) setAmount(draft, event, facts, known.facts.to_micros);
}

const STATES_OF_PROPOSALS: ReadonlySet<unknown> = new Set(['open', 'approved', 'rejected', 'expired', 'superseded']);

function isProposalState(state: unknown): state is ProposalState {
  return STATES_OF_PROPOSALS.has(state);
}

function replayProposal(draft: Draft, event: BudgetEvent, facts: Facts): void {
  const { proposal_code: code, proposal_state: state } = facts;
  if (typeof code !== 'string' || !isProposalState(state)) {
    draft.impossible.push(`Event ${event.id} (${event.kind}) names no proposal, or no state of one.`);
    return;
  }
  const before = draft.proposals.get(code);
  const expected = event.kind === 'proposed' ? undefined : 'open';
  if (before?.state !== expected) {
    const was = before === undefined ? 'was not made before' : `was ${before.state} before`;
    draft.impossible.push(`Event ${event.id} makes proposal ${code} ${state}, and it ${was}.`);
  }
  draft.proposals.set(code, { state, facts: { ...(before?.facts ?? facts), state } });
  const intent = event.intentId === undefined ? undefined : draft.intents.get(event.intentId);
  if (event.kind === 'approved' && intent !== undefined) replayApproval(draft, event, intent);
}

function replayApproval(draft: Draft, event: BudgetEvent, intent: ReplayedIntent): void {
  const { id, facts } = intent;
  if (facts.version === undefined) draft.intents.set(id, { ...intent, facts: { ...facts, origin: 'approval' } });
  else if (facts.origin !== 'approval') {
    draft.impossible.push(`Event ${event.id} (approved) names intent ${id}, which began with origin ${facts.origin}.`);
  }
}

function setAmount(draft: Draft, event: BudgetEvent, facts: Facts, amount: unknown): void {
  const [customerId, budgetId] = [String(facts.customer_id), String(facts.budget_id)];
  if (typeof amount !== 'string' || !/^\d{1,19}$/.test(amount)) {
    draft.impossible.push(`Event ${event.id} (${event.kind}) names no amount that budget ${budgetId} was set to.`);
    return;
  }
  draft.amounts.set(`${customerId}/${budgetId}`, { customerId, budgetId, amount: BigInt(amount), eventId: event.id });
}
