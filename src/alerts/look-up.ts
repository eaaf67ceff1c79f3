import { type FoundMessage, fetchMessage, findMessage } from '../apis/messages/find-message.ts';
import { referenceWord } from '../domain/channel.ts';
import { ApiError } from '../domain/errors.ts';
import { recordFound, recordNeverTaken, recordNotThere } from '../store/alerts/message-outcome.ts';
import type { MessageState } from '../store/alerts/message-states.ts';
import { type Message, unknownMessages, unreportedMessages } from '../store/alerts/message-table.ts';
import { commit, type DeliveryPass } from './delivery-pass.ts';

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

export interface LookUp {
  readonly message: Message;
  readonly state: MessageState;
  /** Why it cannot be told whether the message is out; undefined when it can. */
  readonly because: string | undefined;
}

/** Looks for every message that may or may not be out. */
export async function lookUpUnknown(pass: DeliveryPass): Promise<LookUp[]> {
  const lookUps: LookUp[] = [];
  for (const message of await unknownMessages(pass.state.db, pass.clock.now() - LOOKED_FOR_MS)) {
    lookUps.push(await lookUp(pass, message));
  }
  return lookUps;
}

/** Looks for a message that may be out. Found, it was accepted; surely not there, it waits again. */
export async function lookUp(pass: DeliveryPass, message: Message): Promise<LookUp> {
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
export async function askForReports(pass: DeliveryPass): Promise<void> {
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
