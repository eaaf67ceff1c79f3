import { partsOf } from '../../../support/mail-parts.ts';
import { json, type ServiceAnswer } from './ads-service.ts';
import { channelAt, type Posted, readPosted, TAKEN } from './posted-service.ts';

/** A message that a provider has taken. */
export interface TakenMessage extends Posted {
  readonly id: string;
  readonly channel: string;
  /** All that came with it. */
  readonly source: string;
  readonly atMs: number;
  readonly request: number;
  /** The phone gets it. */
  readonly arrives: boolean;
}

interface GraphMessage {
  readonly to: string;
  readonly text?: { readonly body: string };
  readonly template?: {
    readonly name: string;
    readonly components: readonly [{ readonly parameters: readonly { readonly text: string }[] }];
  };
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

/** The template that both interfaces know, with one variable. */
export const TEMPLATE = { content: `HX${'5'.repeat(32)}`, name: 'simulated' } as const;

/** For so long after somebody wrote, free text arrives. */
const WINDOW_MS = 24 * 60 * 60_000;

/** All that takes messages in the simulation. The list lacks no message that was taken. */
export class PhoneService {
  readonly taken: TakenMessage[] = [];
  /** Every second message never arrives, and its record says so. Only one of the interfaces has records. */
  loses = false;
  /** When everybody wrote last; never, if undefined. */
  wroteAtMs: number | undefined;
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
    if (url.hostname === 'posted.example') return this.#post(url, headers, body, request);
    const isGraph = url.hostname === 'graph.example';
    if (headers.authorization !== (isGraph ? BEARER : BASIC)) return refused(isGraph, 401, isGraph ? 190 : 20003);
    if (isGraph) {
      const { to, text, template } = JSON.parse(body) as GraphMessage;
      const wanted = template && {
        id: template.name,
        values: template.components[0].parameters.map((one) => one.text),
      };
      const said = wanted ? this.#filled(wanted, TEMPLATE.name) : text?.body;
      if (said === undefined) return refused(true, 400, wanted?.id === TEMPLATE.name ? 132018 : 132001);
      if (wanted === undefined && !this.#isOpen()) return refused(true, 400, 131047);
      return json(200, { messages: [{ id: this.#take('graph', { to, body: said }, request).id }] }, 'g');
    }
    if (method === 'POST') {
      const form = new URLSearchParams(body);
      const id = form.get('ContentSid');
      const values = Object.values(JSON.parse(form.get('ContentVariables') ?? '{}') as Record<string, string>);
      const said = id === null ? (form.get('Body') ?? '') : this.#filled({ id, values }, TEMPLATE.content);
      if (said === undefined) return refused(false, 400, id === TEMPLATE.content ? 21656 : 21655);
      const isInTime = id !== null || this.#isOpen();
      const arrives = isInTime && (!this.loses || request % 2 === 0);
      const message = this.#take('messages', { to: form.get('To') ?? '', body: said }, request, body, arrives);
      return json(201, { sid: message.id, status: 'queued' }, 'm');
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

  #isOpen(): boolean {
    return this.wroteAtMs !== undefined && this.#now() - this.wroteAtMs < WINDOW_MS;
  }

  /** As the free text that it was made of. Undefined for what the services refuse. */
  #filled(
    { id, values }: { readonly id: string; readonly values: readonly string[] },
    known: string,
  ): string | undefined {
    const [text = ''] = values;
    if (id !== known || values.length !== 1 || text === '' || /[\n\r\t]| {5}/.test(text)) return undefined;
    return text
      .replaceAll(' | ', '\n\n')
      .replaceAll(' · ', '\n')
      .replace(/ (pk-\w+)$/, '\nRef $1');
  }

  #post(url: URL, headers: Readonly<Record<string, string>>, body: string, request: number): ServiceAnswer {
    const channel = channelAt(url);
    const posted = readPosted(url, headers, body, this.#now());
    if (posted === undefined) return refused(false, 404, 5);
    this.#take(channel, posted, request, body);
    return TAKEN[channel] ?? refused(false, 404, 5);
  }

  takeMail(to: string, source: string, request: number): void {
    const parts = partsOf(source);
    const textOf = (type: string) => parts.get(type)?.bytes.toString() ?? '';
    const body = textOf('text/plain').replaceAll('\r\n', '\n').trim();
    const reference = /^Message-ID: <(pk-\w+)@/m.exec(source)?.[1] ?? 'none';
    this.#take('email', { to, body, reference }, request, `${source}${textOf('text/html')}`);
  }

  #take(channel: string, said: Posted, request: number, source = said.body, arrives = true): TakenMessage {
    const number = String(this.taken.length + 1).padStart(32, '0');
    const id = `${channel === 'messages' ? 'SM' : 'wamid.'}${number}`;
    const message = { ...said, id, channel, source, atMs: this.#now(), request, arrives };
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
