import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CommonOptions } from '../common-options.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { renderInbox, renderInboxJson } from './render-inbox.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

export interface InboxCommandOptions extends CommonOptions {
  readonly format: 'table' | 'json';
}

/** The sandbox inbox command, which needs no running sandbox. Answers with the exit code. */
export async function runInbox(options: InboxCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const messages = withSandboxStore(sandboxFile(settings, options), (store) => store.messages.all());
  const text = options.format === 'json' ? renderInboxJson(messages) : renderInbox(messages, textLayout(output));
  output.stdout.write(`${text}\n`);
  return EXIT.done;
}
