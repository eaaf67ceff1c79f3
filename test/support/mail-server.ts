import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { EmailConnection } from '../../src/channels/email/send-mail.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As sent, with headers. */
  readonly source: string;
}

/** A real mail server on loopback. `options` are those of smtp-server; a test writes its refusals with them. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<{
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
}> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), source: Buffer.concat(parts).toString('utf8') });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => server.close(closed)));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

/** The open channel of the mail server on this port. */
export function mailOn(port: number): { readonly email: EmailConnection } {
  const email: EmailConnection = {
    url: `smtp://127.0.0.1:${port}`,
    server: { kind: 'smtp', host: '127.0.0.1', port, tls: 'if offered' },
    from: 'pacekeeper@example.org',
    login: undefined,
    http: createHttpClient(),
    redact: createRedact([]),
    authorities: undefined,
    stop: undefined,
  };
  return { email };
}

/** The headers of a mail by their names in lower case, unfolded. */
export function headersOf({ source }: Pick<ReceivedMail, 'source'>): ReadonlyMap<string, string> {
  const [head = ''] = source.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}

/** A server error with a reply code. */
export function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** A server that ends the connection after each of the first `times` mails, without an answer. Then it takes them. */
export async function forgetfulServer(times: number): Promise<{ readonly port: number; readonly sources: string[] }> {
  const sources: string[] = [];
  const server = createServer((socket) => {
    let mail: string | undefined;
    socket.on('error', () => undefined);
    socket.write('220 here\r\n');
    socket.on('data', (bytes) => {
      if (mail !== undefined) {
        mail += bytes.toString();
        if (!mail.endsWith('\r\n.\r\n')) return;
        sources.push(mail);
        mail = undefined;
        if (sources.length <= times) socket.destroy();
        else socket.write('250 taken\r\n');
        return;
      }
      for (const line of bytes
        .toString()
        .split('\r\n')
        .filter((one) => one !== '')) {
        mail = line === 'DATA' ? '' : undefined;
        socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, sources };
}
