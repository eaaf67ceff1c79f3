import { isLargerStep, isMade } from '../../domain/budget-change.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { BudgetEvent } from '../../storage/records/budgets/event-table.ts';
import { INTENT_TRANSITIONS } from '../../storage/records/budgets/intent-table.ts';
import type { IntentState, ProposalState } from '../../storage/records/schema.ts';

/** An intent rebuilt from events. The keys of `facts` are column names. */
export interface ReplayedIntent {
  readonly id: bigint;
  readonly state: IntentState;
  readonly facts: Facts;
  readonly updatedAt: string;
}

export interface ReplayedAmount {
  readonly customerId: string;
  readonly budgetId: string;
  /** In micros. */
  readonly amount: bigint;
  readonly eventId: bigint;
}

export interface ReplayedProposal {
  readonly state: ProposalState;
  readonly facts: Facts;
}

export type Replay = Omit<Replaying, 'take'>;

type Facts = Readonly<Record<string, unknown>>;

export async function replay(events: AsyncIterable<BudgetEvent> | Iterable<BudgetEvent>): Promise<Replay> {
  const replaying = new Replaying();
  for await (const event of events) replaying.take(event);
  return replaying;
}

const PROPOSAL_KINDS: ReadonlySet<string> = new Set(['proposed', 'approved', 'declined', 'proposal_expired']);
const PROPOSAL_STATES: ReadonlySet<unknown> = new Set(['open', 'approved', 'rejected', 'expired', 'superseded']);

class Replaying {
  readonly intents = new Map<bigint, ReplayedIntent>();
  /** The last amount of each budget. The keys are `customer/budget`. */
  readonly amounts = new Map<string, ReplayedAmount>();
  readonly proposals = new Map<string, ReplayedProposal>();
  /** Changes by someone else. The keys are event ids. */
  readonly foreign = new Map<bigint, Facts>();
  /** Contradictions in the events, one sentence each. */
  readonly impossible: string[] = [];

  take(event: BudgetEvent): void {
    const detail = parseJson(event.detail);
    if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) {
      this.impossible.push(`Event ${event.id} (${event.kind}) has no readable detail.`);
      return;
    }
    const facts = detail as Facts;
    if (event.kind === 'recorded') this.#first(event, facts, facts.state);
    else if (event.kind === 'planned') this.#planned(event, facts);
    else if (isIntentState(event.kind)) this.#step(event, facts);
    else if (PROPOSAL_KINDS.has(event.kind)) this.#proposal(event, facts);
    else if (event.kind === 'foreign_change') {
      this.foreign.set(event.id, facts);
      this.#setAmount(event, facts, facts.found_micros);
    }
  }

  #intentOf({ intentId }: BudgetEvent): ReplayedIntent | undefined {
    return intentId === undefined ? undefined : this.intents.get(intentId);
  }

  /** A `planned` event has all columns if it begins an intent or follows an expired decision. */
  #planned(event: BudgetEvent, facts: Facts): void {
    const known = this.#intentOf(event);
    if (known !== undefined && known.state !== 'expired') this.#step(event, facts);
    else this.#first(event, facts, 'planned');
  }

  #first(event: BudgetEvent, facts: Facts, state: unknown): void {
    const { intentId: id } = event;
    if (id === undefined || !isIntentState(state)) {
      this.impossible.push(`Event ${event.id} (${event.kind}) names no change or has no valid state.`);
      return;
    }
    if (event.kind === 'recorded' && this.intents.has(id)) {
      this.impossible.push(`Event ${event.id} (recorded) begins change B${id}, which already exists.`);
    }
    const before = this.intents.get(id);
    // Events of version 1 have no origin, so guess the origin. `#approval` corrects a wrong guess.
    const origin = facts.origin ?? before?.facts.origin ?? (facts.intent_kind === 'undo' ? 'undo' : 'rule');
    this.intents.set(id, { id, state, facts: { ...facts, origin, actor: event.actor }, updatedAt: event.createdAt });
    if (isMade({ state })) this.#setAmount(event, facts, facts.to_micros);
  }

  #step(event: BudgetEvent, step: Facts): void {
    const known = this.#intentOf(event);
    if (known === undefined) {
      this.impossible.push(`Event ${event.id} (${event.kind}) names a change that no earlier event records.`);
      return;
    }
    const state = event.kind as IntentState;
    if (!INTENT_TRANSITIONS[known.state].includes(state) && !isOfEarlierVersion(known.state, state)) {
      this.impossible.push(
        `Event ${event.id} moves change B${known.id} to ${state}, but it was ${known.state} before.`,
      );
    }
    for (const name of ['customer_id', 'budget_id', 'from_micros', 'to_micros']) {
      if (step[name] !== known.facts[name])
        this.impossible.push(
          `Event ${event.id} (${state}) says ${name} ${step[name]}, but change B${known.id} began with ${known.facts[name]}.`,
        );
    }
    const { account_day, code, outcome } = step;
    const facts = { ...known.facts, account_day, code, outcome, state };
    this.intents.set(known.id, { ...known, state, facts, updatedAt: event.createdAt });
    if (isMade({ state })) this.#setAmount(event, facts, known.facts.to_micros);
  }

  #proposal(event: BudgetEvent, facts: Facts): void {
    const { proposal_code: code, proposal_state: state } = facts;
    if (typeof code !== 'string' || !isProposalState(state)) {
      this.impossible.push(`Event ${event.id} (${event.kind}) names no proposal or has no valid state.`);
      return;
    }
    const before = this.proposals.get(code);
    const expected = event.kind === 'proposed' ? undefined : 'open';
    if (before?.state !== expected) {
      const was = before === undefined ? 'is in no earlier event' : `was ${before.state} before`;
      this.impossible.push(`Event ${event.id} moves proposal ${code} to ${state}, but it ${was}.`);
    }
    this.proposals.set(code, { state, facts: { ...(before?.facts ?? facts), state } });
    const intent = this.#intentOf(event);
    if (event.kind !== 'approved' || intent === undefined) return;
    this.#approval(event, intent);
    if (before !== undefined) this.#stepOf(event, before.facts, intent, facts.approved_micros);
  }

  #approval(event: BudgetEvent, intent: ReplayedIntent): void {
    const { id, facts } = intent;
    if (facts.version === undefined) this.intents.set(id, { ...intent, facts: { ...facts, origin: 'approval' } });
    else if (facts.origin !== 'approval') {
      this.impossible.push(
        `Event ${event.id} (approved) names change B${id}, which began with origin ${facts.origin}.`,
      );
    }
  }

  /** A person approves the proposed amount or a smaller step. `named` is the amount that the event names for such a step. */
  #stepOf({ id: eventId }: BudgetEvent, proposed: Facts, { id, facts }: ReplayedIntent, named: unknown): void {
    const { from_micros: from, to_micros: to, proposal_code: code } = proposed;
    const { budget_id: budget, from_micros: before, to_micros: amount } = facts;
    const isSame = ['customer_id', 'budget_id', 'from_micros'].every((name) => facts[name] === proposed[name]);
    const isAllowed =
      isAmount(from) && isAmount(to) && isAmount(amount) && !isLargerStep(BigInt(from), BigInt(to), BigInt(amount));
    if (isSame && isAllowed && (named === undefined || named === amount)) return;
    const approved = `approves ${named ?? to} of proposal ${code}, ${from} to ${to}`;
    this.impossible.push(
      `Event ${eventId} ${approved}. But change B${id} sets budget ${budget} from ${before} to ${amount}.`,
    );
  }

  #setAmount(event: BudgetEvent, facts: Facts, amount: unknown): void {
    const customerId = String(facts.customer_id);
    const budgetId = String(facts.budget_id);
    if (!isAmount(amount)) {
      this.impossible.push(`Event ${event.id} (${event.kind}) does not name the amount set for budget ${budgetId}.`);
      return;
    }
    this.amounts.set(`${customerId}/${budgetId}`, { customerId, budgetId, amount: BigInt(amount), eventId: event.id });
  }
}

function isAmount(amount: unknown): amount is string {
  return typeof amount === 'string' && /^\d{1,19}$/.test(amount);
}

function isIntentState(state: unknown): state is IntentState {
  return typeof state === 'string' && Object.hasOwn(INTENT_TRANSITIONS, state);
}

/** Earlier versions took a refusal for a proof that nothing was made, and planned the change again. */
function isOfEarlierVersion(from: IntentState, to: IntentState): boolean {
  return from === 'sending' && to === 'planned';
}

function isProposalState(state: unknown): state is ProposalState {
  return PROPOSAL_STATES.has(state);
}
