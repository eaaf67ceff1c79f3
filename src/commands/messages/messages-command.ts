import { type Command, command } from '../cli/command.ts';
import { FORMAT } from '../cli/common-options.ts';
import { argument, option, type Taken } from '../cli/takes.ts';

const SEND = {
  to: argument(),
  text: argument(),
  media: option('<url>', 'attach the file at this address: a picture, a PDF, audio or video'),
  format: FORMAT,
};
export type SendOptions = Taken<typeof SEND>;

export const messagesCommand: Command = {
  name: 'messages',
  summary: 'Send a text through the messaging interface for alerts.',
  examples: [
    'pacekeeper messages send whatsapp:+4915112345678 "Frozen until noon."',
    'pacekeeper messages send --help',
  ],
  commands: [
    command({
      name: 'send',
      summary: 'Send one text now. TO is a channel, a colon and a number with its country code.',
      takes: SEND,
      examples: [
        'pacekeeper messages send whatsapp:+4915112345678 "Frozen until noon."',
        'pacekeeper messages send whatsapp:+4915112345678 "Hi" --media https://example.com/a.png',
      ],
      about: `Refuses attachments on a private network. Also refuses those that the channel
would drop, such as calendars, unless messages.media is link.`,
      opens: { what: 'areas' },
      load: async () => (await import('./run-send.ts')).runSend,
    }),
  ],
};
