import { channelNamed } from '../../channels/channels.ts';
import { instantText } from '../../domain/civil-date.ts';
import { ApiError, unreachable } from '../../domain/errors.ts';
import type { Inbox, WaitingEvent } from '../../storage/inbox/inbox.ts';
import { failedRows, hasWrittenSince } from '../../storage/records/alerts/lost-rows.ts';
import { recordStatus, stateOfStatus } from '../../storage/records/alerts/message-outcome.ts';
import { awaitsProviderId } from '../../storage/records/alerts/message-table.ts';
import type { Address } from '../../storage/records/alerts/outbox-row.ts';
import { openAnswers } from '../../storage/records/alerts/reply-table.ts';
import type { App } from '../app.ts';
import { engineOf } from '../folder/engine.ts';
import { handleReply } from './handle-reply.ts';
import { connectionOf, payloadOf, type RecordingApp, recordReply } from './record-reply.ts';

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

export type BesideApp = RecordingApp & Pick<App, 'settings' | 'redact'>;

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
  const until = `until ${instantText(early.reduce((latest, one) => Math.max(latest, one), 0))}`;
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
