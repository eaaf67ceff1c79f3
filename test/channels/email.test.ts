import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import type { SaidAlert } from '../../src/channels/channel.ts';
import { email } from '../../src/channels/email/channel.ts';
import type { ApiError } from '../../src/domain/errors.ts';
import { htmlFindings } from '../support/html-findings.ts';
import { partsOf } from '../support/mail-parts.ts';
import { forgetfulServer, headersOf, mailServer, reply } from '../support/mail-server.ts';
import { privateAuthority } from '../support/private-authority.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ALERT, openMail, TEXT } from './open-mail.ts';

const local = ({ port }: { readonly port: number }) => `smtp://127.0.0.1:${port}`;

async function failureOf(sending: Promise<unknown>): Promise<ApiError> {
  return sending.then(
    () => {
      throw new Error('Expected a failure.');
    },
    (error: ApiError) => error,
  );
}

describe('a mail', () => {
  it('has the finding as its subject, the words as text and as a page, and an id of its own', async () => {
    const server = await mailServer();
    const mail = await openMail({ url: local(server) });
    expect(await mail.send()).toMatchObject({ response: expect.stringContaining('250') });
    const [received] = server.mails;
    expect(received).toMatchObject({ from: 'pacekeeper@example.org', to: ['anna@example.com'] });
    const headers = headersOf(received ?? { source: '' });
    expect(headers.get('message-id')).toBe('<pk-AAAAAAAA@example.org>');
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('date')).toBe('Fri, 20 Nov 2026 12:00:00 +0000');
    expect(headers.get('content-type')).toMatch(/^multipart\/alternative/);
    const parts = partsOf(received?.source ?? '');
    const html = parts.get('text/html')?.bytes.toString();
    expect(parts.get('text/plain')?.bytes.toString().replaceAll('\r\n', '\n').trim()).toBe(TEXT);
    expect(html).toContain('Boots &amp; &lt;b&gt;Söckchen&lt;/b&gt;');
    expect(html).toContain('href="https://pacekeeper.example.com/inbox"');
    expect(await htmlFindings(html ?? '')).toEqual([]);
  });

  const DIGEST =
    'Pacekeeper, 2026-11-21: since 2026-11-20\n2 budgets changed, 9.00 EUR to 8.00 EUR:\n- B1\n1 condition firing: pacekeeper alerts list';
  it.each<[subject: string, alerts: readonly Partial<SaidAlert>[]]>([
    ['Thames: Paused: Boots', [{ account: 'Thames', text: 'Paused: Boots\nWhy: 1 > 0' }]],
    ['Thames: Paused: Boots (+1 more)', [{ account: 'Thames', text: 'Paused: Boots' }, { account: 'Thames' }]],
    ['Paused: Boots (+1 more)', [{ account: 'Thames', text: 'Paused: Boots' }, { account: 'Avon' }]],
    ['a b: Paused: Boots', [{ account: 'a\r\nb', text: 'Paused: Boots' }]],
    ['2 budgets changed, 9.00 EUR to 8.00 EUR, 1 condition firing', [{ kind: 'digest', text: DIGEST }]],
    [
      'Pacekeeper, 2026-11-21: since noon',
      [{ kind: 'digest', text: 'Pacekeeper, 2026-11-21: since noon\nNothing to report.' }],
    ],
  ])('has the account and the finding in its subject: %s', async (subject, alerts) => {
    const server = await mailServer();
    const [first] = ALERT.alerts;
    await (await openMail({ url: local(server) })).send({
      ...ALERT,
      alerts: first === undefined ? [] : alerts.map((one) => ({ ...first, ...one })),
    });
    expect(headersOf(server.mails[0] ?? { source: '' }).get('subject')).toBe(subject);
  });

  it.each([
    'a@example.com\r\nBcc: x@example.com',
    'a@example.com, x@example.com',
    '"a b"@example.com',
    'Anna <a@example.com>',
    '-oQ/tmp@example.com',
    'a@exa mple.com',
    'a@example..com',
    `${'a'.repeat(65)}@example.com`,
    'anna',
  ])('never goes to %j', async (recipient) => {
    const server = await mailServer();
    const { send } = await openMail({ url: local(server) });
    expect(await failureOf(send({ ...ALERT, recipient }))).toMatchObject({
      outcome: 'not_processed',
      transient: false,
    });
    expect(server.mails).toEqual([]);
  });

  it('has one subject and no other header, whatever a name says', async () => {
    const server = await mailServer();
    const { send } = await openMail({ url: local(server) });
    const text = `Paused: Boots\r\nBcc: x@example.com\n${'€'.repeat(300)}`;
    const [alert] = ALERT.alerts;
    await send({ ...ALERT, text, alerts: alert === undefined ? [] : [{ ...alert, text }, alert] });
    const headers = headersOf(server.mails[0] ?? { source: '' });
    expect([...headers.keys()].toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(headers.get('subject')).toBe('Paused: Boots (+1 more)');
  });

  it('goes to a mail system on this machine over TLS, although nobody signed its certificate', async () => {
    const sessions: boolean[] = [];
    const server = await mailServer({
      disabledCommands: [],
      onMailFrom: (_address, { secure }, done) => {
        sessions.push(secure);
        done();
      },
    });
    await (await openMail({ url: local(server) })).send();
    expect([sessions, server.mails.length]).toEqual([[true], 1]);
  });

  it('goes over TLS, which a server on another machine must offer', async () => {
    const { caFile, keyFile, certificateFile } = privateAuthority();
    const files = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    const server = await mailServer({ ...files, secure: true });
    const url = `smtps://127.0.0.1:${server.port}`;
    const trusting = await openMail({ url, authorities: [readFileSync(caFile, 'utf8')] });
    await trusting.send();
    expect(server.mails).toHaveLength(1);
    const stranger = await failureOf((await openMail({ url })).send());
    expect(stranger).toMatchObject({ outcome: 'not_processed', nextStep: expect.stringContaining('tls.ca_file') });
    expect(email.areaOf({ url: 'smtp://mail.example.com', from: 'a@example.com' } as never)).toMatchObject({
      server: { host: 'mail.example.com', port: 587, tls: 'required' },
    });
    expect(email.areaOf({ url: 'smtps://mail.example.com', from: 'a@example.com' } as never)).toMatchObject({
      server: { port: 465, tls: 'at once' },
    });
  });
});

describe('a mail server', () => {
  it.each([
    ['refuses the recipient for now', { onRcptTo: refusing(450, 'mailbox busy') }, 'not_processed', true, '450'],
    ['refuses the recipient', { onRcptTo: refusing(550, 'no such user') }, 'not_processed', false, '550'],
    ['refuses the sender', { onMailFrom: refusing(553, 'not yours') }, 'not_processed', false, '553'],
    ['refuses the mail', { onData: taking(reply(554, 'spam')) }, 'not_processed', false, '554'],
    ['refuses the mail for now', { onData: taking(reply(451, 'greylisted')) }, 'not_processed', true, '451'],
    ['is full', { onConnect: refusing(421, 'too many connections') }, 'not_processed', true, '421'],
  ] as const)('that %s is told apart', async (_what, options, outcome, transient, status) => {
    const server = await mailServer(options as never);
    const { send } = await openMail({ url: local(server) });
    expect(await failureOf(send())).toMatchObject({ outcome, transient, status });
  });

  it('that ends the connection after the mail leaves a doubt', async () => {
    const { port } = await forgetfulServer(1);
    const failure = await failureOf((await openMail({ url: `smtp://127.0.0.1:${port}` })).send());
    expect(failure).toMatchObject({ outcome: 'unknown', transient: true });
  });

  it('that is away has certainly not taken the mail', async () => {
    const { port } = await closedPort();
    const failure = await failureOf((await openMail({ url: `smtp://127.0.0.1:${port}` })).send());
    expect(failure).toMatchObject({ outcome: 'not_processed', transient: true, nextStep: 'Check EMAIL_URL.' });
  });

  it.each<[what: string, outcome: string, options: (asked: () => void) => SMTPServerOptions]>([
    ['the login', 'not_processed', (asked) => ({ onAuth: asked })],
    ['the mail', 'unknown', (asked) => ({ onData: (mail) => void mail.resume().on('end', asked) })],
  ])('that gives no answer to %s is not waited for after a stop', async (_what, outcome, options) => {
    const stop = new AbortController();
    const server = await mailServer({
      onAuth: (_auth, _session, done) => done(null, { user: 'pk' }),
      ...options(() => stop.abort()),
    });
    const { send } = await openMail({ url: local(server), login: ['pk', 'x'.repeat(9)], stop: stop.signal });
    expect(await failureOf(send())).toMatchObject({ outcome, transient: true });
  });

  it('that repeats the password in its refusal shows it to nobody', async () => {
    const server = await mailServer({
      authOptional: false,
      onAuth: ({ password }, _session, done) => done(reply(535, `wrong password ${password}`)),
    });
    const { send, check } = await openMail({ url: local(server), login: ['pk', 'very secret words'] });
    for (const failure of [await failureOf(send()), await failureOf(check())]) {
      expect(failure).toMatchObject({ outcome: 'not_processed', status: '535' });
      expect(failure.nextStep).toBe('Check EMAIL_USERNAME and EMAIL_PASSWORD.');
      expect(failure.message).not.toContain('secret');
    }
  });

  it('answers doctor without a mail', async () => {
    const server = await mailServer({ onAuth: (_auth, _session, done) => done(null, { user: 'pk' }) });
    expect(await (await openMail({ url: local(server), login: ['pk', 'x'.repeat(9)] })).check()).toBe(
      'the server takes the login',
    );
    expect(server.mails).toEqual([]);
  });
});

describe('the local sendmail', () => {
  const program = (script: string) => {
    const path = join(tempDir(), 'sendmail');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };

  it('gets the mail and its two addresses', async () => {
    const path = program('cat > "$0.mail"; echo "$@" > "$0.args"');
    const { send, check } = await openMail({ url: `sendmail:${path}` });
    expect(await check()).toContain('the program is there');
    await send();
    expect(readFileSync(`${path}.args`, 'utf8').trim()).toBe('-i -f pacekeeper@example.org anna@example.com');
    expect(headersOf({ source: readFileSync(`${path}.mail`, 'utf8').replaceAll(/\r?\n/g, '\r\n') }).get('to')).toBe(
      'anna@example.com',
    );
  });

  it.each([
    ['cat > /dev/null; exit 67', { outcome: 'not_processed', transient: false }],
    ['exit 1', { outcome: 'not_processed', transient: false }],
  ])('that ends with %j has refused it', async (script, expected) => {
    const { send } = await openMail({ url: `sendmail:${program(script)}` });
    expect(await failureOf(send())).toMatchObject(expected);
  });

  it('that hangs is ended by a stop, and may have taken it', async () => {
    const stop = new AbortController();
    const path = program('cat > "$0.mail"; echo > "$0.read"; exec sleep 60');
    const { send } = await openMail({ url: `sendmail:${path}`, stop: stop.signal });
    const sending = failureOf(send());
    await expect.poll(() => existsSync(`${path}.read`)).toBe(true);
    stop.abort();
    expect(await sending).toMatchObject({ outcome: 'unknown', transient: true });
  });

  it('that ends before it has read the mail says why by its code', async () => {
    const { send } = await openMail({ url: `sendmail:${program('exec <&-; exit 75')}` });
    expect(await send()).toMatchObject({ response: 'queued for later' });
  });

  it('that will try later has taken it', async () => {
    const { send } = await openMail({ url: `sendmail:${program('cat > /dev/null; exit 75')}` });
    expect(await send()).toMatchObject({ response: 'queued for later' });
  });

  it('that is not there is named, with what to do', async () => {
    const { send, check } = await openMail({ url: 'sendmail:/nowhere/sendmail' });
    expect(await failureOf(send())).toMatchObject({ outcome: 'not_processed', transient: false });
    await expect(check()).rejects.toThrow('/nowhere/sendmail cannot be run');
  });
});

function refusing(code: number, text: string) {
  return (...args: readonly unknown[]) => (args.at(-1) as (error: Error) => void)(reply(code, text));
}

function taking(error: Error) {
  return (stream: NodeJS.ReadableStream, _session: unknown, done: (error: Error) => void) => {
    stream.resume();
    stream.on('end', () => done(error));
  };
}

async function closedPort(): Promise<{ readonly port: number }> {
  const { promise, resolve } = Promise.withResolvers<{ readonly port: number }>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve({ port }));
  });
  return promise;
}
