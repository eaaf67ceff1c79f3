import type { Selection } from 'kysely';
import { agentOf } from '../../../domain/budget-change.ts';
import { instantText, minuteText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { EventKind, ProposalState } from '../schema.ts';
import type { StateSchema } from '../state-schema.ts';
import {
  ALERT_COLUMNS,
  DECIDED_COLUMNS,
  type DecidedChange,
  decidedColumns,
  decidedFacts,
  decidedOnFacts,
} from './decided-change.ts';
import { appendEvent } from './event-table.ts';
import { randomCode, typedCode } from './proposal-code.ts';

const PROPOSAL_COLUMNS = [
  ...DECIDED_COLUMNS,
  ...ALERT_COLUMNS,
  'code',
  'runId',
  'state',
  // The id of the change that the approval created.
  'intentId',
  'decidedBy',
  'decidedAt',
  'createdAt',
  'expiresAt',
  // `agent` for a suggestion. The further columns are NULL for a rule.
  'kind as maker',
  'agentKey',
  'requestSha256',
  'evidence',
  'asOf',
] as const;

export type Proposal = Readonly<Selection<StateSchema, 'budgetProposal', (typeof PROPOSAL_COLUMNS)[number]>>;

export type NewProposal = DecidedChange & { readonly expiresAtMs: number; readonly agent?: AgentRequest | undefined };

/** An agent sends this with a suggestion. */
export interface AgentRequest {
  readonly key: string;
  /** A digest of the whole request, so that the same key never stands for another one. */
  readonly requestSha256: string;
  /** The figures that the suggestion rests on, as texts. */
  readonly evidence: Readonly<Record<string, string>>;
  /** Age of the figures, in UTC. */
  readonly asOf: string;
}

const TRIES = 1000;

/** Returns undefined if the budget already has an open proposal. Only tests pass `makeCode`. */
export function insertProposal(
  db: StateDb,
  runId: bigint | undefined,
  proposal: NewProposal,
  nowMs: number,
  makeCode: () => string = randomCode,
): Promise<Proposal | undefined> {
  return inTransaction(db, async (trx) => {
    await expireProposals(trx, nowMs);
    const { customerId, budgetId } = proposal;
    const same = trx.selectFrom('budgetProposal').select('code').where('customerId', '=', customerId);
    const open = same.where('budgetId', '=', budgetId).where('state', '=', 'open');
    if (await open.executeTakeFirst()) return undefined;
    const made = await trx
      .insertInto('budgetProposal')
      .values({
        ...decidedColumns(proposal),
        alertText: proposal.alertText,
        alertSeverity: proposal.alertSeverity,
        code: await freeCode(trx, makeCode),
        runId,
        state: 'open',
        createdAt: instantText(nowMs),
        expiresAt: instantText(proposal.expiresAtMs),
        ...(proposal.agent && agentColumns(proposal.agent)),
      })
      .returning(PROPOSAL_COLUMNS)
      .executeTakeFirstOrThrow();
    const agent = agentOf(made.rule);
    const actor = agent === undefined ? `rule ${made.rule}@${made.ruleVersion}` : `agent ${agent}`;
    const facts = {
      ...decidedFacts(made),
      ...decidedOnFacts(proposal),
      run_id: made.runId ?? null,
      expires_at: made.expiresAt,
      ...(proposal.agent && { origin: 'agent', evidence: proposal.agent.evidence, as_of: proposal.agent.asOf }),
    };
    await tell(trx, made, { kind: 'proposed', actor, facts }, nowMs);
    return made;
  });
}

function agentColumns({ key, requestSha256, evidence, asOf }: AgentRequest) {
  return { kind: 'agent', agentKey: key, requestSha256, evidence: JSON.stringify(evidence), asOf } as const;
}

async function freeCode(trx: StateDb, makeCode: () => string): Promise<string> {
  for (let left = TRIES; left > 0; left--) {
    const code = makeCode();
    const taken = trx.selectFrom('budgetProposal').select('code').where('code', '=', code);
    if ((await taken.executeTakeFirst()) === undefined) return code;
  }
  throw new InvariantError(`No free code for a proposal was found in ${TRIES} tries.`);
}

/** Undecided proposals that have not expired, oldest first. */
export async function openProposals(db: StateDb, nowMs: number): Promise<Proposal[]> {
  const open = proposals(db).where('state', '=', 'open').where('expiresAt', '>', instantText(nowMs));
  return open.orderBy('createdAt').orderBy('code').execute();
}

/** `code` is the text that a person typed. */
export async function proposalByCode(db: StateDb, code: string): Promise<Proposal | undefined> {
  return proposals(db).where('code', '=', typedCode(code)).executeTakeFirst();
}

export async function proposalsByCode(db: StateDb, codes: readonly string[]): Promise<Proposal[]> {
  return proposals(db).where('code', 'in', codes).execute();
}

export async function rejectedSince(db: StateDb, customer: CustomerId, sinceMs: number): Promise<Proposal[]> {
  const rejected = proposals(db).where('customerId', '=', customer).where('state', '=', 'rejected');
  const since = rejected.where('decidedAt', '>=', instantText(sinceMs));
  return since.orderBy('decidedAt').orderBy('code').execute();
}

/** The other proposals of the same rule and run, in any state. */
export async function proposalsBeside(db: StateDb, { code, rule, runId }: Proposal): Promise<Proposal[]> {
  if (runId === undefined) return [];
  const ofRun = proposals(db).where('runId', '=', runId).where('rule', '=', rule).where('code', '!=', code);
  return ofRun.orderBy('code').execute();
}

export async function allProposals(db: StateDb): Promise<Proposal[]> {
  return proposals(db).orderBy('createdAt').orderBy('code').execute();
}

export async function proposalsOfBudget(db: StateDb, customer: CustomerId, budget: BudgetId): Promise<Proposal[]> {
  const ofBudget = proposals(db).where('customerId', '=', customer).where('budgetId', '=', budget);
  return ofBudget.orderBy('createdAt', 'desc').orderBy('code').execute();
}

/** The suggestion of this agent with this key, in any state. */
export async function proposalOfKey(db: StateDb, rule: string, agentKey: string): Promise<Proposal | undefined> {
  return proposals(db).where('rule', '=', rule).where('agentKey', '=', agentKey).executeTakeFirst();
}

/** Suggestions of all agents since then, in any state. */
export async function suggestedSince(db: StateDb, sinceMs: number): Promise<Proposal[]> {
  return proposals(db).where('kind', '=', 'agent').where('createdAt', '>', instantText(sinceMs)).execute();
}

function proposals(db: StateDb) {
  return db.selectFrom('budgetProposal').select(PROPOSAL_COLUMNS);
}

export type ProposalDecision = {
  /** A person's name. For `superseded`: `pacekeeper`. */
  readonly by: string;
  readonly why?: string | undefined;
  /** The code of the reason, such as `RULE_GONE`. */
  readonly code?: string | undefined;
  /** The id of the message with the decision. Never a telephone number. */
  readonly reply?: string | undefined;
} & (
  | {
      readonly state: 'approved';
      readonly intentId: bigint;
      /** The amount of a smaller step. Undefined for the proposed amount. */
      readonly approved?: Micros | undefined;
    }
  | { readonly state: 'rejected' | 'superseded'; readonly intentId?: undefined; readonly approved?: undefined }
);

const EVENT_OF_END = {
  approved: 'approved',
  rejected: 'declined',
  superseded: 'proposal_expired',
  expired: 'proposal_expired',
} as const satisfies Record<Exclude<ProposalState, 'open'>, EventKind>;

/** Returns undefined if the proposal is already decided or expired. */
export function decideProposal(
  db: StateDb,
  code: string,
  decision: ProposalDecision,
  nowMs: number,
): Promise<Proposal | undefined> {
  return inTransaction(db, async (trx) => {
    const now = instantText(nowMs);
    const decided = await trx
      .updateTable('budgetProposal')
      .set({ state: decision.state, intentId: decision.intentId ?? null, decidedBy: decision.by, decidedAt: now })
      .where('code', '=', typedCode(code))
      .where('state', '=', 'open')
      .where('expiresAt', '>', now)
      .returning(PROPOSAL_COLUMNS)
      .executeTakeFirst();
    if (decided === undefined) return undefined;
    const { why, code: because, reply, approved } = decision;
    const facts = { why, code: because, reply, approved_micros: approved };
    await tell(trx, decided, { kind: EVENT_OF_END[decision.state], actor: decision.by, facts }, nowMs);
    return decided;
  });
}

export function expireProposals(db: StateDb, nowMs: number): Promise<Proposal[]> {
  return inTransaction(db, async (trx) => {
    const now = instantText(nowMs);
    const expired = await trx
      .updateTable('budgetProposal')
      .set({ state: 'expired', decidedBy: 'pacekeeper', decidedAt: now })
      .where('state', '=', 'open')
      .where('expiresAt', '<=', now)
      .returning(PROPOSAL_COLUMNS)
      .execute();
    expired.sort((a, b) => (a.createdAt + a.code < b.createdAt + b.code ? -1 : 1));
    for (const proposal of expired) {
      const facts = { why: `Nobody decided before ${minuteText(proposal.expiresAt)}.` };
      await tell(trx, proposal, { kind: 'proposal_expired', actor: 'pacekeeper', facts }, nowMs);
    }
    return expired;
  });
}

async function tell(
  trx: StateDb,
  proposal: Proposal,
  event: { readonly kind: EventKind; readonly actor: string; readonly facts: Readonly<Record<string, unknown>> },
  nowMs: number,
): Promise<void> {
  const { customerId, budgetId, currency, from, to, code, state, intentId } = proposal;
  const about = { customer_id: customerId, budget_id: budgetId, currency, from_micros: from, to_micros: to };
  const detail = { ...event.facts, ...about, proposal_code: code, proposal_state: state };
  await appendEvent(trx, { intentId, kind: event.kind, actor: event.actor, detail }, nowMs);
}
