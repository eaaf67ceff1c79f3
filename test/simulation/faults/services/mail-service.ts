import net from 'node:net';
import { Duplex } from 'node:stream';
import type { Timeline } from '../timeline.ts';
import type { Sent } from './network.ts';
import type { FaultKind } from './network-faults.ts';

/** On this machine: nobody looks up a name or asks for TLS, because both would happen in real time. */
export const MAIL_SERVER = { host: '127.0.0.1', port: 2525 } as const;
export const MAIL_PASSWORD = 'mail-password-of-the-simulation';
const LOGIN = `AUTH PLAIN ${Buffer.from(`\0pacekeeper\0${MAIL_PASSWORD}`).toString('base64')}`;

/** Behind the empty command is the greeting, behind the dot the answer to a mail. */
const USUAL: Readonly<Record<string, string>> = {
  '': '220 mail.example',
  EHLO: '250-mail.example\r\n250 AUTH PLAIN',
  AUTH: '235 2.7.0 Welcome.',
  MAIL: '250 2.1.0 Go on.',
  RCPT: '250 2.1.5 Go on.',
  DATA: '354 Go on.',
  '.': '250 2.0.0 Taken.',
};

/** By the fault, which command has another answer. A refusal of a mail that was taken is a lie. */
const UNUSUAL: Partial<Record<FaultKind, readonly [command: string, answer: string]>> = {
  status_400: ['RCPT', '550 5.1.1 No such mailbox.'],
  status_401: ['AUTH', '535 5.7.8 Wrong password.'],
  status_429: ['RCPT', '451 4.7.1 Come again.'],
  status_429_for_hours: ['MAIL', '452 4.3.1 No room.'],
  status_500_before: ['DATA', '451 4.3.0 Not now.'],
  status_500_after: ['.', '451 4.3.0 Not now.'],
  status_503_before: ['', '421 4.3.2 Too many.'],
  status_503_after: ['.', '421 4.3.2 Too many.'],
  html_200_before: ['', 'HTTP/1.1 400 Bad Request'],
  html_404_before: ['', '554 5.3.2 Not here.'],
  html_502_before: ['MAIL', '<!doctype html>'],
  html_200_after: ['.', '<!doctype html>'],
  html_404_after: ['.', 'HTTP/1.1 404 Not Found'],
  html_502_after: ['.', '354 Go on.'],
  wrong_answer: ['.', '354 Go on.'],
  truncated: ['.', '2'],
};

/** In each direction, for everything before the mail itself. */
const WIRE_MS = 5;

/**
 * A connection with the mail server, in place of a socket. That is the lowest door of nodemailer, so its own code speaks here in the
 * time of the simulation. Only its limits for connecting and greeting are in real time, so nothing takes long before the greeting.
 */
export class MailSocket extends Duplex {
  readonly #timeline: Timeline;
  readonly #sent: Sent;
  readonly #take: (to: string, source: string) => void;
  #idleMs = 0;
  #forgetIdle = (): void => undefined;
  #said = '';
  #isMail = false;
  #to = '';

  constructor(timeline: Timeline, sent: Sent, connected: () => void, take: (to: string, source: string) => void) {
    super();
    this.#timeline = timeline;
    this.#sent = sent;
    this.#take = take;
    this.#later(WIRE_MS, () => {
      if (sent.course.kind === 'nothing_listens') this.#break('ECONNREFUSED');
      else {
        connected();
        this.#answer('', WIRE_MS);
      }
    });
  }

  /** As of a socket: `timeout` is emitted after so long without a byte. */
  setTimeout(milliseconds: number): void {
    this.#idleMs = milliseconds;
    this.#stir();
  }

  override _read(): void {
    this.#stir();
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    done();
    this.#stir();
    // What is on its way arrives whatever becomes of who has sent it.
    if (!this.#sent.process.dead) this.#timeline.after(WIRE_MS, undefined, () => this.#hear(bytes.toString()));
  }

  override _final(done: () => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#forgetIdle();
    done(error);
  }

  #stir(): void {
    this.#forgetIdle();
    if (this.#idleMs === 0 || this.destroyed) return;
    this.#forgetIdle = this.#timeline.after(this.#idleMs, this.#sent.process, () => void this.emit('timeout'));
  }

  #later(milliseconds: number, act: () => void): void {
    this.#timeline.after(milliseconds, this.#sent.process, () => {
      if (!this.destroyed) act();
    });
  }

  #break(code: string): void {
    this.destroy(Object.assign(new Error(code), { code }));
  }

  #hear(text: string): void {
    this.#said += text;
    const said = this.#said;
    if (!said.endsWith(this.#isMail ? '\r\n.\r\n' : '\r\n')) return;
    this.#said = '';
    if (this.#isMail) this.#hearMail(said.replace(/^\.\./gm, '.'));
    else this.#hearCommand(said);
  }

  #hearCommand(said: string): void {
    const { kind, backMs } = this.#sent.course;
    if (said.startsWith('RCPT')) this.#to = /<(.*)>/.exec(said)?.[1] ?? '';
    const command = said.startsWith('AUTH') && said.trim() !== LOGIN ? 'an unknown one' : said.slice(0, 4);
    this.#isMail = command === 'DATA' && UNUSUAL[kind ?? 'slow']?.[0] !== 'DATA';
    if (command === 'DATA' && kind === 'reset_before') this.#later(WIRE_MS, () => this.#break('ECONNRESET'));
    else this.#answer(command, kind === 'slow' ? backMs : WIRE_MS);
  }

  #answer(command: string, inMs: number): void {
    const [unusual, answer] = UNUSUAL[this.#sent.course.kind ?? 'slow'] ?? [];
    const line = command === unusual ? answer : (USUAL[command] ?? '535 5.7.8 No.');
    this.#later(inMs, () => void this.push(`${line}\r\n`));
  }

  #hearMail(source: string): void {
    const { process, course } = this.#sent;
    const { kind, thereMs, backMs } = course;
    if (kind === 'request_lost') return;
    this.#timeline.after(thereMs, undefined, () => {
      this.#take(this.#to, source);
      if (kind === 'twice') this.#timeline.after(backMs * 3, undefined, () => this.#take(this.#to, source));
      process.networkEvent('arrival');
      if (kind === 'answer_lost') return;
      this.#later(backMs, () => {
        process.networkEvent('answer');
        if (process.dead) return;
        this.#sent.answeredAtMs = this.#timeline.now();
        if (kind === 'reset_after') this.#break('ECONNRESET');
        else if (kind === 'cut' || kind === 'stalls') this.push('250 2');
        else this.#answer('.', 0);
        if (kind === 'cut') this.push(null);
      });
    });
  }
}

/** Connections to the mail server are of the simulation. Answers with what takes it back. */
export function replaceSockets(open: (connected: () => void) => Duplex): () => void {
  const { connect } = net;
  const replaced = (to: { readonly port?: number }, connected: () => void) =>
    to.port === MAIL_SERVER.port ? open(connected) : connect(to as net.NetConnectOpts, connected);
  net.connect = replaced as typeof connect;
  return () => {
    net.connect = connect;
  };
}
