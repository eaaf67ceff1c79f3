import { type Command, InvalidArgumentError, Option } from 'commander';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { addCommonOptions, customerOption, formatOption, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import type { DeliverCommandOptions, ListCommandOptions } from './run-look.ts';
import type { SilenceCommandOptions } from './run-silence.ts';
import type { TestCommandOptions } from './run-test.ts';

/** What a person does about alerts: looks, silences, tries whether they arrive, sends what waits. */
export function addAlertsCommand(program: Command, process: Process): void {
  const alerts = program
    .command('alerts')
    .description('Look at alerts, silence them, try whether they arrive.')
    .addHelpText(
      'after',
      examples([
        'pacekeeper alerts list',
        'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
      ]),
    );
  const severity = (description: string) => new Option('--severity <severity>', description).choices(ALERT_SEVERITIES);

  addCommonOptions(alerts.command('list'))
    .description('Show what fires, what waits to be told and why, what may not have arrived, and who silenced what.')
    .addHelpText('after', examples(['pacekeeper alerts list', 'pacekeeper alerts list --all --format ndjson']))
    .option('--all', 'also what was told or withdrawn, and silences that are over')
    .addOption(listingFormatOption())
    .action(async (options: ListCommandOptions) => {
      const { runList } = await import('./run-look.ts');
      process.exit(await runList(options, process));
    });
  addPersonOptions(addCommonOptions(alerts.command('silence')), 'optional')
    .description('Tell nobody of some alerts for a while. What still is so afterwards is told then.')
    .option('--for <duration>', 'how long: 30m, 2h or 3d', durationOption)
    .option('--rule <name>', 'only alerts of this rule; * stands for any letters')
    .option('--customer <id>', 'only alerts of this account', (text) => customerOption(text, undefined)[0])
    .addOption(severity('only alerts of this severity'))
    .option('--all', 'every alert')
    .option('--end <id>', 'end this silence now (S3)', silenceOption)
    .addOption(formatOption())
    .addHelpText('after', SILENCE_EXAMPLE)
    .action(async (options: SilenceCommandOptions) => {
      const { runSilence } = await import('./run-silence.ts');
      process.exit(await runSilence(options, process));
    });
  addCommonOptions(alerts.command('test'))
    .description('Send a test to everybody who is told, by the way that every alert goes.')
    .addHelpText('after', examples(['pacekeeper alerts test', 'pacekeeper alerts test --to anna --severity info']))
    .option('--to <name>', 'only to this recipient')
    .addOption(severity('how severe it says it is; a test goes at once, in quiet hours too').default('critical'))
    .option('--by <name>', 'who you are, for the message (default: the name you are logged in with)')
    .addOption(formatOption())
    .action(async (options: TestCommandOptions) => {
      const { runTest } = await import('./run-test.ts');
      process.exit(await runTest(options, process));
    });
  addCommonOptions(alerts.command('deliver'))
    .description('Send what waits to be told, without a report; beside a run that is on its way.')
    .addHelpText('after', examples(['pacekeeper alerts deliver', 'pacekeeper alerts deliver --format json']))
    .addOption(formatOption())
    .action(async (options: DeliverCommandOptions) => {
      const { runDeliver } = await import('./run-look.ts');
      process.exit(await runDeliver(options, process));
    });
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 90 * 86_400_000;

/** Milliseconds. */
function durationOption(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  const durationMs = Number(number) * (UNITS_MS[unit] ?? 0);
  if (durationMs > 0 && durationMs <= LONGEST_MS) return durationMs;
  throw new InvalidArgumentError('Expected minutes, hours or days such as 30m, 2h or 3d, 90 days at most.');
}

function silenceOption(text: string): bigint {
  const digits = /^[Ss]?([1-9]\d{0,17})$/.exec(text.trim())?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new InvalidArgumentError('Expected the number of a silence such as S3.');
}

const SILENCE_EXAMPLE = examples(
  [
    'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
    'pacekeeper alerts silence --end S1',
  ],
  `A silence of a rule is for what its changes and proposals tell, too. Digests,
answers and tests are never silenced.`,
);
