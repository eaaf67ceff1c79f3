import { referenceWord } from '../../domain/channel.ts';
import { channelOfAddress, isMessagingAddress } from '../../domain/messaging-address.ts';
import { offered } from '../../services/http/classify-failure.ts';
import { type ChannelWork, type ReplyWindow, unusableAddress } from '../channel.ts';
import { checkMedia } from '../check-media.ts';
import { replyWindow, templateFor, variablesOf } from '../template.ts';
import { fetchMessage, findMessage, listMessages } from './find-message.ts';
import type { MessagesConnection } from './messages-connection.ts';
import { explainMessageCode } from './read-refusal.ts';
import { receiveMessages } from './receive-webhooks.ts';
import { BODY_LENGTH_MAX, sendMessage } from './send-message.ts';

export const work: ChannelWork<MessagesConnection> = {
  textLengthMax: BODY_LENGTH_MAX,
  explainCode: explainMessageCode,
  receiveWebhooks: receiveMessages,
  open: (connection) => ({
    account: connection.accountId,
    sender: connection.from,
    pictures: {
      captionLengthMax: 1024,
      codes: ['11751', '12300', '21620', '63019', '63021'],
      check: (url) => checkMedia(connection, url),
    },
    window: windowOf(connection),
    async send(alert) {
      const { recipient: to, text: body, picture, statusCallback } = alert;
      if (!isMessagingAddress(to)) throw unusableAddress('<channel>:+<number>');
      const channel = channelOfAddress(connection.from);
      if (channelOfAddress(to) !== channel) {
        throw unusableAddress(`${channel}:+<number> as in MESSAGES_FROM, found ${channelOfAddress(to)}:`);
      }
      if (!alert.byTemplate) {
        return sendMessage(connection, { to, body, statusCallback, mediaUrl: picture?.url, mediaIsChecked: true });
      }
      const template = templateFor(connection.templates, 'messages.templates', alert);
      const variables = variablesOf(template, alert);
      return sendMessage(connection, { to, content: template.content, variables, statusCallback });
    },
    sentMessages: {
      accountSetting: 'MESSAGES_ACCOUNT_ID',
      find: ({ recipient: to, sender: from, reference, sinceMs }) =>
        findMessage({ ...connection, from }, { to, reference: referenceWord(reference), sinceMs }),
      fetch: (providerId) => fetchMessage(connection, providerId),
    },
  }),
  check: {
    expected: 'credentials that can list messages',
    withoutIt: 'MESSAGES_URL and its credentials; without them, alerts wait or use the graph interface',
    nextStep: 'To send alerts this way, set the names under "messages" in docs/configuration.md.',
    async ask(connection) {
      const isListed = await offered(() => listMessages(connection, 1).then(() => true));
      if (isListed) return 'messages can be listed';
      return {
        found: 'listing messages is not offered, so the credentials are not checked',
        nextStep:
          'Check them with pacekeeper messages send. If the service lists messages, check MESSAGES_URL and MESSAGES_ACCOUNT_ID.',
      };
    },
  },
};

/** Only WhatsApp has a reply window. */
function windowOf({ from, templates, phonesWroteAt }: MessagesConnection): ReplyWindow | undefined {
  if (channelOfAddress(from) !== 'whatsapp') return undefined;
  return replyWindow(templates, { refusal: '63016', openedAt: phonesWroteAt });
}
