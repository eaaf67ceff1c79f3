import { explainGraphCode } from '../apis/graph/read-failure.ts';
import { type FoundMessage, fetchMessage, findMessage } from '../apis/messages/find-message.ts';
import { explainMessageCode } from '../apis/messages/read-refusal.ts';
import { referenceWord } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import { firstLineOf } from '../domain/outside-text.ts';
import { grouped } from '../domain/wording.ts';
import { maskAddress } from '../http/redact.ts';
import { createPatience, retryDelayMs } from '../http/retry.ts';
import {
  claimMessage,
  expireLeases,
  giveUpWaiting,
  type MessageOutcome,
  recordFound,
  recordNeverTaken,
  recordNotThere,
  recordOutcome,
} from '../store/alerts/message-outcome.ts';
import type { MessageState } from '../store/alerts/message-states.ts';
import {
  type Message,
  type MessageSender,
  messageRows,
  overdueMessages,
  pendingMessages,
  takeApart,
  unknownMessages,
  unreportedMessages,
} from '../store/alerts/message-table.ts';
import { escalateRows, type StrandedRow, strandedRows } from '../store/alerts/outbox-table.ts';
import { addressPending } from './address-pending.ts';
import { bundle, mayGoNow } from './bundle.ts';
import {
  type CountedDelivery,
  commit,
  type Delivery,
  type DeliveryDeps,
  type DeliveryPass,
  nextAddress,
  openPass,
  UNUSABLE_ADDRESS,
} from './delivery-pass.ts';

/**
 * Delivers what waits in the outbox; may run in several processes at once. At least once: what is not known to have arrived is
 * told by another channel, or loudly lost. At most once by each channel, as long as every outcome is known: what may be out is
 * looked for before it is sent again.
 */
export async function deliverOutbox(deps: DeliveryDeps): Promise<CountedDelivery[]> {
  const pass = openPass(deps);
  const { state, alerts, clock, channels } = pass;
  if (channels.length === 0) return [];
  await commit(pass, 'expire', async (trx) => {
    await expireLeases(trx, clock.now());
    await takeApart(trx, clock.now());
  });
  const sent = await stillUnknown(pass, await lookUpUnknown(pass));
  await askForReports(pass);
  const lost = await escalate(pass);
  await addressPending({ db: state.db, alerts, channels, nowMs: clock.now() });
  // What a channel does not take goes on to the next one at once.
  for (const channel of channels) {
    await bundle(pass, channel);
    for (const message of await pendingMessages(state.db, channel)) {
      // What waits goes with the next run.
      if (pass.pauses.stop?.aborted) break;
      if (!(await mayGoNow(pass, message))) continue;
      const delivery = await sendClaimed(pass, message);
      if (delivery) sent.set(message.id, delivery);
    }
    lost.push(...(await escalate(pass)));
  }
  const told: CountedDelivery[] = [];
  for (const [id, delivery] of sent) {
    const rows = await messageRows(state.db, id);
    const isOver =
      delivery.state === 'failed' ||
      (delivery.state === 'unknown' && rows.every(({ escalatedAt }) => escalatedAt !== undefined));
    const instead = isOver ? nextAddress(pass, delivery)?.channel : undefined;
    const counted = rows.filter((row) => row.counted === 1n).length;
    told.push({ ...delivery, alerts: rows.length, counted, instead, isLost: isOver && instead === undefined });
  }
  return [...told, ...lostEarlier(lost, sent)];
}

/** Messages of earlier that still may or may not be out, until they are passed on. */
async function stillUnknown({ state }: DeliveryPass, lookUps: readonly LookUp[]): Promise<Map<bigint, Delivery>> {
  const unknown = new Map<bigint, Delivery>();
  for (const { message, because, ...lookUp } of lookUps) {
    if (lookUp.state !== 'unknown' || because === undefined) continue;
    const rows = await messageRows(state.db, message.id);
    if (rows.every(({ escalatedAt }) => escalatedAt !== undefined)) continue;
    const error = [message.error, because].filter((part) => part !== undefined).join(' ');
    unknown.set(message.id, { ...message, state: 'unknown', error });
  }
  return unknown;
}

/** What is lost although this pass has not sent it: a report says so, or nothing was heard for too long. */
function lostEarlier(rows: readonly StrandedRow[], sent: ReadonlyMap<bigint, Delivery>): CountedDelivery[] {
  const lost = new Map<string, CountedDelivery>();
  for (const { channel, recipient, text, state, error, messageId } of rows) {
    const said = messageId === undefined ? undefined : sent.get(messageId)?.state;
    if (state === 'accepted' || said === 'failed' || said === 'unknown') continue;
    const key = `${channel} ${recipient} ${messageId}`;
    const alerts = (lost.get(key)?.alerts ?? 0) + 1;
    const row = { channel, recipient, text, state, error, counted: 0, instead: undefined, isLost: true };
    lost.set(key, { ...row, ...lost.get(key), alerts });
  }
  return [...lost.values()];
}

/**
 * Passes on to the recipient's next channel what did not arrive: at once what was refused, after a time what is not known to be
 * out, what still waits, and what was accepted and is more than information. Each once. Where no channel is left the log says
 * so loudly, and the rows are returned. An accepted message that merely was not reported on is nobody's loss then.
 */
async function escalate(pass: DeliveryPass): Promise<StrandedRow[]> {
  const { state, clock, alerts, log } = pass;
  const sinceMs = clock.now() - alerts.undeliveredMs;
  await giveUpOverdue(pass, sinceMs);
  const stranded = await strandedRows(state.db, sinceMs);
  if (stranded.length === 0) return [];
  const decided = stranded.map((row) => ({
    row,
    id: row.id,
    next: row.state === 'accepted' && row.severity === 'info' ? undefined : nextAddress(pass, row),
  }));
  const lost = decided
    .filter(({ row, next }) => next === undefined && row.state !== 'accepted')
    .map(({ row }) => explained(row));
  // Before it is written down: told twice, after a crash, is better than never.
  for (const line of lostLines(lost)) log.warn(line);
  await commit(pass, 'escalate', (trx) => escalateRows(trx, decided, clock.now()));
  return lost;
}

/** What an interface keeps refusing for now does not keep a recipient waiting who can be told by another. */
async function giveUpOverdue(pass: DeliveryPass, sinceMs: number): Promise<void> {
  for (const message of await overdueMessages(pass.state.db, sinceMs)) {
    if (nextAddress(pass, message) === undefined) continue;
    await commit(pass, 'escalate', (trx) => giveUpWaiting(trx, message.id, pass.clock.now()));
  }
}

/** A report names a code alone; a refusal has said what it means. */
function explained(row: StrandedRow): StrandedRow {
  const { channel, code, status, error } = row;
  if (code === undefined || status === undefined) return row;
  const known = channel === 'messages' ? explainMessageCode(code) : explainGraphCode(Number(code));
  if (known === undefined) return row;
  return { ...row, error: [error, known.meaning, known.nextStep].filter(Boolean).join(' ') };
}

/** One line per recipient and reason, however many alerts there are. */
function lostLines(rows: readonly StrandedRow[]): string[] {
  const groups = grouped(rows, (row) => [row.channel, row.recipient, row.state, row.error].join(' '));
  return groups.flatMap((group) => {
    const first = group.find(({ severity }) => severity === 'critical') ?? group[0];
    if (first === undefined) return [];
    const others = group.length === 1 ? '' : ` (and ${group.length - 1} more)`;
    const doubt = first.state === 'unknown' ? 'It may or may not have arrived. ' : '';
    const said = firstLineOf(first.text);
    const to = maskAddress(first.channel, first.recipient);
    return [
      `ALERT NOT DELIVERED to ${to}, and no channel is left: ${said}${others} ${doubt}${first.error ?? ''}`.trimEnd(),
    ];
  });
}

/**
 * What is not found within two days, which is two daily runs, is not looked for any more: by then it was passed on, or told
 * loudly.
 */
export const LOOKED_FOR_MS = 2 * 24 * 60 * 60_000;

/**
 * How old a request must be, by the product's clock, before a list without its message is believed: a provider that has just
 * taken a message, or is about to, need not list it yet.
 */
export const BELIEVED_AFTER_MS = 60_000;

interface LookUp {
  readonly message: Message;
  readonly state: MessageState;
  /** Why it cannot be told whether the message is out; undefined when it can. */
  readonly because: string | undefined;
}

/** Looks for every message that may or may not be out. */
async function lookUpUnknown(pass: DeliveryPass): Promise<LookUp[]> {
  const lookUps: LookUp[] = [];
  for (const message of await unknownMessages(pass.state.db, pass.clock.now() - LOOKED_FOR_MS)) {
    lookUps.push(await lookUp(pass, message));
  }
  return lookUps;
}

/** Looks for a message that may be out. Found, it was accepted; surely not there, it waits again. */
async function lookUp(pass: DeliveryPass, message: Message): Promise<LookUp> {
  const unknown = (because: string): LookUp => ({ message, state: 'unknown', because });
  if (message.channel !== 'messages' || !pass.messages) return unknown('The interface has no list to look for it in.');
  if (message.sender?.account !== pass.messages.accountId) {
    return unknown('It went out by another account (MESSAGES_ACCOUNT_ID), in whose list it cannot be looked for.');
  }
  try {
    const found = await find(pass, message);
    const nowMs = pass.clock.now();
    if (found === undefined && nowMs - Date.parse(message.requestedAt ?? '') < BELIEVED_AFTER_MS) {
      return unknown('It was looked for and is not there yet; it is looked for again.');
    }
    const state = await commit(pass, 'looked-up', (trx) =>
      found ? recordFound(trx, message.id, found, nowMs) : recordNotThere(trx, message.id, message.attempts, nowMs),
    );
    return { message, state, because: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return unknown(`It was looked for, without an answer: ${error.message}`);
  }
}

/**
 * Asks what became of the messages that were accepted long enough ago and of which no report has come. What cannot be told
 * stays as it is. A success that named no message proves little: where the list does not have it either, it was never taken.
 */
async function askForReports(pass: DeliveryPass): Promise<void> {
  const { state, clock, alerts } = pass;
  for (const message of await unreportedMessages(state.db, clock.now() - alerts.undeliveredMs)) {
    if (!isAsked(pass, message)) continue;
    const { id, providerId } = message;
    try {
      const found = await fetch(pass, message);
      if (found) await commit(pass, 'looked-up', (trx) => recordFound(trx, id, found, clock.now()));
      else if (providerId === undefined)
        await commit(pass, 'looked-up', (trx) => recordNeverTaken(trx, id, clock.now()));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

/** Whether its interface can tell what became of it: area A has no list, and another account's is not ours to read. */
function isAsked({ messages }: DeliveryPass, { channel, sender }: Message): boolean {
  return channel === 'messages' && messages !== undefined && sender?.account === messages.accountId;
}

async function fetch(pass: DeliveryPass, message: Message): Promise<FoundMessage | undefined> {
  const { messages } = pass;
  const { providerId } = message;
  if (!messages || providerId === undefined) return find(pass, message);
  return asked(pass, () => fetchMessage(messages, providerId));
}

/** Among what was sent from the address that the request was from, whatever the settings say now. */
async function find(pass: DeliveryPass, message: Message): Promise<FoundMessage | undefined> {
  const { messages } = pass;
  const { recipient: to, reference, createdAt, sender } = message;
  if (!messages || !sender) return undefined;
  const wanted = { to, reference: referenceWord(reference), sinceMs: Date.parse(createdAt) };
  return asked(pass, () => findMessage({ ...messages, from: sender.address }, wanted));
}

async function asked<Answer>({ passes }: DeliveryPass, ask: () => Promise<Answer>): Promise<Answer> {
  passes('look-up:before-send');
  const answer = await ask();
  passes('look-up:after-answer');
  return answer;
}

/**
 * Sends a message that waits, with a lease that is committed before each request. What was surely not processed is tried again
 * within the policy's bounds. What may be out is looked for first, and only sent again if it is surely not there, which a later
 * pass can tell. Undefined when another process has it.
 */
async function sendClaimed(pass: DeliveryPass, message: Message): Promise<Delivery | undefined> {
  const { clock, pauses } = pass;
  const policy = pass.retry[message.channel];
  const patience = createPatience(policy, pauses);
  const sender = senderOf(pass, message);
  for (let attempt = 1; ; attempt++) {
    const startedMs = pauses.elapsedMs();
    const requestedMs = clock.now();
    const claimed = await commit(pass, 'claim', (trx) =>
      claimMessage(trx, message.id, pass.holder, requestedMs, sender),
    );
    if (claimed === undefined) return undefined;
    const answer = await trySending(pass, message);
    const outcome = answer instanceof ApiError ? outcomeOf(pass, message, answer) : answer;
    const ends = await commit(pass, 'outcome', (trx) => recordOutcome(trx, message.id, claimed, outcome, clock.now()));
    if (!(answer instanceof ApiError)) return delivery(message, ends, 'It was taken, and reported as failed at once.');
    patience.spend(pauses.elapsedMs() - startedMs);
    const delayMs = retryDelayMs(policy, attempt, answer.retryAfterMs);
    const mayTry = attempt < policy.attempts && !pauses.stop?.aborted;
    const again = answer.transient && mayTry && patience.allows(delayMs);
    if (again && (ends === 'pending' || ends === 'unknown')) await patience.pause(delayMs);
    const found =
      ends === 'unknown'
        ? await lookUp(pass, { ...message, attempts: claimed, sender, requestedAt: instantText(requestedMs) })
        : { state: ends, because: undefined };
    if (found.state === 'pending' && again && !pauses.stop?.aborted) continue;
    const said = explainFailure(answer);
    return delivery(message, found.state, found.because === undefined ? said : `${said} ${found.because}`);
  }
}

/** Who a message of area C is from, to be looked for by when the settings say something else. */
function senderOf({ messages }: DeliveryPass, { channel }: Message): MessageSender | undefined {
  return channel === 'messages' && messages ? { account: messages.accountId, address: messages.from } : undefined;
}

/** The failure is returned: what it means for the message is decided and written down first. */
async function trySending(pass: DeliveryPass, message: Message): Promise<ApiError | AcceptedOutcome> {
  pass.passes('send:before-send');
  const answer = await pass.send(message).catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
  pass.passes('send:after-answer');
  return answer instanceof ApiError ? answer : { kind: 'accepted', ...answer };
}

type AcceptedOutcome = Extract<MessageOutcome, { kind: 'accepted' }>;

/**
 * What the settings or the interface's owner can mend waits until it is mended, unless the recipient can be told by another
 * channel meanwhile. A refusal of the message itself is for good.
 */
function outcomeOf(pass: DeliveryPass, message: Message, failure: ApiError): MessageOutcome {
  const says = { error: explainFailure(failure), code: failure.status };
  if (failure.outcome === 'unknown') return { kind: 'unknown', ...says };
  const waits = failure.transient || (canBeMended(failure, message) && nextAddress(pass, message) === undefined);
  return { kind: waits ? 'not_processed' : 'refused', ...says };
}

function canBeMended({ httpStatus, status }: ApiError, { channel }: Message): boolean {
  const code = /^\d+$/.test(status) ? Number(status) : undefined;
  // A refusal of our own, before any request.
  if (httpStatus === undefined) return code === undefined && status !== UNUSABLE_ADDRESS;
  // Area A says with a code what others say with a status: a token or a permission is missing.
  if (channel === 'graph' && code !== undefined && [0, 10, 190].includes(code)) return true;
  if (channel === 'graph' && code !== undefined && code >= 200 && code < 300) return true;
  return [401, 403, 404].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400);
}

function delivery({ channel, recipient, text }: Message, state: MessageState, error: string | undefined): Delivery {
  const told = { channel, recipient, text };
  if (state === 'accepted' || state === 'delivered') return { ...told, state: 'accepted', error: undefined };
  return { ...told, state: state === 'sending' ? 'pending' : state, error };
}
