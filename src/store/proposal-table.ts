import type { Selectable } from 'kysely';
import { instantText } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import {
  alertColumns,
  type DecidedChange,
  decidedColumns,
  decidedFacts,
  decidedOnFacts,
  toDecidedChange,
} from './decided-change.ts';
import { appendEvent } from './event-table.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './open-state.ts';
import { randomCode, typedCode } from './proposal-code.ts';
import type { EventKind, ProposalState, StateSchema } from './schema.ts';

/** A decided budget change that waits for a person, or did. */
export interface Proposal extends DecidedChange {
  /** What the person names it by. */
  readonly code: string;
  readonly state: ProposalState;
  /** What came of it when it was approved. */
  readonly intentId: bigint | undefined;
  readonly decidedBy: string | undefined;
  /** Instants, UTC. */
  readonly decidedAt: string | undefined;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface NewProposal extends DecidedChange {
  readonly expiresAtMs: number;
}

/** As many as it takes for one that is free, while not nearly all are taken. */
const TRIES = 1000;

/**
 * Makes a proposal with a code that no proposal had before, and its event; undefined when one for the budget waits
 * already. `makeCode` is for tests.
 */
export function insertProposal(
  db: StateDb,
  runId: bigint | undefined,
  proposal: NewProposal,
  nowMs: number,
  makeCode: () => string = randomCode,
): Promise<Proposal | undefined> {
  return inTransaction(db, async (trx) => {
    await expireProposals(trx, nowMs);
    const same = trx
      .selectFrom('budget_proposal')
      .select('code')
      .where('customer_id', '=', BigInt(proposal.customerId));
    const open = same.where('budget_id', '=', BigInt(proposal.budgetId)).where('state', '=', 'open');
    if (await open.executeTakeFirst()) return undefined;
    const row = await trx
      .insertInto('budget_proposal')
      .values({
        ...decidedColumns(runId, proposal),
        ...alertColumns(proposal),
        code: await freeCode(trx, makeCode),
        state: 'open',
        intent_id: null,
        decided_by: null,
        decided_at: null,
        created_at: instantText(nowMs),
        expires_at: instantText(proposal.expiresAtMs),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const made = toProposal(row);
    const actor = `rule ${made.rule}@${made.ruleVersion}`;
    const facts = {
      ...decidedFacts(made),
      ...decidedOnFacts(proposal.decidedOn),
      run_id: row.run_id,
      expires_at: made.expiresAt,
    };
    await tell(trx, made, { kind: 'proposed', actor, facts }, nowMs);
    return made;
  });
}

async function freeCode(trx: StateDb, makeCode: () => string): Promise<string> {
  for (let left = TRIES; left > 0; left--) {
    const code = makeCode();
    const taken = trx.selectFrom('budget_proposal').select('code').where('code', '=', code);
    if ((await taken.executeTakeFirst()) === undefined) return code;
  }
  throw new InvariantError(`No free code for a proposal was found in ${TRIES} tries.`);
}

/** The proposals that wait for a person and are still good, oldest first. */
export async function openProposals(db: StateDb, nowMs: number): Promise<Proposal[]> {
  const rows = await db
    .selectFrom('budget_proposal')
    .selectAll()
    .where('state', '=', 'open')
    .where('expires_at', '>', instantText(nowMs))
    .orderBy('created_at')
    .orderBy('code')
    .execute();
  return rows.map(toProposal);
}

/** The proposal with the code, as a person may type it, whatever became of it. */
export async function proposalByCode(db: StateDb, code: string): Promise<Proposal | undefined> {
  const all = db.selectFrom('budget_proposal').selectAll();
  const row = await all.where('code', '=', typedCode(code)).executeTakeFirst();
  return row && toProposal(row);
}

/** The proposals for the account's budgets that a person rejected at the instant or later, in the order of that. */
export async function rejectedSince(db: StateDb, customer: CustomerId, sinceMs: number): Promise<Proposal[]> {
  const all = db.selectFrom('budget_proposal').selectAll().where('customer_id', '=', BigInt(customer));
  const since = all.where('state', '=', 'rejected').where('decided_at', '>=', instantText(sinceMs));
  return (await since.orderBy('decided_at').orderBy('code').execute()).map(toProposal);
}

/** Every proposal there was, oldest first. */
export async function allProposals(db: StateDb): Promise<Proposal[]> {
  const all = db.selectFrom('budget_proposal').selectAll();
  return (await all.orderBy('created_at').orderBy('code').execute()).map(toProposal);
}

/** The proposals there were for a budget, the newest first. */
export async function proposalsOfBudget(db: StateDb, customer: CustomerId, budget: BudgetId): Promise<Proposal[]> {
  const all = db.selectFrom('budget_proposal').selectAll().where('customer_id', '=', BigInt(customer));
  const rows = all.where('budget_id', '=', BigInt(budget)).orderBy('created_at', 'desc').orderBy('code');
  return (await rows.execute()).map(toProposal);
}

export type ProposalDecision = {
  /** A person's name; for `superseded` the rule or the change that made it pointless. */
  readonly by: string;
  readonly why?: string | undefined;
  /** What of it does not hold any more, where it was superseded for that. */
  readonly code?: string | undefined;
  /** The message by which it was decided; no telephone number. */
  readonly reply?: string | undefined;
} & (
  | { readonly state: 'approved'; readonly intentId: bigint }
  | { readonly state: 'rejected' | 'superseded'; readonly intentId?: undefined }
);

const EVENT_OF_END = {
  approved: 'approved',
  rejected: 'declined',
  superseded: 'proposal_expired',
  expired: 'proposal_expired',
} as const satisfies Record<Exclude<ProposalState, 'open'>, EventKind>;

/**
 * Ends a proposal with its event, in the transaction that inserts the intent where there is one. Undefined, and nothing
 * is written, when it does not wait any more: another has decided, or its time is over.
 */
export function decideProposal(
  db: StateDb,
  code: string,
  decision: ProposalDecision,
  nowMs: number,
): Promise<Proposal | undefined> {
  return inTransaction(db, async (trx) => {
    const now = instantText(nowMs);
    const row = await trx
      .updateTable('budget_proposal')
      .set({ state: decision.state, intent_id: decision.intentId ?? null, decided_by: decision.by, decided_at: now })
      .where('code', '=', typedCode(code))
      .where('state', '=', 'open')
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const decided = toProposal(row);
    const facts = { why: decision.why, code: decision.code, reply: decision.reply };
    await tell(trx, decided, { kind: EVENT_OF_END[decision.state], actor: decision.by, facts }, nowMs);
    return decided;
  });
}

/** Ends the proposals whose time is over, each with its event, and answers with them. */
export function expireProposals(db: StateDb, nowMs: number): Promise<Proposal[]> {
  return inTransaction(db, async (trx) => {
    const now = instantText(nowMs);
    const rows = await trx
      .updateTable('budget_proposal')
      .set({ state: 'expired', decided_by: 'pacekeeper', decided_at: now })
      .where('state', '=', 'open')
      .where('expires_at', '<=', now)
      .returningAll()
      .execute();
    const expired = rows.map(toProposal).sort((a, b) => (a.createdAt + a.code < b.createdAt + b.code ? -1 : 1));
    for (const proposal of expired) {
      const facts = { why: `Nobody decided until ${proposal.expiresAt}.` };
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

function toProposal(row: Selectable<StateSchema['budget_proposal']>): Proposal {
  return {
    ...toDecidedChange(row),
    code: row.code,
    state: row.state,
    intentId: row.intent_id ?? undefined,
    decidedBy: row.decided_by ?? undefined,
    decidedAt: row.decided_at ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
