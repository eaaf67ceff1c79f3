import { maskRecipient } from '../../domain/mask-recipient.ts';
import { sendChannelText } from '../../jobs/send-channel-text.ts';
import { oneLine } from '../../report/text-layout.ts';
import { toJson } from '../../report/to-json.ts';
import type { CommandApp } from '../command.ts';
import type { SendOptions } from './messages-command.ts';

export async function runSend(app: CommandApp<'areas'>, options: SendOptions): Promise<void> {
  const { pauses, log } = app;
  const { to, text: body, media: mediaUrl, format } = options;
  const { providerId, status } = await app.open((areas) =>
    sendChannelText({ ...areas, pauses, log }, { to, body, mediaUrl }),
  );
  const recipient = maskRecipient(to);
  const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
  const shown =
    format === 'json'
      ? toJson({ to: recipient, provider_id: providerId, status })
      : `The service took the text to ${recipient}${name}. Whether it arrives is not known yet.`;
  app.output.stdout.write(`${shown}\n`);
}
