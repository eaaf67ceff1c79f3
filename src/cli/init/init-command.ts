import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { InitCommandOptions } from './run-init.ts';

export function addInitCommand(program: Command, process: Process): void {
  program
    .command('init')
    .description('Make a folder to work in: settings, a query and a rule, with comments. Nothing is overwritten.')
    .argument('[dir]', 'the folder (default: this one)')
    .addOption(new Option('--target <kind>', 'the embedded sandbox, or live services').choices(['sandbox', 'live']))
    .option('--from <file>', 'take credentials from a google-ads.yaml, or from lines that pacekeeper sandbox printed')
    .option('--url <url>', 'where the advertising interface is', addressOption)
    .option('--currency <code>', 'of the amounts in the rule (default: EUR)', currencyOption)
    .option('--time-zone <zone>', "of the schedule and of who is told (default: this machine's)")
    .option('--yes', 'ask nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string | undefined, options: InitCommandOptions) => {
      const { runInit } = await import('./run-init.ts');
      process.exit(await runInit(dir, options, process));
    });
}

function addressOption(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Expected an http or https address, such as https://ads.example.com.');
}

function currencyOption(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a currency code such as EUR.');
}

const EXAMPLES = examples([
  'pacekeeper init my-shop',
  'pacekeeper init my-shop --target live --from ~/google-ads.yaml --time-zone Europe/Berlin',
]);
