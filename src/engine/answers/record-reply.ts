import { type ChannelConnection, type Json, jsonObject } from '../../channels/channel.ts';
import { type ChannelConnections, channelNamed } from '../../channels/channels.ts';
import type { AlertApprover } from '../../config/alert-settings.ts';
import { maskRecipient, UNAMBIGUOUS } from '../../domain/channel.ts';
import { InvariantError } from '../../domain/errors.ts';
import { numberOf } from '../../domain/messaging-address.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { WaitingEvent } from '../../storage/inbox/inbox.ts';
import { enqueueReply } from '../../storage/records/alerts/alert-table.ts';
import { insertReply, type NewReply, outcomeOfReply } from '../../storage/records/alerts/reply-table.ts';
import { openProposals, proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import { inTransaction } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { App } from '../app.ts';

export type RecordingApp = Pick<App, 'state' | 'clock' | 'log' | 'alerts'> & ChannelConnections;

/** `decides` means that the message decides on a proposal, which needs the run lock. */
export type Recorded = { readonly kind: 'recorded'; readonly answered: boolean } | { readonly kind: 'decides' };

/** Records a message without a decision. Answers only approvers whose decision is unclear. */
export async function recordReply(app: RecordingApp, event: WaitingEvent): Promise<Recorded> {
  const { db } = app.state;
  if ((await outcomeOfReply(db, event.dedupeKey)) !== undefined) return { kind: 'recorded', answered: false };
  const approver = approverOf(app, event);
  if (typeof approver === 'string') {
    app.log.warn(`Message from ${shownSender(event)} ignored: ${UNHEEDED[approver]}.`);
    return record(app, event, { outcome: 'not_an_approver', answer: undefined });
  }
  const reading = readMessage(event);
  if (reading.kind === 'decision') return { kind: 'decides' };
  const isMeant = reading.kind === 'unclear' || (await anyIsKnown(db, reading.words));
  const answer = isMeant ? await helpfulAnswer(app, reading) : undefined;
  app.log.info(`Message from ${shownSender(event)} contains no decision.`);
  return record(app, event, { outcome: 'not_understood', answer });
}

const UNHEEDED = {
  no_number: 'alerts.approvers has only numbers',
  no_approver: 'the number is not in alerts.approvers',
  another_channel: 'it did not come through a configured channel',
  for_others: 'it was sent to a number or account that is not configured',
} as const;

/** Accepts only messages on our own channel, because anyone can forge the sender of an SMS. */
export function approverOf(
  app: Pick<App, 'alerts'> & ChannelConnections,
  event: WaitingEvent,
): AlertApprover | keyof typeof UNHEEDED {
  const sender = senderOf(event);
  const from = numberOf(sender);
  if (from === undefined) return 'no_number';
  const approver = app.alerts.approvers.find(({ number }) => number === from);
  if (approver === undefined) return 'no_approver';
  const replies = channelNamed(event.channel)?.replies;
  const connection = connectionOf(app, event.channel);
  if (replies === undefined || replies.isOwnKind?.(sender, connection) === false) return 'another_channel';
  return replies.isForOthers(payloadOf(event), connection) ? 'for_others' : approver;
}

/** A forwarded decision counts as unclear, because the approver did not write the text. */
export function readMessage(event: WaitingEvent): ReplyReading {
  const reading = readReply(event.text ?? '');
  return reading.kind === 'decision' && isForwarded(event) ? { kind: 'unclear', why: 'forwarded' } : reading;
}

/** Returns text such as "+49…67". A sender can also be an id or a username. */
export function shownSender(event: WaitingEvent): string {
  const number = numberOf(senderOf(event));
  return number === undefined ? 'a sender without a number' : maskRecipient(number);
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

export function aboutReply(
  event: WaitingEvent,
): Pick<NewReply, 'dedupeKey' | 'channel' | 'sender' | 'text' | 'receivedAt'> {
  const { dedupeKey, channel, receivedAt } = event;
  return { dedupeKey, channel, receivedAt, sender: senderOf(event), text: event.text ?? '' };
}

export function answerTo(event: WaitingEvent) {
  return { dedupeKey: `reply:${event.dedupeKey}`, channel: event.channel, recipient: senderOf(event) } as const;
}

/** Names the message in the audit trail. */
export function replyReference(event: WaitingEvent): string {
  return channelNamed(event.channel)?.replies?.reference(event) ?? event.dedupeKey;
}

export function connectionOf(app: ChannelConnections, channel: string): ChannelConnection | undefined {
  return app[channel as keyof ChannelConnections];
}

export function payloadOf({ id, payload }: WaitingEvent): Json {
  const parsed = parseJson(payload);
  if (parsed === undefined) throw new InvariantError(`Event ${id} of the inbox is not JSON.`);
  return jsonObject(parsed);
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
  no_code: 'Your message has no code.',
  several_codes: 'Your message has several codes. Send one message per code.',
  more_words: 'Your message has extra words.',
  forwarded: 'Your message was forwarded.',
} as const satisfies Record<Extract<ReplyReading, { kind: 'unclear' }>['why'], string>;

const NAMED_MAX = 5;

async function helpfulAnswer(app: RecordingApp, reading: ReplyReading): Promise<string> {
  const problem =
    reading.kind === 'unclear' ? PROBLEMS[reading.why] : 'Your message has a code, but neither YES nor NO.';
  const how = 'To approve, reply only YES and the code. To reject, reply only NO and the code.';
  return `Nothing was decided. ${problem}\n${how}\n${await whatWaits(app)}`;
}

export async function whatWaits({ state, clock }: Pick<App, 'state' | 'clock'>): Promise<string> {
  const codes = (await openProposals(state.db, clock.now())).map(({ code }) => code);
  const more = codes.length > NAMED_MAX ? ` and ${codes.length - NAMED_MAX} more` : '';
  return codes.length === 0
    ? 'Nothing awaits approval.'
    : `Awaiting approval: ${codes.slice(0, NAMED_MAX).join(', ')}${more}.`;
}

function isForwarded(event: WaitingEvent): boolean {
  return channelNamed(event.channel)?.replies?.isForwarded(payloadOf(event)) ?? true;
}

export type ReplyReading =
  | { readonly kind: 'decision'; readonly decision: 'approve' | 'decline'; readonly code: string }
  /** The person seems to decide, but the text is not clear enough to change a budget. */
  | { readonly kind: 'unclear'; readonly why: 'no_code' | 'several_codes' | 'more_words' | 'forwarded' }
  /** `words` contains the words that look like proposal codes. */
  | { readonly kind: 'other'; readonly words: readonly string[] };

const LENGTH_MAX = 1000;
const CODE = /^[A-Z0-9]{4}$/;
/** Generated codes use only these characters, so words such as FINE and GOOD do not match. */
const GIVEN_CODE = new RegExp(`^[${UNAMBIGUOUS}]{4}$`);
const IN_ONE_WORD = new RegExp(`^(YES|NO)([${UNAMBIGUOUS}]{4})$`);

/** Refuses extra words, because they may mean the opposite. */
export function readReply(text: string): ReplyReading {
  const words = upperCaseWords(text.slice(0, LENGTH_MAX));
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

function upperCaseWords(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(/[\p{Cf}\p{M}]/gu, '');
  return plain.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function codesAmong(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word) => GIVEN_CODE.test(word)))];
}
