import { InvalidArgumentError } from 'commander';
import { command } from '../cli/command.ts';
import { addressOption } from '../cli/common-options.ts';
import { choice, flag, option, optionalArgument, optionList, optionOf, type Taken } from '../cli/takes.ts';

const TAKES = {
  dir: optionalArgument('the folder (default: the current one)'),
  target: choice('<kind>', 'the embedded sandbox, or live services', ['sandbox', 'live']),
  from: option('<file>', 'take credentials from a google-ads.yaml, or from the output of pacekeeper sandbox'),
  url: addressOption('address of the advertising interface', 'https://ads.example.com'),
  currency: optionOf('<code>', 'currency of the amounts in the rule (default: EUR)', readCurrency),
  timeZone: option('<zone>', "time zone of the schedule and the alerts (default: this machine's)"),
  query: optionList('<name...>', 'also write these ready-made queries, or all'),
  listQueries: flag('list the ready-made queries, and write nothing'),
  yes: flag('ask no questions'),
};
export type InitOptions = Taken<typeof TAKES>;

export const initCommand = command({
  name: 'init',
  summary: 'Create a working folder with settings, queries and a rule. Overwrites nothing.',
  takes: TAKES,
  examples: [
    'pacekeeper init my-shop',
    'pacekeeper init my-shop --query search_terms wasted_keywords',
    'pacekeeper init my-shop --target live --from ~/google-ads.yaml --time-zone Europe/Berlin',
  ],
  settings: 'none',
  load: async () => (await import('./run-init.ts')).runInit,
});

function readCurrency(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a currency code such as EUR.');
}
