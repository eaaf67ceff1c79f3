import { isMade } from '../../domain/budget-change.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideText } from '../../domain/outside-text.ts';
import { OperationCounter } from '../../services/ads/ads-connection.ts';
import type { WaitingEvent } from '../../storage/inbox/inbox.ts';
import { addressAlsoTo, enqueueReply } from '../../storage/records/alerts/alert-table.ts';
import {
  insertReply,
  isDecidedByReply,
  outcomeOfReply,
  type ReplyOutcome,
} from '../../storage/records/alerts/reply-table.ts';
import { intentById } from '../../storage/records/budgets/intent-table.ts';
import { type Proposal, proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import { inTransaction } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { detailWords, endState } from '../../views/report/decision-words.ts';
import type { App } from '../app.ts';
import { isOpen } from '../budgets/budget-deps.ts';
import type { Actor } from '../change/act-on-budget.ts';
import { answerDecided, answerRejected, onLocalClock, timesOf } from '../change/answer-decided.ts';
import { approveProposal, rejectProposal } from '../change/approve-proposal.ts';
import { reconcileBudgets } from '../change/change-budgets.ts';
import {
  aboutReply,
  answerTo,
  approverOf,
  readMessage,
  recordReply,
  replyReference,
  shownSender,
  whatWaits,
} from './record-reply.ts';

const DETAIL_LENGTH_MAX = 600;

interface Decided {
  readonly outcome: Extract<ReplyOutcome, 'approved' | 'declined' | 'refused'>;
  readonly answer: string;
  /** The change that the decision made. The alert about this change replaces the answer. */
  readonly intentId?: bigint | undefined;
  readonly failures?: readonly string[];
}

export interface HandledReply {
  readonly outcome: ReplyOutcome;
  readonly failures: readonly string[];
}

/** Acts only once on a reply such as "YES 7K3Q". The caller must hold the run lock. */
export async function handleReply(app: App, event: WaitingEvent): Promise<HandledReply> {
  const { db } = app.state;
  const known = await outcomeOfReply(db, event.dedupeKey);
  if (known !== undefined) return { outcome: known, failures: [] };
  // Only approvers may decide. The callers rely on this check.
  const approver = approverOf(app, event);
  const reading = typeof approver === 'string' ? undefined : readMessage(event);
  if (typeof approver === 'string' || reading?.kind !== 'decision') {
    await recordReply(app, event);
    return { outcome: reading === undefined ? 'not_an_approver' : 'not_understood', failures: [] };
  }
  const { decision, code } = reading;
  const sender = shownSender(event);
  // Text such as "anna (+49…67) by message". The audit trail stores this text.
  const by = `${approver.name === undefined ? sender : `${approver.name} (${sender})`} by message`;
  const proposal = await proposalByCode(db, code);
  const decided =
    proposal === undefined
      ? refused(`No such proposal: ${code}.\n${await whatWaits(app)}`)
      : await decide(app, proposal, decision, { by, ...saidIn(event, decision, code) });
  await answer(app, event, code, proposal?.customerId, { ...decided, answer: app.redact(decided.answer) });
  app.log.info(`Message from ${sender} about ${code}: ${decided.outcome}.`);
  return { outcome: decided.outcome, failures: decided.failures ?? [] };
}

function saidIn(event: WaitingEvent, decision: 'approve' | 'decline', code: string): Pick<Actor, 'why' | 'reply'> {
  return { why: `answered "${decision === 'approve' ? 'YES' : 'NO'} ${code}"`, reply: replyReference(event) };
}

async function decide(app: App, proposal: Proposal, decision: 'approve' | 'decline', actor: Actor): Promise<Decided> {
  const { code } = proposal;
  const { by } = actor;
  const before = await decidedBefore(app, proposal, by);
  if (before) return before;
  const known = await answerDecided(app, proposal, by);
  if (known !== undefined) return { outcome: 'refused', answer: known };
  const acting = { ...actor, showInstant: onLocalClock(await timesOf(app, proposal.customerId)) };
  return decision === 'approve' ? approve(app, code, acting) : decline(app, code, acting);
}

/** Completes a decision if an earlier process ended before it recorded the person's reply. */
async function decidedBefore(app: App, proposal: Proposal, by: string): Promise<Decided | undefined> {
  const { db } = app.state;
  const { code, state, decidedBy, intentId } = proposal;
  if (decidedBy !== by || (await isDecidedByReply(db, code))) return undefined;
  if (state === 'rejected') return { outcome: 'declined', answer: await answerRejected(app, proposal) };
  const intent = intentId === undefined ? undefined : await intentById(db, intentId);
  if (state !== 'approved' || intent === undefined) return undefined;
  const failures = isOpen(intent) ? (await reconcileBudgets(countingAnew(app))).failures : [];
  return { outcome: 'approved', answer: `${code} is approved as B${intentId}.`, intentId, failures };
}

/** Each run needs its own counter of operations. */
function countingAnew(app: App): App {
  return { ...app, ads: app.ads && { ...app.ads, operations: new OperationCounter() } };
}

async function approve(app: App, code: string, actor: Actor): Promise<Decided> {
  const { decisions, failures } = await refusing(() => approveProposal(countingAnew(app), code, actor));
  const [decision] = decisions;
  const detail = decision && detailWords(decision);
  if (decision?.intent === undefined) return refused(outsideText(detail ?? failures.join(' '), DETAIL_LENGTH_MAX));
  const { id } = decision.intent;
  return {
    outcome: 'approved',
    answer:
      `${code} is approved as B${id}: ${endState(decision)}. ${outsideText(detail ?? '', DETAIL_LENGTH_MAX)}`.trim(),
    intentId: id,
    failures,
  };
}

async function decline(app: App, code: string, actor: Actor): Promise<Decided> {
  const result = await refusing(() => rejectProposal(app, code, actor));
  if ('decisions' in result) return refused(outsideText(result.failures.join(' '), DETAIL_LENGTH_MAX));
  const { proposal, failure } = result;
  const failures = failure === undefined ? [] : [failure];
  return { outcome: 'declined', answer: await answerRejected(app, proposal), failures };
}

/** Returns an `InputError` as a failure, because the person needs an answer. */
async function refusing<Result>(
  act: () => Promise<Result>,
): Promise<Result | { readonly decisions: readonly []; readonly failures: readonly string[] }> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { decisions: [], failures: [error.message] };
  }
}

function refused(reason: string): Decided {
  return { outcome: 'refused', answer: `Nothing was changed. ${reason}` };
}

async function answer(
  { state, clock }: App,
  event: WaitingEvent,
  proposalCode: string,
  customerId: CustomerId | undefined,
  { outcome, answer: text, intentId }: Decided,
): Promise<void> {
  const nowMs = clock.now();
  await inTransaction(state.db, async (trx) => {
    await insertReply(trx, { ...aboutReply(event), proposalCode, outcome, answer: text }, nowMs);
    const to = answerTo(event);
    const key = intentId === undefined ? undefined : await alertOf(trx, intentId);
    // The alert about this change replaces a separate answer.
    if (key !== undefined && (await addressAlsoTo(trx, key, to, nowMs))) return;
    await enqueueReply(trx, { ...to, text, customerId }, nowMs);
  });
}

async function alertOf(trx: StateDb, intentId: bigint): Promise<string | undefined> {
  const intent = await intentById(trx, intentId);
  if (intent === undefined) return undefined;
  const end = isMade(intent) ? 'done' : intent.state;
  return `budget-intent:${intentId}:${end}`;
}
