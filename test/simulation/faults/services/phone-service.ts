import type { PhoneChannel } from '../../../../src/sandbox/phones.ts';
import { json, type ServiceAnswer } from './ads-service.ts';

/** A message that a provider has taken. */
export interface TakenMessage {
  readonly id: string;
  readonly channel: PhoneChannel | 'google_chat';
  readonly to: string;
  readonly body: string;
  readonly atMs: number;
  readonly request: number;
  /** The phone gets it. */
  readonly arrives: boolean;
}

const BASIC = `Basic ${Buffer.from('AC-simulation:password-of-the-simulation').toString('base64')}`;
const BEARER = 'Bearer graph-token-of-the-simulation';
/** A message has come to its end so long after it was taken. */
const ENDS_AFTER_MS = 60_000;

/** Faults whose answer is a success that says nothing. */
export const MESSAGE_FAULTS_TAKEN_FOR_AN_ANSWER: readonly string[] = [
  'html_200_before',
  'html_200_after',
  'wrong_answer',
];

/** Both messaging interfaces of the simulation. The list lacks no message that was taken. */
export class PhoneService {
  readonly taken: TakenMessage[] = [];
  /** Every second message never arrives, and its record says so. Only one of the interfaces has records. */
  loses = false;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  answer(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    request: number,
  ): ServiceAnswer {
    if (url.hostname === 'chat.example') return this.#chat(url, body, request);
    const isGraph = url.hostname === 'graph.example';
    if (headers.authorization !== (isGraph ? BEARER : BASIC)) return refused(isGraph, 401, isGraph ? 190 : 20003);
    if (isGraph) {
      const { to, text } = JSON.parse(body) as { to: string; text: { body: string } };
      return json(200, { messages: [{ id: this.#take('graph', to, text.body, request).id }] }, 'g');
    }
    if (method === 'POST') {
      const form = new URLSearchParams(body);
      const { id } = this.#take('messages', form.get('To') ?? '', form.get('Body') ?? '', request);
      return json(201, { sid: id, status: 'queued' }, 'm');
    }
    const sent = this.taken.filter(({ channel }) => channel === 'messages');
    const id = /Messages\/(\w+)\.json$/.exec(url.pathname)?.[1];
    if (id !== undefined) {
      const one = sent.find((message) => message.id === id);
      return one ? json(200, this.#record(one), 'm') : refused(false, 404, 20404);
    }
    const list = sent.filter(({ to }) => to === url.searchParams.get('To')).map((one) => this.#record(one));
    return json(200, { messages: list.reverse(), next_page_uri: null }, 'm');
  }

  /** Only who knows the key may write. */
  #chat(url: URL, body: string, request: number): ServiceAnswer {
    const to = /^\/v1\/spaces\/(\w+)\/messages$/.exec(url.pathname)?.[1];
    if (to === undefined || url.search !== '?key=chat-key-of-the-simulation') return refused(false, 404, 5);
    const { text } = JSON.parse(body) as { text: string };
    const { id } = this.#take('google_chat', to, text.replaceAll('\u2039', '<'), request);
    return json(200, { name: `spaces/${to}/messages/${id}` }, 'c');
  }

  #take(channel: TakenMessage['channel'], to: string, body: string, request: number): TakenMessage {
    const number = String(this.taken.length + 1).padStart(32, '0');
    const message = {
      id: `${channel === 'messages' ? 'SM' : 'wamid.'}${number}`,
      channel,
      to,
      body,
      atMs: this.#now(),
      request,
      arrives: channel !== 'messages' || !this.loses || request % 2 === 0,
    };
    this.taken.push(message);
    return message;
  }

  #record({ id, to, body, atMs, arrives }: TakenMessage): unknown {
    const isOver = this.#now() - atMs >= ENDS_AFTER_MS;
    const status = arrives ? 'delivered' : 'undelivered';
    return { sid: id, to, body, status: isOver ? status : 'sent', error_code: isOver && !arrives ? 63016 : null };
  }
}

/** A refusal in the words of the interface. */
export function refused(
  isGraph: boolean,
  status: number,
  code: number,
  headers: Record<string, string> = {},
): ServiceAnswer {
  const value = isGraph ? { error: { message: 'No.', type: 'E', code } } : { code, message: 'No.', status };
  const { body } = json(status, value, 'refused');
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}
