import { BODY_LENGTH_MAX, sendMessage } from '../../channels/messages/send-message.ts';
import { maskRecipient } from '../../domain/channel.ts';
import { InputError } from '../../domain/errors.ts';
import { channelOfAddress, isMessagingAddress } from '../../domain/messaging-address.ts';
import type { Log, Pauses } from '../../domain/ports.ts';
import type { AreasApp } from '../../engine/app.ts';
import { withLoggedRetries } from '../../services/http/retry.ts';
import { oneLine } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { SendOptions } from './messages-command.ts';

export async function runSend(app: CommandApp<'areas'>, options: SendOptions): Promise<void> {
  const { pauses, log } = app;
  const { to, text: body, media: mediaUrl, format } = options;
  const { providerId, status } = await app.open((areas) =>
    sendChannelText({ ...areas, pauses, log }, { to, body, mediaUrl }),
  );
  const recipient = maskRecipient(to);
  const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
  const sentence = `The service accepted the text to ${recipient}${name}. Delivery is not confirmed yet.`;
  app.output.stdout.write(jsonOrText(format, { to: recipient, provider_id: providerId, status }, sentence));
}

/** Requirements C1 to C4. Retries only if the text was certainly not sent. Throws `InputError` before sending. */
async function sendChannelText(
  { messages, settings, pauses, log }: AreasApp & { readonly pauses: Pauses; readonly log: Log },
  outgoing: { readonly to: string; readonly body: string; readonly mediaUrl: string | undefined },
): ReturnType<typeof sendMessage> {
  if (!messages) {
    throw new InputError('The messaging interface is not configured, so nothing can be sent.', {
      nextStep: 'Set MESSAGES_URL and its credentials; docs/configuration.md lists them.',
    });
  }
  refuseText(outgoing);
  refuseOtherChannel(outgoing.to, messages.from);
  const told = { retry: settings.messages.retry, pauses, log };
  return withLoggedRetries(told, 'write', 'The text', () => sendMessage(messages, outgoing));
}

function refuseText({ to, body }: { readonly to: string; readonly body: string }): void {
  if (!isMessagingAddress(to)) {
    throw new InputError('Invalid recipient: expected <channel>:+<number>.', {
      nextStep: 'Write the channel, a colon and the number with its country code: whatsapp:+4915112345678.',
    });
  }
  refuseLength(body, BODY_LENGTH_MAX);
}

function refuseOtherChannel(to: string, from: string): void {
  if (channelOfAddress(to) === channelOfAddress(from)) return;
  const message = `The recipient ${maskRecipient(to)} and the sender ${maskRecipient(from)} have different channels.`;
  throw new InputError(message, {
    nextStep: `Write the recipient as ${channelOfAddress(from)}:+<number>, or change MESSAGES_FROM. Nothing was sent.`,
  });
}

/** `most` is in UTF-16 code units. */
export function refuseLength(body: string, most: number): void {
  if (body.trim() !== '' && body.length <= most) return;
  const found = body.trim() === '' ? 'no text' : `${body.length.toLocaleString('en-US')} characters`;
  throw new InputError(`Invalid text: found ${found}, expected 1 to ${most.toLocaleString('en-US')} characters.`, {
    nextStep: 'Put the text in quotes, and send a longer one in parts.',
  });
}
