import { isOnThisMachine } from '../../domain/connection-settings.ts';
import { group, setting } from '../../language/settings/declare.ts';
import { retry } from '../../language/settings/forms.ts';
import { nonEmptyText, scalar } from '../../language/yaml/scalars.ts';
import { defineChannel } from '../channel.ts';
import { isMailAddress, maskMailAddress } from './mail-address.ts';
import type { EmailConnection, MailServer } from './send-mail.ts';

const SERVER = 'smtps://HOST, smtp://HOST:PORT or sendmail:PATH';

const TLS_PORT = 465;
const SUBMISSION_PORT = 587;

/** Only a server on this machine may go without TLS, because mails have names and amounts. */
function readServer(text: string): MailServer | undefined {
  const [, path] = /^sendmail:(\/\S+)$/.exec(text) ?? [];
  if (path !== undefined) return { kind: 'sendmail', path };
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, hostname, port, pathname, username, password, search, hash } = url;
  if ((protocol !== 'smtps:' && protocol !== 'smtp:') || hostname === '') return undefined;
  if (`${pathname}${username}${password}${search}${hash}`.replace('/', '') !== '') return undefined;
  const tls = protocol === 'smtps:' ? 'at once' : isOnThisMachine(url) ? 'if offered' : 'required';
  const usual = protocol === 'smtps:' ? TLS_PORT : SUBMISSION_PORT;
  return { kind: 'smtp', host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port), tls };
}

const mailAddress = () =>
  scalar('an address such as anna@example.com', (text) => (isMailAddress(text) ? text : undefined));

const settings = group({
  url: setting(
    scalar(SERVER, (text) => (readServer(text) === undefined ? undefined : text)),
    'Mail server: `smtps://mail.example.com`, `smtp://mail.example.com:587` (TLS by STARTTLS is required, except on this machine), or `sendmail:/usr/sbin/sendmail`',
    { env: ['EMAIL_URL'], secrecy: 'text' },
  ),
  username: setting(nonEmptyText, 'User name at the mail server', {
    env: ['EMAIL_USERNAME'],
    secrecy: 'text',
    without: 'no login',
  }),
  password: setting(nonEmptyText, 'Password at the mail server', { env: ['EMAIL_PASSWORD'], secrecy: 'secret' }),
  from: setting(mailAddress(), 'Sender: `pacekeeper@example.com`', { env: ['EMAIL_FROM'], secrecy: 'text' }),
  retry: retry('Attempts in total, as for `ads`. A mail in doubt is sent once more, and says so'),
});

const recipientAddress = setting(mailAddress(), 'Mail address: `anna@example.com`', { secrecy: 'address' });

interface EmailArea extends Pick<EmailConnection, 'url' | 'from' | 'login'> {
  readonly server: MailServer;
}

export const email = defineChannel({
  name: 'email',
  title: 'Mail',
  about: 'Alerts as mails, by a mail server or the local sendmail.',
  settings,
  recipientAddress,
  needed: () => ['url', 'from'],
  areaOf({ url, from, username, password }): EmailArea | undefined {
    const server = url === undefined ? undefined : readServer(url);
    if (url === undefined || server === undefined || from === undefined) return undefined;
    const login = username === undefined ? undefined : { user: username, pass: password ?? '' };
    return { url, server, from, login };
  },
  rehearse: ({ url }): EmailArea => {
    const server = { kind: 'simulated', url: `${url}/posted/email` } as const;
    return { url, server, from: 'pacekeeper@example.com', login: undefined };
  },
  canSend: () => true,
  unusable: 'No mail server is configured (EMAIL_URL and EMAIL_FROM).',
  firstVariable: 'EMAIL_URL',
  mask: maskMailAddress,
  connect: (area, { http, redact, pauses, authorities }): EmailConnection => ({
    ...area,
    http,
    redact,
    authorities,
    stop: pauses.stop,
  }),
  load: async () => (await import('./deliver.ts')).work,
});
