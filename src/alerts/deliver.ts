import {
  type FoundMessage,
  type OpenChannel,
  type Picture,
  type SaidAlert,
  type SentAlert,
  type SentMessages,
  UNUSABLE_ADDRESS,
} from '../channels/channel.ts';
import { maskAddress, webhookPath } from '../channels/channels.ts';
import { instantText } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import { firstLineOf } from '../domain/outside-text.ts';
import { grouped, withoutFullStop } from '../domain/wording.ts';
import { createRetryBudget, retryDelayMs } from '../services/http/retry.ts';
import { type FailedRow, failedRows, hasWrittenSince, reopenRows } from '../storage/records/alerts/lost-rows.ts';
import {
  claimMessage,
  dissolveMessage,
  expireLeases,
  giveUpWaiting,
  isRepeated,
  type MessageOutcome,
  type MessageState,
  recordFound,
  recordNeverTaken,
  recordNotThere,
  recordOutcome,
  recordUnreadable,
  repeatInDoubt,
  repeatMessage,
} from '../storage/records/alerts/message-outcome.ts';
import {
  failedMessages,
  type Message,
  type MessageRow,
  messageById,
  messageRows,
  overdueMessages,
  pendingMessages,
  takeApart,
  unknownMessages,
  unreportedMessages,
} from '../storage/records/alerts/message-table.ts';
import { escalateRows, type StrandedRow, settleSeen, strandedRows } from '../storage/records/alerts/outbox-table.ts';
import { reportMailOf } from '../storage/records/alerts/report-mail-table.ts';
import { commit } from '../storage/records/in-transaction.ts';
import { addressPending } from './address-pending.ts';
import { askingElsewhere, bundle, inOrder, mayGoNow } from './bundle.ts';
import {
  type CountedDelivery,
  type Delivery,
  type DeliveryChannel,
  type DeliveryDeps,
  type DeliveryPass,
  nextAddress,
  openPass,
  recipientAt,
} from './delivery-pass.ts';
import { needsTemplate, wasTemplate } from './reply-window.ts';

/**
 * One pass over the outbox. Its order decides what people hear. Expired claims come first, so that messages of a dead
 * process are looked up. Doubt is resolved before alerts move on. Otherwise, a message that the provider has would go
 * to the next channel, too. Then each channel sends its messages. Alerts that it could not deliver move on at once, so
 * the next channel of this pass takes them. Each step is a commit of its own, because no transaction may be open during
 * a request. So the pass can end after any step, and the next pass goes on. Several processes can deliver at once.
 */
export async function deliverOutbox(deps: DeliveryDeps): Promise<CountedDelivery[]> {
  const pass = openPass(deps);
  const { state, alerts, clock, channels, usable } = pass;
  if (usable.length === 0) return [];
  await commit(pass, 'expire', async (trx) => {
    await expireLeases(trx, clock.now());
    await takeApart(trx, clock.now());
    await settleSeen(trx, clock.now());
  });
  const sent = await lookUpUnknown(pass);
  const doubtful = await askForReports(pass);
  const lost = await escalate(pass, doubtful);
  await tryLostAgain(pass);
  await addressPending({ db: state.db, alerts, channels: usable, nowMs: clock.now() });
  for (const channel of channels) {
    const { opened } = channel;
    if (opened === undefined) continue;
    await sendBundled(pass, channel, opened, sent);
    if (await releaseLate(pass, opened)) await sendBundled(pass, channel, opened, sent);
    lost.push(...(await escalate(pass, doubtful)));
  }
  const told: CountedDelivery[] = [];
  for (const [id, delivery] of sent) {
    const rows = await messageRows(state.db, id);
    // A template tells them instead.
    if (rows.length === 0) continue;
    const isOver =
      delivery.state === 'failed' ||
      (delivery.state === 'unknown' && rows.every(({ escalatedAt }) => escalatedAt !== undefined));
    const instead = isOver ? nextAddress(pass, delivery)?.channel : undefined;
    const counted = rows.filter((row) => row.counted === 1n).length;
    told.push({ ...delivery, alerts: rows.length, counted, instead, isLost: isOver && instead === undefined });
  }
  return [...told, ...lostEarlier(lost, sent)];
}

async function sendBundled(
  pass: DeliveryPass,
  channel: DeliveryChannel,
  opened: OpenChannel,
  sent: Map<bigint, Delivery>,
): Promise<void> {
  const { db } = pass.state;
  for (const message of await pendingMessages(db, channel.name)) {
    if (!(await isTooLong(pass, opened, message))) continue;
    await commit(pass, 'escalate', (trx) => dissolveMessage(trx, message, TOO_LONG, pass.clock.now()));
  }
  await bundle(pass, channel);
  for (const message of await pendingMessages(db, channel.name)) {
    if (pass.pauses.stop?.aborted) break;
    if (!(await mayGoNow(pass, message)) || (await isTooLong(pass, opened, message))) continue;
    const delivery = await sendClaimed(pass, channel, opened, message);
    if (delivery) sent.set(message.id, delivery);
  }
}

const TOO_LONG = 'The reply window closed before the message was sent. Its alerts are sent by template.';

/** True if the reply window closed after the message was made. Its alerts are bundled again, in the length of a template. */
async function isTooLong({ state, clock }: DeliveryPass, opened: OpenChannel, message: Message): Promise<boolean> {
  const { window } = opened;
  if (window === undefined || message.text.length <= window.textLengthMax) return false;
  return needsTemplate(state.db, opened, message, clock.now());
}

/** Messages of earlier deliveries that failed, or whose outcome stayed unknown. */
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

/** Moves undelivered alerts to the next channel. Returns alerts that are lost because no channel is left. */
async function escalate(pass: DeliveryPass, doubtful: ReadonlySet<bigint>): Promise<StrandedRow[]> {
  const { state, clock, alerts, log } = pass;
  const sinceMs = clock.now() - alerts.undeliveredMs;
  await repeatWithoutPicture(pass);
  for (const { opened } of pass.channels) if (opened) await releaseLate(pass, opened);
  await giveUpOverdue(pass, sinceMs);
  const stranded = await strandedRows(state.db, pass.confirming, sinceMs);
  if (stranded.length === 0) return [];
  const decided = stranded
    .map((row) => ({
      row,
      id: row.id,
      next: row.state === 'accepted' && row.severity === 'info' ? undefined : nextAddress(pass, row),
    }))
    // Without a next channel, an alert in doubt waits for a look-up.
    .filter(({ row, next }) => next !== undefined || row.messageId === undefined || !doubtful.has(row.messageId));
  const lost = decided
    .filter(({ row, next }) => next === undefined && row.state !== 'accepted')
    .map(({ row }) => explained(pass, row));
  // Log before the commit, because after a crash two log lines are better than none.
  for (const line of lostLines(lost)) log.warn(line);
  await commit(pass, 'escalate', (trx) => escalateRows(trx, decided, clock.now()));
  return lost;
}

const LOST_PAUSE_MS = 24 * 60 * 60_000;

/** Lost alerts wait again if their recipient wrote, if the settings changed what stopped them, or a day later. */
async function tryLostAgain(pass: DeliveryPass): Promise<void> {
  const { state, clock, usable } = pass;
  const again = new Map<bigint, bigint>();
  for (const row of await failedRows(state.db)) {
    const isDue = hasWrittenSince(row) || (row.id === row.lostId && mayTryAgain(pass, row));
    if (isDue && usable.includes(row.channel) && !again.has(row.lostId)) again.set(row.lostId, row.id);
  }
  if (again.size === 0) return;
  await commit(pass, 'escalate', (trx) => reopenRows(trx, [...again.values()], clock.now()));
}

function mayTryAgain({ alerts, clock }: DeliveryPass, row: FailedRow): boolean {
  const { channel, recipient, reason, messageId, triedAt } = row;
  if (clock.now() - Date.parse(triedAt) >= LOST_PAUSE_MS) return true;
  const isKnown = reason === 'reply' || recipientAt(alerts, channel, recipient) !== undefined;
  // Without a message, a known recipient had no channel. With one, another recipient has no address of today.
  return isKnown === (messageId === undefined);
}

/** A channel that keeps refusing must not delay alerts that can use another channel. */
async function giveUpOverdue(pass: DeliveryPass, sinceMs: number): Promise<void> {
  for (const message of await overdueMessages(pass.state.db, sinceMs)) {
    if (nextAddress(pass, message) === undefined) continue;
    await commit(pass, 'escalate', (trx) => giveUpWaiting(trx, message.id, pass.clock.now()));
  }
}

/** Delivery reports contain only an error code, so add the meaning of the code. */
function explained({ channels }: DeliveryPass, row: StrandedRow): StrandedRow {
  const { channel, code, status, error } = row;
  if (code === undefined || status === undefined) return row;
  const known = channels.find(({ name }) => name === channel)?.explainCode(code);
  if (known === undefined) return row;
  return { ...row, error: [error, known.meaning, known.nextStep].filter(Boolean).join(' ') };
}

function lostLines(rows: readonly StrandedRow[]): string[] {
  const groups = grouped(rows, (row) => [row.channel, row.recipient, row.state, row.error].join(' '));
  return groups.flatMap((group) => {
    const first = group.find(({ severity }) => severity === 'critical') ?? group[0];
    if (first === undefined) return [];
    const others = group.length === 1 ? '' : ` (and ${group.length - 1} more)`;
    const doubt = first.state === 'unknown' ? ' Delivery not confirmed: it may have arrived.' : '';
    const said = withoutFullStop(firstLineOf(first.text));
    const to = maskAddress(first.channel, first.recipient);
    return [
      `ALERT NOT DELIVERED to ${to}, all channels failed. Alert: ${said}${others}.${doubt} ${first.error ?? ''}`.trimEnd(),
    ];
  });
}

/** A message in doubt is looked up for two days. */
export const LOOKED_FOR_MS = 2 * 24 * 60 * 60_000;

/** In this time after a request, the provider's list may still lack a message that was sent. */
export const BELIEVED_AFTER_MS = 60_000;

interface LookUp {
  readonly state: MessageState;
  readonly because: string | undefined;
}

/** Returns messages whose outcome is still unknown, unless all their alerts already moved to another channel. */
async function lookUpUnknown(pass: DeliveryPass): Promise<Map<bigint, Delivery>> {
  const { db } = pass.state;
  const unknown = new Map<bigint, Delivery>();
  for (const message of await unknownMessages(db, pass.clock.now() - LOOKED_FOR_MS)) {
    const { state, because } = await lookUp(pass, message);
    if (state !== 'unknown' || because === undefined) continue;
    const rows = await messageRows(db, message.id);
    if (rows.every(({ escalatedAt }) => escalatedAt !== undefined)) continue;
    const error = [message.error, because].filter((part) => part !== undefined).join(' ');
    unknown.set(message.id, { ...message, state, error });
  }
  return unknown;
}

/**
 * A message in the provider's list gets the provider's status. A message that the list still lacks after
 * `BELIEVED_AFTER_MS` can be sent again.
 */
async function lookUp(pass: DeliveryPass, message: Message): Promise<LookUp> {
  const unknown = (because: string): LookUp => ({ state: 'unknown', because });
  const opened = openedFor(pass, message);
  const list = opened?.sentMessages;
  if (list === undefined) {
    if (opened?.repeatsInDoubt && !isRepeated(message)) {
      const { id, attempts } = message;
      const state = await commit(pass, 'looked-up', (trx) => repeatInDoubt(trx, id, attempts, pass.clock.now()));
      return { state, because: undefined };
    }
    return unknown('This interface has no list of sent messages.');
  }
  if (message.account !== opened?.account) {
    return unknown(
      `The message was sent from another account. pacekeeper cannot look it up. Check ${list.accountSetting}.`,
    );
  }
  try {
    const found = await find(pass, list, message);
    const nowMs = pass.clock.now();
    if (found === undefined && nowMs - Date.parse(message.requestedAt ?? '') < BELIEVED_AFTER_MS) {
      return unknown('The message is not in the list of sent messages yet. pacekeeper checks again later.');
    }
    const state = await commit(pass, 'looked-up', (trx) =>
      found ? recordFound(trx, message.id, found, nowMs) : recordNotThere(trx, message.id, message.attempts, nowMs),
    );
    const isGone = state === 'unknown' && message.providerId !== undefined;
    return { state, because: isGone ? LIST_LOST_IT : undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return unknown(`The look-up of the message failed: ${error.message}`);
  }
}

const LIST_LOST_IT = 'The provider accepted the message, but its list does not have it.';

/**
 * Returns the ids of messages whose status could not be read. They are asked for again for two days, and are then in doubt.
 * Otherwise, one unusable answer would leave them accepted for good.
 */
async function askForReports(pass: DeliveryPass): Promise<ReadonlySet<bigint>> {
  const { state, clock, alerts } = pass;
  const doubtful = new Set<bigint>();
  for (const message of await unreportedMessages(state.db, pass.confirming, clock.now() - alerts.undeliveredMs)) {
    const opened = openedFor(pass, message);
    // Another account's list is unreadable.
    if (opened?.sentMessages === undefined || message.account !== opened.account) continue;
    const { id, providerId } = message;
    try {
      const found = await fetch(pass, opened.sentMessages, message);
      if (found) await commit(pass, 'looked-up', (trx) => recordFound(trx, id, found, clock.now()));
      else if (providerId === undefined)
        await commit(pass, 'looked-up', (trx) => recordNeverTaken(trx, id, clock.now()));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      doubtful.add(id);
      if (clock.now() - Date.parse(message.requestedAt ?? message.createdAt) < LOOKED_FOR_MS) continue;
      const doubt = `The status of the message could not be read for two days: ${error.message}`;
      await commit(pass, 'looked-up', (trx) => recordUnreadable(trx, id, doubt, clock.now()));
    }
  }
  return doubtful;
}

function openedFor({ channels }: DeliveryPass, { channel }: Message): OpenChannel | undefined {
  return channels.find(({ name }) => name === channel)?.opened;
}

async function fetch(pass: DeliveryPass, list: SentMessages, message: Message): Promise<FoundMessage | undefined> {
  const { providerId } = message;
  return providerId === undefined ? find(pass, list, message) : asked(pass, () => list.fetch(providerId));
}

/** The settings may have changed, so search by the sender of the original request. */
async function find(pass: DeliveryPass, list: SentMessages, message: Message): Promise<FoundMessage | undefined> {
  const { recipient, reference, createdAt, sender } = message;
  if (sender === undefined) return undefined;
  return asked(pass, () => list.find({ recipient, sender, reference, sinceMs: Date.parse(createdAt) }));
}

async function asked<Answer>({ passes }: DeliveryPass, ask: () => Promise<Answer>): Promise<Answer> {
  passes('look-up:before-send');
  const answer = await ask();
  passes('look-up:after-answer');
  return answer;
}

/** Commits a lease before each request. Undefined if another process has already taken the message. */
async function sendClaimed(
  pass: DeliveryPass,
  channel: DeliveryChannel,
  opened: OpenChannel,
  waiting: Message,
): Promise<Delivery | undefined> {
  let message = waiting;
  const { clock, pauses } = pass;
  const policy = channel.retry;
  const retryBudget = createRetryBudget(policy, pauses);
  // Fetch the picture first, because `requestedMs` must be the time of the request.
  const picture = await pictureOf(pass, opened, message);
  // The account and sender are recorded, so that a look-up works after a change of the settings.
  const sender = { account: opened.account, sender: opened.sender };
  for (let attempt = 1; ; attempt++) {
    const startedMs = pauses.elapsedMs();
    const requestedMs = clock.now();
    const claimed = await commit(pass, 'claim', (trx) =>
      claimMessage(trx, message.id, pass.holder, requestedMs, sender),
    );
    if (claimed === undefined) return undefined;
    const shown = attempt === 1 ? picture : undefined;
    const answer = await trySending(pass, channel, opened, message, { picture: shown, requestedMs });
    const outcome =
      answer instanceof ApiError
        ? outcomeOf(pass, channel, message, answer, shown)
        : { kind: 'accepted' as const, ...answer };
    const ends = await commit(pass, 'outcome', (trx) => recordOutcome(trx, message.id, claimed, outcome, clock.now()));
    if (!(answer instanceof ApiError))
      return delivery(message, ends, 'The service accepted the message, then reported at once that delivery failed.');
    retryBudget.spend(pauses.elapsedMs() - startedMs);
    const delayMs = retryDelayMs(policy, attempt, answer.retryAfterMs);
    const mayTry = attempt < policy.attempts && !pauses.stop?.aborted;
    if (shown !== undefined && ends === 'pending' && !answer.transient && !pauses.stop?.aborted) continue;
    const again = answer.transient && mayTry && retryBudget.allows(delayMs);
    if (again && (ends === 'pending' || ends === 'unknown')) await retryBudget.pause(delayMs);
    const found =
      ends === 'unknown'
        ? await lookUp(pass, { ...message, ...sender, attempts: claimed, requestedAt: instantText(requestedMs) })
        : { state: ends, because: undefined };
    if (found.state === 'pending' && again && !pauses.stop?.aborted) {
      message = (await messageById(pass.state.db, message.id)) ?? message;
      continue;
    }
    const said = explainFailure(answer);
    return delivery(message, found.state, found.because === undefined ? said : `${said} ${found.because}`);
  }
}

/** A repeated request, a template and a text that is too long for a caption get no picture. */
async function pictureOf(
  { pictureAt, state, clock }: DeliveryPass,
  opened: OpenChannel,
  message: Message,
): Promise<Picture | undefined> {
  const { id, text, attempts } = message;
  const { pictures } = opened;
  if (!pictureAt || !pictures || attempts > 0n || text.length > (pictures.captionLengthMax ?? Infinity))
    return undefined;
  if (await needsTemplate(state.db, opened, message, clock.now())) return undefined;
  const shown = inOrder(await messageRows(state.db, id)).filter(
    ({ counted, reason }) => counted === 0n && reason !== 'reply',
  );
  const row = shown.find(({ customerId }) => customerId !== undefined);
  return row?.customerId === undefined ? undefined : pictureAt(row.customerId, row.account, pictures);
}

/** If the provider cannot use the picture, the message is sent again without the picture, once. */
async function repeatWithoutPicture(pass: DeliveryPass): Promise<void> {
  if (!pass.pictureAt) return;
  const codes = pass.channels.flatMap(({ opened }) => opened?.pictures?.codes ?? []);
  if (codes.length === 0) return;
  for (const message of await failedMessages(pass.state.db, codes)) {
    if (message.attempts > 1n) continue;
    pass.log.warn(`An alert is sent again without its picture. ${message.error ?? ''}`.trimEnd());
    await commit(pass, 'escalate', (trx) => repeatMessage(trx, message, pass.clock.now()));
  }
}

/**
 * Free text that came after the reply window did not arrive. Its alerts wait again, so that they are bundled in the length of a
 * template. A template with the same refusal would be refused again, so its alerts go to the next channel. Returns true if
 * alerts wait.
 */
async function releaseLate(pass: DeliveryPass, { window }: OpenChannel): Promise<boolean> {
  if (window === undefined) return false;
  const { state, log, clock } = pass;
  let released = false;
  for (const message of await failedMessages(state.db, [window.refusal])) {
    if (await wasTemplate(state.db, window, message)) continue;
    log.warn(`An alert is sent again by template. ${message.error ?? ''}`.trimEnd());
    const rows = (await messageRows(state.db, message.id)).map(({ id }) => id);
    await commit(pass, 'escalate', (trx) => reopenRows(trx, rows, clock.now()));
    released = true;
  }
  return released;
}

/** Returns an `ApiError` instead of throwing, because the caller records the outcome. */
async function trySending(
  { passes, publicUrl, state, alerts: { repeatMs } }: DeliveryPass,
  { name, replies }: DeliveryChannel,
  opened: OpenChannel,
  { id, recipient, text, reference }: Message,
  { picture, requestedMs }: { readonly picture: Picture | undefined; readonly requestedMs: number },
): Promise<ApiError | SentAlert> {
  const rows = (await messageRows(state.db, id)).filter(({ counted }) => counted === 0n);
  const [row, ...others] = rows;
  const byTemplate = await needsTemplate(state.db, opened, { channel: name, recipient }, requestedMs);
  // Only the last news of each alert. A program would end one that ended and began again while its message waited.
  const news = new Map(rows.map((one) => [one.alertId, one]));
  passes('send:before-send');
  const alert = {
    recipient,
    text,
    reference,
    picture,
    byTemplate,
    statusCallback: publicUrl === undefined ? undefined : publicUrl + webhookPath(name),
    alerts: inOrder([...news.values()])
      .map((row) => (replies === undefined ? askingElsewhere(row, publicUrl) : row))
      .map((row) => saidAlert(row, requestedMs, repeatMs)),
    mail: row === undefined || others.length > 0 ? undefined : await reportMailOf(state.db, row.alertId),
    dashboardUrl: publicUrl,
    at: instantText(requestedMs),
  };
  const answer = await opened.send(alert).catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
  passes('send:after-answer');
  return answer;
}

/** A run may repeat a condition an eighth of the time late. An event is news for an hour. */
function saidAlert(row: MessageRow, nowMs: number, repeatMs: number): SaidAlert {
  const { dedupeKey: key, firedAt: since, kind, reason, severity, customerId, account, rule, text } = row;
  const lastsMs = reason === 'resolved' ? 0 : kind === 'condition' ? (repeatMs * 9) / 8 : HOUR_MS;
  const until = instantText(nowMs + lastsMs);
  const proposalCode = row.short === undefined ? undefined : row.proposalCode;
  return { key, kind, reason, severity, customerId, account, rule, text, proposalCode, since, until };
}

const HOUR_MS = 3_600_000;

/** If changed settings can fix the failure, the message waits, unless the recipient has another channel. */
function outcomeOf(
  pass: DeliveryPass,
  channel: DeliveryChannel,
  message: Message,
  failure: ApiError,
  picture: Picture | undefined,
): MessageOutcome {
  const says = { error: explainFailure(failure), code: failure.status };
  if (failure.outcome === 'unknown') return { kind: 'unknown', ...says };
  const waits =
    failure.transient ||
    picture !== undefined ||
    (settingsCanFix(channel, failure) && nextAddress(pass, message) === undefined);
  return { kind: waits ? 'not_processed' : 'refused', ...says };
}

function settingsCanFix(channel: DeliveryChannel, { httpStatus, status }: ApiError): boolean {
  const code = /^\d+$/.test(status) ? Number(status) : undefined;
  // An error without an HTTP status comes from pacekeeper or the network, not from the interface.
  if (httpStatus === undefined) return code === undefined && status !== UNUSABLE_ADDRESS;
  if (code !== undefined && channel.settingsCanFix?.(code)) return true;
  return [401, 403, 404].includes(httpStatus) || (httpStatus >= 300 && httpStatus < 400);
}

function delivery({ channel, recipient, text }: Message, state: MessageState, error: string | undefined): Delivery {
  const told = { channel, recipient, text };
  if (state === 'accepted' || state === 'delivered') return { ...told, state: 'accepted', error: undefined };
  return { ...told, state: state === 'sending' ? 'pending' : state, error };
}
