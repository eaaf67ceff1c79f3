import { spawn } from 'node:child_process';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { ReportMail } from '../../domain/channel.ts';
import { ApiError } from '../../domain/errors.ts';
import { cutText } from '../../domain/outside-text.ts';
import { PERMANENT, REFUSED_FOR_NOW, UNCERTAIN } from '../../services/http/classify-failure.ts';
import type { ChannelConnection } from '../channel.ts';
import { type PostConnection, postJson } from '../post-json.ts';

export type MailServer =
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      readonly tls: 'at once' | 'required' | 'if offered';
    }
  | { readonly kind: 'sendmail'; readonly path: string }
  /** Mails of the sandbox, as JSON below this address. */
  | { readonly kind: 'simulated'; readonly url: string };

export interface EmailConnection extends ChannelConnection, PostConnection {
  readonly http: PostConnection['http'];
  readonly server: MailServer;
  readonly from: string;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** In PEM format: all authorities that are trusted. Undefined: those that Node trusts. */
  readonly authorities: readonly string[] | undefined;
  readonly stop: AbortSignal | undefined;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly csv?: ReportMail['csv'];
  /** Shown in the page. `id` is its `Content-ID`. */
  readonly picture?: { readonly id: string; readonly png: Buffer } | undefined;
  /** The left part of the `Message-ID`. A repetition has the same, so that mailboxes can recognise it. */
  readonly id: string;
  readonly date: Date;
}

const CONNECT_MS = 10_000;
const GREETING_MS = 30_000;
/** Servers may scan a mail for minutes before they answer. */
const SILENCE_MS = 120_000;
const RESPONSE_LENGTH_MAX = 500;

/** Returns the server's answer. Throws `ApiError`: with outcome `unknown`, the mail may have been sent. */
export async function sendMail(connection: EmailConnection, mail: Mail): Promise<string> {
  const { from, server } = connection;
  if (server.kind === 'simulated') {
    const { to, subject, text } = mail;
    const url = `${server.url}/${encodeURIComponent(to)}`;
    const service = 'The simulated mail server';
    return (await postJson(connection, { url, service, body: { from, to, subject, text } })).response;
  }
  const raw = await composed(connection, mail);
  if (server.kind === 'sendmail') return sendLocally(connection, server.path, mail.to, raw);
  const envelope = { from, to: [mail.to] };
  return withServer(connection, server, async (session) => {
    const late = (error: MailError) => sendFailure(connection, error);
    const info = await answered<SMTPConnection.SentMessageInfo>(session, late, (done) =>
      session.send(envelope, raw, done),
    );
    return connection.redact(String(info?.response ?? '')).slice(0, RESPONSE_LENGTH_MAX);
  });
}

/** Connects and logs in. Sends nothing. */
export async function greetServer(connection: EmailConnection): Promise<void> {
  if (connection.server.kind === 'smtp') await withServer(connection, connection.server, async () => undefined);
}

/** Built here, because only then the parts of a session can be told apart. See {@link withServer}. */
async function composed({ from }: EmailConnection, mail: Mail): Promise<Buffer> {
  const { to, subject, text, html, csv, picture, id, date } = mail;
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const composer = new MailComposer({
    from: { name: 'pacekeeper', address: from },
    to: { name: '', address: to },
    subject,
    text,
    html,
    attachments: [
      ...(csv ? [{ filename: csv.name, content: csv.text, contentType: 'text/csv; charset=utf-8' }] : []),
      ...(picture ? [{ filename: 'month.png', content: picture.png, contentType: 'image/png', cid: picture.id }] : []),
    ],
    date,
    messageId: `<${id}@${domain}>`,
    // Asks for no vacation notices.
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  return composer.compile().build();
}

/**
 * A mail must not arrive twice, so each failure has to say whether the server can have the mail. Up to the end of the
 * login, nothing was sent: such a failure is certain. Then `act` sends, and only an answer of the server is certain. A
 * connection that ends without an answer leaves a doubt, although most of them end before the mail.
 */
async function withServer<Result>(
  connection: EmailConnection,
  { host, port, tls }: Extract<MailServer, { readonly kind: 'smtp' }>,
  act: (session: SMTPConnection) => Promise<Result>,
): Promise<Result> {
  const { login, authorities, stop } = connection;
  const session = new SMTPConnection({
    host,
    port,
    secure: tls === 'at once',
    requireTLS: tls === 'required',
    opportunisticTLS: tls === 'if offered',
    // On this machine, where plain text is allowed, mail systems often sign their certificate themselves.
    tls: { rejectUnauthorized: tls !== 'if offered', ...(authorities && { ca: [...authorities] }) },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
  });
  const end = () => session.close();
  stop?.addEventListener('abort', end);
  try {
    const early = (error: MailError) => earlyFailure(connection, error);
    await answered(session, early, (done) => session.connect(done));
    if (login !== undefined)
      await answered(session, early, (done) => session.login({ ...login, credentials: login }, done));
    return await act(session);
  } finally {
    stop?.removeEventListener('abort', end);
    session.close();
  }
}

/** A closed session drops its callbacks, so its end counts as a failure. */
function answered<Answer>(
  session: SMTPConnection,
  failureOf: (error: MailError) => ApiError,
  ask: (done: (error?: Error | null, answer?: Answer) => void) => void,
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(failureOf(error));
    session.on('error', fail);
    session.on('end', () => fail(new Error('the connection was closed')));
    ask((error, answer) => {
      if (error) fail(error);
      else resolve(answer);
    });
  });
}

interface MailError extends Error {
  /** The library's code, such as `EAUTH`. */
  readonly code?: string | undefined;
  /** The network's code, such as `ECONNREFUSED`. */
  readonly originalCode?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

const TLS_STEP =
  'Check EMAIL_URL: the server must offer TLS. If its certificate has an authority of your own, set tls.ca_file.';

/** Nothing was sent yet. */
function earlyFailure(connection: EmailConnection, error: MailError): ApiError {
  const { originalCode, code, responseCode = 0 } = error;
  const isTls = code === 'ETLS' || /CERT|SELF_SIGNED|UNABLE_TO_/.test(originalCode ?? '');
  const isRefused = isTls || code === 'EAUTH' || code === 'ENOAUTH' || responseCode >= 500;
  const nextStep = isTls
    ? TLS_STEP
    : code === 'EAUTH' || code === 'ENOAUTH'
      ? 'Check EMAIL_USERNAME and EMAIL_PASSWORD.'
      : 'Check EMAIL_URL.';
  return failure(connection, error, isRefused && !(responseCode >= 400 && responseCode < 500), nextStep);
}

/** Without a number of the server, the mail may have been sent. */
function sendFailure(connection: EmailConnection, error: MailError): ApiError {
  const { responseCode = 0 } = error;
  if (responseCode >= 500) return failure(connection, error, true, "Check the recipient's address and EMAIL_FROM.");
  if (responseCode >= 400) return failure(connection, error, false);
  return new ApiError(`${placeOf(connection)} gave no answer to the mail: ${wordsOf(connection, error)}.`, {
    ...UNCERTAIN,
    status: error.code ?? 'NO_ANSWER',
    cause: error,
  });
}

function failure(connection: EmailConnection, error: MailError, isFinal: boolean, nextStep?: string): ApiError {
  return new ApiError(`${placeOf(connection)} did not take the mail: ${wordsOf(connection, error)}.`, {
    ...(isFinal ? PERMANENT : REFUSED_FOR_NOW),
    status: error.responseCode === undefined ? (error.code ?? 'FAILED') : String(error.responseCode),
    nextStep,
    cause: error,
  });
}

/** The server's own words, else those of the connection. */
function wordsOf({ redact }: EmailConnection, { message, response }: MailError): string {
  const words = redact(response ?? message)
    .replace(/\s+/g, ' ')
    .trim();
  return cutText(words.replace(/\.$/, ''), RESPONSE_LENGTH_MAX);
}

function placeOf({ server }: EmailConnection): string {
  if (server.kind === 'smtp') return `${server.host}:${server.port}`;
  return server.kind === 'sendmail' ? server.path : server.url;
}

/** Sendmail ends with this number while the mail waits in its queue: certainly not delivered yet. */
const EX_TEMPFAIL = 75;

/** A mail system that hangs must not hold the run for ever. Its program is killed then, and may have taken the mail. */
function sendLocally(connection: EmailConnection, path: string, to: string, raw: Buffer): Promise<string> {
  const { from, stop } = connection;
  const check = 'Check the path in EMAIL_URL, and the log of the mail system.';
  return new Promise((resolve, reject) => {
    const refuse = (words: string, code?: string) =>
      reject(failure(connection, Object.assign(new Error(words), { code }), true, check));
    const program = spawn(path, ['-i', '-f', from, to], {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: SILENCE_MS,
      killSignal: 'SIGKILL',
      ...(stop && { signal: stop }),
    });
    program.on('error', (error: NodeJS.ErrnoException) => {
      if (!stop?.aborted) refuse(error.message, error.code);
    });
    program.on('close', (code, signal) => {
      if (code === 0) resolve('');
      else if (code === EX_TEMPFAIL) resolve('queued for later');
      else if (signal !== null) reject(sendFailure(connection, new Error(`it was ended by ${signal}`)));
      else refuse(`it ended with code ${code}`);
    });
    // A program that ends before it has read the mail says why by its code.
    program.stdin.on('error', () => undefined);
    program.stdin.end(Buffer.from(raw.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'));
  });
}
