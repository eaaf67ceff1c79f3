import { channelNamed } from '../../channels/channels.ts';
import { isMade } from '../../domain/budget-change.ts';
import { instantText, secondText } from '../../domain/civil-date.ts';
import { ApiError, InputError, unreachable } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { outsideText } from '../../domain/outside-text.ts';
import type { Inbox, WaitingEvent } from '../../storage/inbox/inbox.ts';
import { addressAlsoTo, enqueueReply } from '../../storage/records/alerts/alert-table.ts';
import { failedRows, hasWrittenSince } from '../../storage/records/alerts/lost-rows.ts';
import { recordStatus, stateOfStatus } from '../../storage/records/alerts/message-outcome.ts';
import { awaitsProviderId } from '../../storage/records/alerts/message-table.ts';
import type { Address } from '../../storage/records/alerts/outbox-row.ts';
import {
  insertReply,
  isDecidedByReply,
  openAnswers,
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
import {
  answerDecided,
  answerRejected,
  approveProposals,
  onLocalClock,
  rejectProposals,
  timesOf,
} from '../change/approve-proposal.ts';
import { reconcileBudgets } from '../change/change-budgets.ts';
import { engineOf } from '../folder/engine.ts';
import {
  aboutReply,
  answerTo,
  approverOf,
  connectionOf,
  payloadOf,
  type RecordingApp,
  readMessage,
  recordReply,
  replyReference,
  shownSender,
  whatWaits,
} from './record-reply.ts';

export interface HandledInbox {
  readonly handled: number;
  readonly failures: readonly string[];
}

export interface HandledBeside extends HandledInbox {
  /** Number of decisions that need the run lock. */
  readonly decisions: number;
  readonly later: boolean;
  /** At most one sentence: how many delivery reports wait, and until when. */
  readonly waits: readonly string[];
  /** True if an answer or a failed message awaits delivery, or a lost alert may arrive now. */
  readonly toDeliver: boolean;
  /** The newest answered message of a channel that answers from the address that the person wrote to. */
  readonly answered: WaitingEvent | undefined;
}

type BesideApp = RecordingApp & Pick<App, 'settings' | 'redact'>;

/** Milliseconds that a delivery report waits if its message is not known yet. */
const STATUS_EARLY_MS = 10 * 60_000;

/** Milliseconds during which an undelivered answer causes a delivery without other alerts. */
const ANSWER_SOON_MS = 24 * 60 * 60_000;

export function undeliveredAnswers({ state, clock }: Pick<App, 'state' | 'clock'>): Promise<Address[]> {
  return openAnswers(state.db, clock.now() - ANSWER_SOON_MS);
}

/** The caller must hold the run lock. Do not call this in a recorded run, because an approval starts its own run. */
export async function handleInbox(app: App): Promise<HandledBeside> {
  return withInbox(app, async (inbox) => {
    const beside = await handleAllBeside(app, inbox);
    // After a stop, an unhandled decision waits for the next run.
    const mayDecide = ({ kind }: WaitingEvent) => kind === 'message' && !app.stop.aborted;
    const decisions = await handleEach(app, inbox, mayDecide, async (event) => {
      const { outcome, failures } = await handleReply(app, event);
      return { outcome, failures, answered: toAnswer(event) };
    });
    return {
      ...beside,
      handled: beside.handled + decisions.handled,
      failures: [...beside.failures, ...decisions.failures],
      toDeliver: beside.toDeliver || decisions.handled > 0,
      answered: answeredLast(decisions.came) ?? beside.answered,
    };
  });
}

/** Handles only events that change no budget, so the run lock is not needed. */
export function handleInboxBeside(app: BesideApp): Promise<HandledBeside> {
  return withInbox(app, (inbox) => handleAllBeside(app, inbox));
}

async function withInbox(
  app: Pick<App, 'settings' | 'clock' | 'state'>,
  handle: (inbox: Inbox) => Promise<HandledBeside>,
): Promise<HandledBeside> {
  const engine = await engineOf(app.settings);
  if (!engine.hasInbox())
    return { handled: 0, failures: [], decisions: 0, later: false, waits: [], toDeliver: false, answered: undefined };
  const inbox = await engine.openInbox(app.clock);
  try {
    const handled = await handle(inbox);
    const untold = await undeliveredAnswers(app);
    const first = untold.find(({ channel }) => answersFromOwnAddress(channel));
    const answered = handled.answered ?? (first && (await inbox.newestMessage(first.channel, first.recipient)));
    const mayArrive = (await failedRows(app.state.db)).some(hasWrittenSince);
    return { ...handled, toDeliver: handled.toDeliver || untold.length > 0 || mayArrive, answered };
  } finally {
    await inbox.close();
  }
}

/** If `outcome` is undefined, the event waits for the next attempt. */
interface Came {
  readonly outcome: string | undefined;
  readonly failures?: readonly string[];
  readonly decides?: boolean;
  readonly earlyUntilMs?: number;
  readonly toDeliver?: boolean;
  readonly answered?: WaitingEvent | undefined;
}

/** True for a channel that answers from the address that the person wrote to. */
const answersFromOwnAddress = (channel: string) => channelNamed(channel)?.replies?.answering !== undefined;
const toAnswer = (event: WaitingEvent) => (answersFromOwnAddress(event.channel) ? event : undefined);

const answeredLast = (came: readonly Came[]) => came.findLast(({ answered }) => answered !== undefined)?.answered;

async function handleAllBeside(app: BesideApp, inbox: Inbox): Promise<HandledBeside> {
  const { handled, failures, came } = await handleEach(
    app,
    inbox,
    () => true,
    (event) => handleBeside(app, event),
  );
  const early = came.flatMap(({ earlyUntilMs }) => earlyUntilMs ?? []);
  const reports = early.length === 1 ? 'One delivery report waits' : `${early.length} delivery reports wait`;
  const about = 'for a message that is being sent or looked up';
  const until = `until ${secondText(instantText(early.reduce((latest, one) => Math.max(latest, one), 0)))}`;
  return {
    handled,
    failures,
    decisions: came.filter(({ decides }) => decides).length,
    later: early.length > 0 || failures.length > 0,
    waits: early.length === 0 ? [] : [`${reports} ${about}, ${until} at the latest.`],
    toDeliver: came.some(({ toDeliver }) => toDeliver),
    answered: answeredLast(came),
  };
}

async function handleBeside(app: BesideApp, event: WaitingEvent): Promise<Came> {
  switch (event.kind) {
    case 'status': {
      const outcome = await handleStatus(app, event);
      if (outcome !== undefined) return { outcome, toDeliver: outcome === 'failed' };
      return { outcome, earlyUntilMs: Date.parse(event.receivedAt) + STATUS_EARLY_MS };
    }
    case 'message': {
      const recorded = await recordReply(app, event);
      if (recorded.kind === 'decides') return { outcome: undefined, decides: true };
      const { answered } = recorded;
      return { outcome: 'recorded', toDeliver: answered, answered: answered ? toAnswer(event) : undefined };
    }
    case 'other':
      app.log.info(`Unknown event received by ${event.channel}. It is kept as webhook_event ${event.id}.`);
      return { outcome: 'kept' };
    default:
      return unreachable(event.kind);
  }
}

async function handleEach(
  { redact }: Pick<App, 'redact'>,
  inbox: Inbox,
  isWanted: (event: WaitingEvent) => boolean,
  handle: (event: WaitingEvent) => Promise<Came>,
): Promise<HandledInbox & { readonly came: readonly Came[] }> {
  const all: Came[] = [];
  const failures: string[] = [];
  let handled = 0;
  for (const event of await inbox.waiting()) {
    if (!isWanted(event)) continue;
    try {
      const came = await handle(event);
      all.push(came);
      failures.push(...(came.failures ?? []));
      if (came.outcome === undefined) continue;
      await inbox.done(event.id, came.outcome);
      handled += 1;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      failures.push(redact(`webhook_event ${event.id} could not be handled and still waits: ${words}`));
    }
  }
  return { handled, failures, came: all };
}

/** Returns undefined if the report must wait until its message is known. */
async function handleStatus(
  { state, clock }: BesideApp,
  event: WaitingEvent,
): Promise<'failed' | 'moved' | 'kept' | 'unknown_message' | undefined> {
  const { channel, providerId = '', status = '', receivedAt } = event;
  const nowMs = clock.now();
  const details = channelNamed(channel)?.replies?.statusDetails(payloadOf(event)) ?? { errorCode: undefined };
  const told = { channel, providerId, status, ...details };
  // This query must run before `recordStatus`. Otherwise another process could record the provider's id in between.
  const mayBeOurs = await awaitsProviderId(state.db, channel);
  const came = await recordStatus(state.db, told, nowMs);
  if (came === 'unknown_message' && !mayBeOurs) return came;
  if (came === 'unknown_message') return nowMs - Date.parse(receivedAt) < STATUS_EARLY_MS ? undefined : came;
  return came === 'moved' && stateOfStatus(status) === 'failed' ? 'failed' : came;
}

/** If no sender is configured, answers come from the address that the person wrote to. */
export async function answeringFrom(app: App, event: WaitingEvent | undefined): Promise<App> {
  if (event === undefined) return app;
  const connection = connectionOf(app, event.channel);
  const answering = channelNamed(event.channel)?.replies?.answering;
  if (connection === undefined || answering === undefined) return app;
  try {
    return { ...app, [event.channel]: await answering(connection, payloadOf(event)) };
  } catch (error) {
    // The delivery looks up the sender again and then reports the error.
    if (error instanceof ApiError) return app;
    throw error;
  }
}

const DETAIL_LENGTH_MAX = 600;

interface Decided {
  readonly outcome: Extract<ReplyOutcome, 'approved' | 'declined' | 'refused'>;
  readonly answer: string;
  /** The change that the decision made. The alert about this change replaces the answer. */
  readonly intentId?: bigint | undefined;
  readonly failures?: readonly string[];
}

interface HandledReply {
  readonly outcome: ReplyOutcome;
  readonly failures: readonly string[];
}

/** Acts only once on a reply such as "YES 7K3Q". The caller must hold the run lock. */
async function handleReply(app: App, event: WaitingEvent): Promise<HandledReply> {
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
  return { ...app, ads: app.ads && { ...app.ads, operations: { count: 0 } } };
}

async function approve(app: App, code: string, actor: Actor): Promise<Decided> {
  const { decisions, failures } = await refusing(() => approveProposals(countingAnew(app), [code], actor));
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
  const { proposals, failures } = await refusing(() => rejectProposals(app, [code], actor));
  const [proposal] = proposals;
  if (proposal === undefined) return refused(outsideText(failures.join(' '), DETAIL_LENGTH_MAX));
  return { outcome: 'declined', answer: await answerRejected(app, proposal), failures };
}

/** Returns an `InputError` as a failure, because the person needs an answer. */
async function refusing<Result>(
  act: () => Promise<Result>,
): Promise<
  Result | { readonly decisions: readonly []; readonly proposals: readonly []; readonly failures: readonly string[] }
> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { decisions: [], proposals: [], failures: [error.message] };
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
