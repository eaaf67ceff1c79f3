import { givenUp, transportFailure } from '../../../../src/services/http/classify-failure.ts';
import type { HttpAnswer, HttpClient, HttpRequest, HttpTimeouts } from '../../../../src/services/http/http-client.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { VirtualProcess } from '../virtual-process.ts';
import type { AdsService, ServiceAnswer } from './ads-service.ts';
import { MailSocket } from './mail-service.ts';
import { MARKET } from './market.ts';
import {
  type Course,
  courseOf,
  type FaultKind,
  isProcessed,
  type RequestKind,
  requestKind,
  spoilt,
} from './network-faults.ts';
import type { PhoneService } from './phone-service.ts';
import { channelAt } from './posted-service.ts';

/** A request that somebody has sent, and what became of it so far. */
export interface Sent {
  readonly number: number;
  readonly process: VirtualProcess;
  readonly request: HttpRequest;
  readonly atMs: number;
  readonly course: Course;
  /** When the service had it first; undefined while it has not. */
  arrivedAtMs: number | undefined;
  /** When the client gave it up. */
  givenUpAtMs: number | undefined;
  /** When its answer began to come. */
  answeredAtMs: number | undefined;
  /** Of the answer that has come. */
  status: number | undefined;
}

/** Who looks on. */
export interface NetworkWatcher {
  /** It leaves now. */
  sent(sent: Sent): void;
  /** It has arrived and is carried out next; `again` for one that something on the way has doubled. */
  arrives(sent: Sent, again: boolean): void;
}

/** The network and both services behind it: every delay, loss and lie is drawn from the seed. */
export class Network {
  readonly timeline: Timeline;
  readonly all: Sent[] = [];
  readonly injected = new Map<FaultKind, number>();
  /** The service says in each answer what time it is. */
  tellsTime = true;
  /** Changes that nothing else befalls are made and answered with one of these. */
  lies: readonly FaultKind[] = [];
  readonly ads: AdsService;
  readonly phones: PhoneService;
  readonly #random: Random;
  readonly #watcher: NetworkWatcher;

  constructor(
    timeline: Timeline,
    services: { readonly ads: AdsService; readonly phones: PhoneService },
    random: Random,
    watcher: NetworkWatcher,
  ) {
    this.timeline = timeline;
    this.ads = services.ads;
    this.phones = services.phones;
    this.#random = random;
    this.#watcher = watcher;
  }

  /** A client of that process; what goes wrong with its requests is up to the weather. */
  clientFor(process: VirtualProcess, timeouts: HttpTimeouts, stopAll: AbortSignal | undefined): HttpClient {
    return {
      send: (request) => this.#send(process, timeouts, request, request.stop ?? stopAll),
      close: () => Promise.resolve(),
    };
  }

  #send(
    process: VirtualProcess,
    timeouts: HttpTimeouts,
    request: HttpRequest,
    stop: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    // Of a process that has ended nothing leaves, and nothing comes back to it.
    if (process.dead) return new Promise(() => undefined);
    const sent = this.#leave(process, request);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(this, sent, timeouts, stop, { resolve, reject });
      if (stop?.aborted) exchange.giveUp(givenUp(placeOf(sent), 'asked to stop'));
      else this.#travel(sent, new URL(request.url), exchange);
    });
  }

  /** In place of a connection to the mail server. */
  connectToMail(process: VirtualProcess, connected: () => void): MailSocket {
    const sent = this.#leave(process, { method: 'POST', url: 'smtp://mail.example', headers: {} });
    return new MailSocket(this.timeline, sent, connected, (to, source) => {
      this.#watcher.arrives(sent, sent.arrivedAtMs !== undefined);
      sent.arrivedAtMs ??= this.timeline.now();
      this.phones.takeMail(to, source, sent.number);
    });
  }

  #leave(process: VirtualProcess, request: HttpRequest): Sent {
    const url = new URL(request.url);
    const on = requestKind(url, request.method, request.body ?? '');
    const readsBudgets = isBudgetReading(request);
    const course = this.#lying(on, courseOf(this.#random, process.trouble, on, process.takeMishap(on), readsBudgets));
    const number = this.all.length + 1;
    const sent: Sent = {
      number,
      process,
      request,
      atMs: this.timeline.now(),
      course,
      arrivedAtMs: undefined,
      givenUpAtMs: undefined,
      answeredAtMs: undefined,
      status: undefined,
    };
    this.all.push(sent);
    process.trace(`${number} ${request.method} ${url.hostname} ${kindOf(url)} ${course.kind ?? ''}`);
    if (course.kind) this.injected.set(course.kind, (this.injected.get(course.kind) ?? 0) + 1);
    process.networkEvent('send');
    this.#watcher.sent(sent);
    return sent;
  }

  /** Which lie it is comes from what is drawn anyway. */
  #lying(on: RequestKind, course: Course): Course {
    if (on !== 'mutate' || course.kind !== undefined || this.lies.length === 0) return course;
    return { ...course, kind: this.lies[Math.floor(course.at * 97) % this.lies.length] };
  }

  #travel(sent: Sent, url: URL, exchange: Exchange): void {
    const { timeline } = this;
    const { process, course } = sent;
    const { kind, thereMs, backMs } = course;
    // What is on its way arrives whatever becomes of who has sent it.
    const arrive = (again: boolean): ServiceAnswer | undefined => {
      if (!isProcessed(kind)) return undefined;
      sent.arrivedAtMs ??= timeline.now();
      this.#watcher.arrives(sent, again);
      const answer = this.#serve(sent, url);
      const date = new Date(timeline.now()).toUTCString();
      return this.tellsTime ? { ...answer, headers: { ...answer.headers, date } } : answer;
    };
    if (kind === 'request_lost') return;
    timeline.after(thereMs, undefined, () => {
      if (kind === 'nothing_listens') return exchange.fail('ECONNREFUSED');
      if (kind === 'reset_before') return exchange.fail('ECONNRESET');
      const answer = spoilt(course, arrive(false), url);
      if (kind === 'twice' && sent.request.method === 'POST')
        timeline.after(backMs * 3, undefined, () => void arrive(true));
      process.networkEvent('arrival');
      if (kind === 'answer_lost' || answer === undefined) return;
      timeline.after(backMs, process, () => {
        if (kind === 'reset_after') exchange.fail('ECONNRESET');
        else exchange.answered(answer);
      });
    });
  }

  /** One without rows says nothing of whose it is, and cannot be told from a day on which nothing was clicked. */
  #ofAnother(answer: ServiceAnswer, url: URL, headers: HttpRequest['headers'], body: string): ServiceAnswer {
    const other = otherAccount(url);
    if (!url.pathname.endsWith(':searchStream')) return { ...answer, body: renamed(answer.body, url, other) };
    const theirs = this.ads.answer(other, headers, body, 0);
    return theirs.body.includes('"results"') ? theirs : answer;
  }

  #serve({ request, number, course }: Sent, url: URL): ServiceAnswer {
    const { method, headers, body = '' } = request;
    if (url.hostname === 'token.example') return this.ads.issueToken(body);
    if (url.hostname === 'ads.example') {
      const answer = this.ads.answer(url, headers, body, number, course.lagMs);
      return course.kind === 'other_account' ? this.#ofAnother(answer, url, headers, body) : answer;
    }
    return this.phones.answer(method, url, headers, body, number);
  }
}

export const isBudgetReading = ({ body = '' }: Pick<HttpRequest, 'body'>) => / FROM campaign"/.test(body);

/** One request and its answer, as its client sees them. */
class Exchange {
  readonly #network: Network;
  readonly #sent: Sent;
  readonly #timeouts: HttpTimeouts;
  readonly #caller: { resolve(answer: HttpAnswer): void; reject(reason: Error): void };
  #over = false;
  readonly #stop: AbortSignal | undefined;
  readonly #cancelHeaders: () => void;
  readonly #stopped = () => this.giveUp(givenUp(placeOf(this.#sent), 'asked to stop'));

  constructor(
    network: Network,
    sent: Sent,
    timeouts: HttpTimeouts,
    stop: AbortSignal | undefined,
    caller: { resolve(answer: HttpAnswer): void; reject(reason: Error): void },
  ) {
    this.#network = network;
    this.#sent = sent;
    this.#timeouts = timeouts;
    this.#caller = caller;
    this.#stop = stop;
    stop?.addEventListener('abort', this.#stopped, { once: true });
    const late = () => this.fail('UND_ERR_HEADERS_TIMEOUT');
    this.#cancelHeaders = network.timeline.after(timeouts.headersMs, sent.process, late);
  }

  giveUp(reason: Error): void {
    if (this.#over) return;
    this.#end();
    this.#sent.givenUpAtMs = this.#network.timeline.now();
    if (!this.#sent.process.dead) this.#caller.reject(reason);
  }

  fail(code: string): void {
    this.#network.timeline.current = this.#sent.process;
    this.giveUp(transportFailure({ code }, placeOf(this.#sent)));
  }

  answered({ status, headers, body }: ServiceAnswer): void {
    const { process } = this.#sent;
    if (this.#over || process.dead) return;
    this.#end();
    process.networkEvent('answer');
    if (process.dead) return;
    this.#sent.answeredAtMs = this.#network.timeline.now();
    this.#sent.status = status;
    const bytes = Buffer.from(body);
    this.#caller.resolve({ status, headers, body: this.#read(bytes), discard: () => undefined });
  }

  #end(): void {
    this.#over = true;
    this.#cancelHeaders();
    this.#stop?.removeEventListener('abort', this.#stopped);
  }

  async *#read(bytes: Buffer): AsyncGenerator<Uint8Array> {
    const { kind, at } = this.#sent.course;
    const end = kind === 'cut' || kind === 'stalls' ? Math.floor(bytes.length * at) : bytes.length;
    // In two pieces, wherever that cuts a character.
    const middle = Math.floor(end * at);
    if (middle > 0) yield bytes.subarray(0, middle);
    await this.#wait(3);
    if (end > middle) yield bytes.subarray(middle, end);
    if (end === bytes.length && kind !== 'cut' && kind !== 'stalls') return;
    if (kind === 'stalls') await this.#wait(this.#timeouts.bodyIdleMs);
    throw transportFailure({ code: kind === 'cut' ? 'ECONNRESET' : 'UND_ERR_BODY_TIMEOUT' }, placeOf(this.#sent));
  }

  #wait(milliseconds: number): Promise<void> {
    const { timeline } = this.#network;
    return new Promise((over, stopped) => {
      const stop = this.#stop;
      const end = () => {
        stop?.removeEventListener('abort', giveUp);
        over();
      };
      const cancel = timeline.after(milliseconds, this.#sent.process, end);
      const giveUp = () => {
        cancel();
        stopped(givenUp(placeOf(this.#sent), 'asked to stop'));
      };
      if (stop?.aborted) giveUp();
      else stop?.addEventListener('abort', giveUp, { once: true });
    });
  }
}

function placeOf({ request }: Sent): { readonly host: string; readonly proxy: undefined } {
  return { host: new URL(request.url).host, proxy: undefined };
}

const idIn = ({ pathname }: URL) => /customers\/(\d+)/.exec(pathname)?.[1] ?? '';

function otherAccount(url: URL): URL {
  const other = MARKET.find(({ id }) => id !== idIn(url))?.id ?? '';
  return new URL(url.href.replace(/customers\/\d+/, `customers/${other}`));
}

const renamed = (text: string, from: URL, to: URL) =>
  text.replaceAll(`customers/${idIn(from)}/`, `customers/${idIn(to)}/`);

/** What is asked for, without what is different each time. */
function kindOf(url: URL): string {
  const { pathname, hostname } = url;
  if (hostname === 'token.example') return 'token';
  if (hostname === 'ads.example') return pathname.replace(/^\/v\d+\//, '');
  return channelOf(url);
}

/** Of a message. */
export function channelOf(url: URL): string {
  const named = { 'messages.example': 'messages', 'graph.example': 'graph', 'mail.example': 'email' }[url.hostname];
  return named ?? channelAt(url);
}
