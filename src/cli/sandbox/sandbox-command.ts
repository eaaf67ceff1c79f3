import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNELS } from '../../domain/channel.ts';
import { FAULT_MODES } from '../../sandbox/fault-modes.ts';
import { FAULT_PLACES } from '../../sandbox/fault-places.ts';
import { addCommonOptions, type CommonOptions, listingFormatOption, wholeNumberOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { InboxCommandOptions } from './run-inbox.ts';
import type { ReplyCommandOptions } from './run-reply.ts';
import type { SandboxCommandOptions } from './run-sandbox.ts';

export function addSandboxCommand(program: Command, process: Process): void {
  const sandbox = addCommonOptions(program.command('sandbox'))
    .description('Serve the advertising and messaging interfaces on 127.0.0.1, over a market that reacts to budgets.')
    .option('--port <number>', 'listen here (default: 4010)', wholeNumberOption(0, 65_535))
    .option('--seed <number>', 'which market (default: 1)', wholeNumberOption(0, 2 ** 31 - 1))
    .option('--strict', 'offer only what the specification shows')
    .option('--market <file>', 'replay real history: CSV or CSV.gz with date, keyword_id, impressions, clicks')
    .option('--webhooks <url>', 'report deliveries to this pacekeeper serve', addressOption)
    .option('--fresh-container', 'the container still has its first password, which the first login has to change')
    .option(
      '--fault <mode>',
      'misbehave: MODE[,at=PLACE][,nth=N][,every=N], such as cut,at=stream,nth=2; may be given several times',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: SandboxCommandOptions) => {
      const { runSandbox } = await import('./run-sandbox.ts');
      await runSandbox(options, process);
    });
  // The command above takes its own options wherever they stand: those that all share end up there.
  addCommonOptions(sandbox.command('inbox'))
    .description('Show what phones would have received, the newest last.')
    .addHelpText('after', examples(['pacekeeper sandbox inbox', 'pacekeeper sandbox inbox --format ndjson']))
    .addOption(listingFormatOption())
    .action(async (_: object, command: Command) => {
      const { runInbox } = await import('./run-inbox.ts');
      process.exit(await runInbox(command.optsWithGlobals<InboxCommandOptions>(), process));
    });
  addCommonOptions(sandbox.command('reply <text>'))
    .description('Let a phone answer: send its message, signed, to pacekeeper serve.')
    .addOption(new Option('--channel <channel>', 'how the phone writes').choices(CHANNELS).default('messages'))
    .option('--from <number>', "whose phone answers (default: the sandbox's own)", phoneOption)
    .option(
      '--to <url>',
      'where pacekeeper serve listens (default: SERVE_PUBLIC_URL, or its host and port)',
      addressOption,
    )
    .addHelpText('after', REPLY_EXAMPLES)
    .action(async (text: string, _: object, command: Command) => {
      const { runReply } = await import('./run-reply.ts');
      process.exit(await runReply(text, command.optsWithGlobals<ReplyCommandOptions>(), process));
    });
  addCommonOptions(sandbox.command('deactivate-features'))
    .description(
      "Deactivate the app's business features, as the account's settings would: the second step to page tokens.",
    )
    .addHelpText(
      'after',
      examples([
        'pacekeeper sandbox deactivate-features',
        'pacekeeper sandbox deactivate-features --data-dir ./elsewhere',
      ]),
    )
    .action(async (_: object, command: Command) => {
      const { runDeactivateFeatures } = await import('./run-deactivate-features.ts');
      process.exit(await runDeactivateFeatures(command.optsWithGlobals<CommonOptions>(), process));
    });
}

function phoneOption(text: string): string {
  if (/^\+[1-9]\d{6,14}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a phone number in international form, such as +15550100002.');
}

function addressOption(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Expected an http or https address, such as http://127.0.0.1:4020.');
}

const EXAMPLES = examples(
  [
    'pacekeeper sandbox --port 4010',
    'pacekeeper sandbox --market history.csv.gz --strict',
    'pacekeeper sandbox --webhooks http://127.0.0.1:4020',
    'pacekeeper sandbox --fault reset-after,at=mutate,nth=1 --fault 503,every=5',
    'pacekeeper sandbox inbox',
    'pacekeeper sandbox reply "YES 7K3Q"',
  ],
  `Phones with numbers +1555010001Y (area C), 2Y (area A) or 3Y (both) have a way
of their own:
  Y = 1 opted out, 2 taken and not delivered, 3 nothing is reported after sent,
      4 asked too often

MODE is one of ${wrapped(Object.keys(FAULT_MODES))}
PLACE is one of ${wrapped(Object.keys(FAULT_PLACES))}
docs/sandbox.md says what each does and what else it takes.`,
);

function wrapped(names: readonly string[]): string {
  return names.join(', ').replace(/(.{50,64}),( )/g, '$1,\n  ');
}

const REPLY_EXAMPLES = examples([
  'pacekeeper sandbox reply "YES 7K3Q"',
  'pacekeeper sandbox reply "NO 7K3Q" --from +15550100003 --to http://127.0.0.1:4020',
]);
