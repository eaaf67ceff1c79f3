import type { Clock } from '../../../src/domain/ports.ts';
import type { PhoneChannel } from '../../../src/sandbox/phones.ts';
import { transportFailure } from '../../../src/services/http/classify-failure.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../src/services/http/http-client.ts';

/** What goes wrong with one request to send. */
export type SendFault =
  | 'none'
  /** Taken, and it never reaches the phone. */
  | 'never_arrives'
  /** Refused for now, and surely not processed. */
  | 'throttled'
  | 'throttled_for_long'
  | 'nothing_listens'
  /** Refused for good. */
  | 'opted_out'
  | 'wrong_credentials'
  /** No answer that proves anything: before it was processed, or after. */
  | 'error_before'
  | 'error_after'
  | 'reset_before'
  | 'reset_after'
  /** No answer, and processed much later. */
  | 'late';

/** What goes wrong with one question about messages. */
export type AskFault = 'none' | 'error' | 'no_list' | 'lags';

export const SEND_FAULTS: readonly SendFault[] = [
  'none',
  'never_arrives',
  'throttled',
  'throttled_for_long',
  'nothing_listens',
  'opted_out',
  'wrong_credentials',
  'error_before',
  'error_after',
  'reset_before',
  'reset_after',
  'late',
];
export const ASK_FAULTS: readonly AskFault[] = ['none', 'error', 'no_list', 'lags'];

/** A message that a provider has taken. */
export interface Taken {
  readonly id: string;
  readonly channel: PhoneChannel;
  readonly to: string;
  readonly body: string;
  readonly arrives: boolean;
  /** When it was taken. */
  readonly atMs: number;
  /** The provider's word, and all words that it has reported or may report again. */
  status: string;
  readonly words: string[];
}

const HOST = { host: 'provider.example', proxy: undefined };

/** Both messaging interfaces as their providers are: what they were asked for, what they took, and what a phone got. */
export class AlertProvider implements HttpClient {
  readonly taken: Taken[] = [];
  /** Used up one by one; without any left nothing goes wrong. */
  sendFaults: SendFault[] = [];
  askFaults: AskFault[] = [];
  /** The references of messages whose fate may have been misjudged by who believed the list. */
  readonly misleading = new Set<string>();
  readonly #late: Taken[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async send(request: HttpRequest): Promise<HttpAnswer> {
    const url = new URL(request.url);
    if (request.method === 'GET') return this.#ask(url);
    const channel = url.pathname.startsWith('/2010') ? 'messages' : 'graph';
    return this.#take(channel, readOutgoing(channel, request.body ?? ''));
  }

  /** What was late is processed now. */
  catchUp(): void {
    this.taken.push(...this.#late.splice(0));
  }

  /** Every message comes to its end. */
  settle(): void {
    for (const one of this.taken) proceed(one, one.arrives ? 'delivered' : 'undelivered');
  }

  #take(channel: PhoneChannel, { to, body }: { readonly to: string; readonly body: string }): HttpAnswer {
    const fault = this.sendFaults.shift() ?? 'none';
    const id = `${channel === 'messages' ? 'SM' : 'wamid.'}${String(this.taken.length + this.#late.length).padStart(32, '0')}`;
    const message: Taken = {
      id,
      channel,
      to,
      body,
      arrives: fault !== 'never_arrives',
      atMs: this.#clock.now(),
      status: 'queued',
      words: ['queued'],
    };
    switch (fault) {
      case 'throttled':
        return refusal(channel, 429, channel === 'messages' ? 20429 : 130429);
      case 'throttled_for_long':
        return refusal(channel, 429, channel === 'messages' ? 20429 : 130429, { 'retry-after': '3600' });
      case 'nothing_listens':
        throw transportFailure({ code: 'ECONNREFUSED' }, HOST);
      case 'opted_out':
        return refusal(channel, 400, channel === 'messages' ? 21610 : 131026);
      case 'wrong_credentials':
        return refusal(channel, 401, channel === 'messages' ? 20003 : 190);
      case 'error_before':
        return refusal(channel, 500, undefined);
      case 'reset_before':
        throw transportFailure({ code: 'ECONNRESET' }, HOST);
      case 'late':
        this.#late.push(message);
        this.misleading.add(referenceIn(body));
        throw transportFailure({ code: 'UND_ERR_HEADERS_TIMEOUT' }, HOST);
      default:
        this.taken.push(message);
    }
    if (fault === 'error_after') return refusal(channel, 500, undefined);
    if (fault === 'reset_after') throw transportFailure({ code: 'ECONNRESET' }, HOST);
    return channel === 'messages'
      ? json(201, { sid: id, status: 'queued' })
      : json(200, { messaging_product: 'whatsapp', messages: [{ id }] });
  }

  #ask(url: URL): HttpAnswer {
    const fault = this.askFaults.shift() ?? 'none';
    if (fault === 'error') return refusal('messages', 500, undefined);
    if (fault === 'no_list') return refusal('messages', 404, 20404);
    const sent = this.taken.filter(({ channel }) => channel === 'messages');
    const id = /Messages\/(\w+)\.json$/.exec(url.pathname)?.[1];
    const one = sent.find((message) => message.id === id);
    if (id !== undefined) return one ? json(200, toRecord(one)) : refusal('messages', 404, 20404);
    const wanted = sent.filter(({ to }) => to === url.searchParams.get('To'));
    if (fault !== 'lags') return json(200, { messages: wanted.map(toRecord).reverse(), next_page_uri: null });
    // A list may lack what has just come: nobody is to believe it yet.
    const old = wanted.filter(({ atMs }) => this.#clock.now() - atMs >= 60_000);
    for (const { body } of old) this.misleading.add(referenceIn(body));
    return json(200, { messages: [], next_page_uri: null });
  }
}

/** A word of the provider's, which it may say again at any time. */
export function proceed(message: Taken, word: string): void {
  if (['delivered', 'undelivered'].includes(message.status)) return;
  message.status = word;
  message.words.push(word);
}

export function referenceIn(body: string): string {
  return /Ref pk-(\w+)$/.exec(body)?.[1] ?? '';
}

function toRecord({ id, to, body, status }: Taken) {
  return { sid: id, to, body, status, error_code: status === 'undelivered' ? 63016 : null };
}

function readOutgoing(channel: PhoneChannel, text: string): { readonly to: string; readonly body: string } {
  if (channel === 'messages') {
    const form = new URLSearchParams(text);
    return { to: form.get('To') ?? '', body: form.get('Body') ?? '' };
  }
  const { to, text: said } = JSON.parse(text) as { to: string; text: { body: string } };
  return { to, body: said.body };
}

function refusal(
  channel: PhoneChannel,
  status: number,
  code: number | undefined,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  if (code === undefined) return json(status, {}, headers);
  const words =
    channel === 'messages' ? { code, message: 'No.', status } : { error: { message: 'No.', type: 'E', code } };
  return json(status, words, headers);
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  const bytes = Buffer.from(JSON.stringify(body));
  async function* read() {
    yield bytes;
  }
  return { status, headers, body: read(), discard: () => undefined };
}
