import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { SendOptions } from './run-send.ts';

/** What a person does with the form-encoded messaging interface (area C). */
export function addMessagesCommand(program: Command, process: Process): void {
  const messages = program
    .command('messages')
    .description('Send a text by the messaging interface that alerts go by.')
    .addHelpText(
      'after',
      examples([
        'pacekeeper messages send whatsapp:+4915112345678 "Frozen until noon."',
        'pacekeeper messages send --help',
      ]),
    );
  addCommonOptions(messages.command('send <to> <text>'))
    .description('Send one text now. TO is a channel, a colon and a number with its country code.')
    .option('--media <url>', 'attach what is at this address: a picture, a PDF, a sound or a film')
    .addOption(formatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (to: string, body: string, options: SendOptions) => {
      const { runSend } = await import('./run-send.ts');
      process.exit(await runSend(to, body, options, process));
    });
}

const EXAMPLES = examples(
  [
    'pacekeeper messages send whatsapp:+4915112345678 "Frozen until noon."',
    'pacekeeper messages send whatsapp:+4915112345678 "Hi" --media https://example.com/a.png',
  ],
  `A medium that the channel would silently drop, such as a calendar, is refused,
or written into the text where messages.media is link. So is one on a private
network.`,
);
