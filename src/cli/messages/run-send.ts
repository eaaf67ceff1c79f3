import { maskRecipient } from '../../domain/mask-recipient.ts';
import { sendChannelText } from '../../jobs/send-channel-text.ts';
import { oneLine } from '../../report/text-layout.ts';
import { toJson } from '../../report/to-json.ts';
import { askService } from '../ask-service.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface SendOptions extends CommonOptions {
  readonly media?: string;
  readonly format: 'table' | 'json';
}

/** The command that sends one text. Answers with the exit code. */
export function runSend(to: string, body: string, options: SendOptions, process: Process): Promise<number> {
  return askService(options, process, async (areas, deps) => {
    const { providerId, status } = await sendChannelText({ ...areas, ...deps }, { to, body, mediaUrl: options.media });
    const recipient = maskRecipient(to);
    const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
    const shown =
      options.format === 'json'
        ? toJson({ to: recipient, provider_id: providerId, status })
        : `The service took the text to ${recipient}${name}. Whether it arrives is not known yet.`;
    process.output.stdout.write(`${shown}\n`);
    return EXIT.done;
  });
}
