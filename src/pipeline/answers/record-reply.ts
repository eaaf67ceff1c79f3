import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { AlertApprover } from '../../config/alert-settings.ts';
import { maskRecipient, UNAMBIGUOUS } from '../../domain/channel.ts';
import { InvariantError } from '../../domain/errors.ts';
import { numberOf } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { WaitingEvent } from '../../inbox/open-inbox.ts';
import { enqueueReply } from '../../store/alerts/alert-table.ts';
import { insertReply, type NewReply, outcomeOfReply } from '../../store/alerts/reply-table.ts';
import { openProposals, proposalByCode } from '../../store/budgets/proposal-table.ts';
import { inTransaction } from '../../store/sqlite/in-transaction.ts';
import type { StateDb } from '../../store/sqlite/open-state.ts';

/** What a reply that decides on nothing is recorded with. */
export type RecordingApp = Pick<App, 'state' | 'clock' | 'log' | 'alerts' | 'messages' | 'graph'>;

/** What became of a message: recorded, with an answer under way or without, or left to who may change budgets. */
export type Recorded = { readonly kind: 'recorded'; readonly answered: boolean } | { readonly kind: 'decides' };

/**
 * Records a person's message unless it decides on a proposal. Only an approver is answered, and only who meant to decide and
 * cannot be understood.
 */
export async function recordReply(app: RecordingApp, event: WaitingEvent): Promise<Recorded> {
  const { db } = app.state;
  if ((await outcomeOfReply(db, event.dedupeKey)) !== undefined) return { kind: 'recorded', answered: false };
  const approver = approverOf(app, event);
  if (typeof approver === 'string') {
    app.log.warn(`A message of ${shownSender(event)} was not heeded: ${UNHEEDED[approver]}.`);
    return record(app, event, { outcome: 'not_an_approver', answer: undefined });
  }
  const reading = readMessage(event);
  if (reading.kind === 'decision') return { kind: 'decides' };
  const isMeant = reading.kind === 'unclear' || (await anyIsKnown(db, reading.words));
  const answer = isMeant ? await helpfulAnswer(app, reading) : undefined;
  app.log.info(`A message of ${shownSender(event)} decides on nothing.`);
  return record(app, event, { outcome: 'not_understood', answer });
}

const UNHEEDED = {
  no_approver: 'it is no number of alerts.approvers',
  another_channel: 'it did not come by the channel that we write by',
  for_others: 'it was written to another number or account than ours',
} as const;

/**
 * Who of those that may approve has sent the message, or why nobody has. It must have been written to us. In area C it must come
 * by the channel that we write by: a text message, whose sender anybody can forge, does not stand for an answer in a chat.
 */
export function approverOf(
  app: Pick<App, 'alerts' | 'messages'> & OwnPlaces,
  event: WaitingEvent,
): AlertApprover | keyof typeof UNHEEDED {
  const sender = senderOf(event);
  const from = numberOf(sender);
  const approver = app.alerts.approvers.find(({ number }) => number === from);
  if (approver === undefined) return 'no_approver';
  const [kind = ''] = sender.includes(':') ? sender.split(':') : ['sms'];
  const [ours = kind] = app.messages?.from.split(':') ?? [];
  if (event.channel !== 'graph' && kind !== ours) return 'another_channel';
  return isForOthers(app, event) ? 'for_others' : approver;
}

/** What an approver's message says. A decision that was only passed on is not the approver's own. */
export function readMessage(event: WaitingEvent): ReplyReading {
  const reading = readReply(event.text ?? '');
  return reading.kind === 'decision' && isForwarded(event) ? { kind: 'unclear', why: 'forwarded' } : reading;
}

/** "+49…67"; nothing of a sender that has no number. */
export function shownSender(event: WaitingEvent): string {
  const number = numberOf(senderOf(event));
  return number === undefined ? 'somebody without a number' : maskRecipient(number);
}

async function record(
  app: RecordingApp,
  event: WaitingEvent,
  came: Pick<NewReply, 'outcome' | 'answer'>,
): Promise<Recorded> {
  await inTransaction(app.state.db, async (trx) => {
    const isNew = await insertReply(trx, { ...aboutReply(event), ...came, proposalCode: undefined }, app.clock.now());
    if (!isNew || came.answer === undefined) return;
    await enqueueReply(trx, { ...answerTo(event), text: came.answer, customerId: undefined }, app.clock.now());
  });
  return { kind: 'recorded', answered: came.answer !== undefined };
}

/** What the row of a reply says of the event. */
export function aboutReply(
  event: WaitingEvent,
): Pick<NewReply, 'dedupeKey' | 'channel' | 'sender' | 'text' | 'receivedAt'> {
  const { dedupeKey, channel, receivedAt } = event;
  return { dedupeKey, channel, receivedAt, sender: senderOf(event), text: event.text ?? '' };
}

/** Where the answer goes: the way the message came. */
export function answerTo(event: WaitingEvent) {
  return { dedupeKey: `reply:${event.dedupeKey}`, channel: event.channel, recipient: senderOf(event) } as const;
}

const HASH_LENGTH = 16;

/**
 * What the audit trail, which is published and kept for good, calls a message by: its key. The ids of area A have the sender's
 * number in them, and are told by the beginning of their SHA-256.
 */
export function replyReference({ channel, dedupeKey, providerId = dedupeKey }: WaitingEvent): string {
  if (channel === 'messages') return dedupeKey;
  return `graph:message:sha256:${createHash('sha256').update(providerId).digest('hex').slice(0, HASH_LENGTH)}`;
}

export function senderOf({ id, sender }: WaitingEvent): string {
  if (sender === undefined) throw new InvariantError(`Message ${id} of the inbox has no sender.`);
  return sender;
}

async function anyIsKnown(db: StateDb, words: readonly string[]): Promise<boolean> {
  for (const word of words) if (await proposalByCode(db, word)) return true;
  return false;
}

const PROBLEMS = {
  no_code: 'No code was found in your message.',
  several_codes: 'Your message has more than one code: send one message for each.',
  more_words: 'Your message says more than that.',
  forwarded: 'Your message was forwarded.',
} as const satisfies Record<Extract<ReplyReading, { kind: 'unclear' }>['why'], string>;

const NAMED_MAX = 5;

async function helpfulAnswer(app: RecordingApp, reading: ReplyReading): Promise<string> {
  const problem =
    reading.kind === 'unclear' ? PROBLEMS[reading.why] : 'Your message has a code, and neither YES nor NO.';
  const how = 'Reply YES and the code to approve, or NO and the code to reject, and nothing else.';
  return `Nothing was decided. ${problem}\n${how}\n${await whatWaits(app)}`;
}

/** The codes that can be decided on, for somebody who named none of them. */
export async function whatWaits({ state, clock }: Pick<App, 'state' | 'clock'>): Promise<string> {
  const codes = (await openProposals(state.db, clock.now())).map(({ code }) => code);
  const more = codes.length > NAMED_MAX ? ` and ${codes.length - NAMED_MAX} more` : '';
  return codes.length === 0
    ? 'Nothing awaits approval.'
    : `Awaiting approval: ${codes.slice(0, NAMED_MAX).join(', ')}${more}.`;
}

type Json = Readonly<Record<string, unknown>>;
type Sent = Pick<WaitingEvent, 'channel' | 'payload'>;

/** Our own number and account, as far as the settings name them. */
interface OwnPlaces {
  readonly messages: Pick<NonNullable<App['messages']>, 'from' | 'accountId'> | undefined;
  readonly graph: Pick<NonNullable<App['graph']>, 'phoneNumberId' | 'businessAccountId'> | undefined;
}

/**
 * Whether a message names another number or account as the one that was written to. One app signs for all of its accounts, so
 * that a right signature does not say for whom the message is.
 */
function isForOthers({ messages, graph }: OwnPlaces, { channel, payload }: Sent): boolean {
  const told = objectOf(parseJson(payload));
  if (channel === 'messages') {
    const to = typeof told.To === 'string' ? numberOf(told.To) : undefined;
    const own = messages && numberOf(messages.from);
    return isAnother(to, own) || isAnother(told.AccountSid, messages?.accountId);
  }
  const { phone_number_id } = objectOf(told.metadata);
  return isAnother(phone_number_id, graph?.phoneNumberId) || isAnother(told.entry_id, graph?.businessAccountId);
}

/** Whether somebody else wrote the text, and the sender has passed it on. */
function isForwarded({ channel, payload }: Sent): boolean {
  const told = objectOf(parseJson(payload));
  if (channel === 'messages') return told.Forwarded === 'true' || told.FrequentlyForwarded === 'true';
  const { forwarded, frequently_forwarded } = objectOf(objectOf(told.message).context);
  return forwarded === true || frequently_forwarded === true;
}

/** A fact that one side does not say contradicts nothing. */
function isAnother(told: unknown, own: string | undefined): boolean {
  return typeof told === 'string' && own !== undefined && told !== own;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** What a person has written in answer to an alert. */
export type ReplyReading =
  | { readonly kind: 'decision'; readonly decision: 'approve' | 'decline'; readonly code: string }
  /** Meant as a decision, and not one that money is moved on. */
  | { readonly kind: 'unclear'; readonly why: 'no_code' | 'several_codes' | 'more_words' | 'forwarded' }
  /** Something else; `words` holds those that look as a proposal's code does. */
  | { readonly kind: 'other'; readonly words: readonly string[] };

/** A decision is two words; whoever writes more than this decides nothing. */
const LENGTH_MAX = 1000;
/** Whether there is such a proposal is the table's to say. */
const CODE = /^[A-Z0-9]{4}$/;
/** What the codes that are given out look like: NORMAL is a word, and so are FINE and GOOD. */
const GIVEN_CODE = new RegExp(`^[${UNAMBIGUOUS}]{4}$`);
const IN_ONE_WORD = new RegExp(`^(YES|NO)([${UNAMBIGUOUS}]{4})$`);

/**
 * Reads "YES 7K3Q" or "NO 7K3Q": any case, width and punctuation, the code in one piece or in several, and nothing else
 * beside the two. A text with more to say may mean the opposite, so it is never guessed at.
 */
export function readReply(text: string): ReplyReading {
  const words = wordsOf(text.slice(0, LENGTH_MAX));
  const [first = '', ...rest] = words;
  const [, verbOfOne, codeOfOne] = words.length === 1 ? (IN_ONE_WORD.exec(first) ?? []) : [];
  const verb = verbOfOne ?? first;
  if (verb !== 'YES' && verb !== 'NO') return { kind: 'other', words: codesAmong(words) };
  const code = codeOfOne ?? rest.join('');
  if (text.length <= LENGTH_MAX && CODE.test(code)) {
    return { kind: 'decision', decision: verb === 'YES' ? 'approve' : 'decline', code };
  }
  const codes = codesAmong(rest);
  const why = codes.length > 1 ? 'several_codes' : rest.length > 0 && codes.length > 0 ? 'more_words' : 'no_code';
  return { kind: 'unclear', why };
}

/** Letters and digits as they are read: without what cannot be seen, and full-width ones as usual ones. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/[\p{Cf}\p{M}]/gu, '');
  return plain.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function codesAmong(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word) => GIVEN_CODE.test(word)))];
}
