import { accessSync, constants } from 'node:fs';
import { InputError } from '../../domain/errors.ts';
import { type ChannelWork, unusableAddress } from '../channel.ts';
import { fetchPicture } from '../check-media.ts';
import { isMailAddress } from './mail-address.ts';
import { mailPage, pictureId, subjectOf } from './mail-page.ts';
import type { EmailConnection } from './send-mail.ts';

/** Long enough for a thousand alerts, short enough to be read. */
const TEXT_LENGTH_MAX = 200_000;

export const work: ChannelWork<EmailConnection> = {
  textLengthMax: TEXT_LENGTH_MAX,
  explainCode: () => undefined,
  // A login that the server refuses, or a sender that it does not know.
  settingsCanFix: (code) => [530, 534, 535, 550, 553].includes(code),
  open: (connection) => ({
    account: undefined,
    sender: connection.from,
    repeatsInDoubt: true,
    pictures: { check: (url) => fetchPicture(connection, url) },
    async send(alert) {
      const { recipient: to, text, reference, at, mail, picture } = alert;
      if (!isMailAddress(to)) throw unusableAddress('a mail address');
      const { sendMail } = await mailLibrary();
      const response = await sendMail(connection, {
        to,
        subject: mail?.subject ?? subjectOf(alert),
        text,
        html: mailPage(alert),
        csv: mail?.csv,
        picture: picture?.png && { id: pictureId(alert), png: picture.png },
        id: `pk-${reference}`,
        date: new Date(at),
      });
      return { providerId: undefined, status: undefined, response };
    },
  }),
  check: {
    isRare: true,
    expected: 'a mail server that takes the login',
    withoutIt: 'EMAIL_URL and EMAIL_FROM, if alerts should go out as mails',
    nextStep: 'Set the names under "email" in docs/configuration.md.',
    async ask(connection) {
      const { server, login } = connection;
      if (server.kind === 'sendmail') {
        requireProgram(server.path);
        return 'the program is there; pacekeeper alerts test sends a mail';
      }
      await (await mailLibrary()).greetServer(connection);
      return login === undefined ? 'the server answers; no login is set' : 'the server takes the login';
    },
  },
};

/** Loaded with the first mail, because every delivery loads this file. */
const mailLibrary = () => import('./send-mail.ts');

function requireProgram(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw new InputError(`${path} cannot be run`, {
      nextStep: 'Install a mail system with a sendmail program, or set EMAIL_URL to a mail server.',
      cause,
    });
  }
}
