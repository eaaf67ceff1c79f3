import { InvalidArgumentError } from 'commander';
import { type Command, command } from '../../cli/command.ts';
import { customerOption, durationOption, FORMAT, LISTING_FORMAT } from '../../cli/common-options.ts';
import { PERSON } from '../../cli/person.ts';
import { choice, flag, option, optionOf, type Taken, withDefault } from '../../cli/takes.ts';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';

const severity = (description: string) => choice('<severity>', description, ALERT_SEVERITIES);

const LIST = { all: flag('also what was told or withdrawn, and silences that are over'), format: LISTING_FORMAT };
export type ListOptions = Taken<typeof LIST>;

const SILENCE = {
  ...PERSON,
  for: durationOption(
    'how long: 30m, 2h or 3d',
    { m: 60_000, h: 3_600_000, d: 86_400_000 },
    { longestMs: 90 * 86_400_000, expected: 'minutes, hours or days such as 30m, 2h or 3d, 90 days at most' },
  ),
  rule: option('<name>', 'only alerts of this rule; * stands for any letters'),
  customer: customerOption('only alerts of this account'),
  severity: severity('only alerts of this severity'),
  all: flag('every alert'),
  end: optionOf('<id>', 'end this silence now (S3)', readSilence),
  format: FORMAT,
};
export type SilenceOptions = Taken<typeof SILENCE>;

const TEST = {
  to: option('<name>', 'only to this recipient'),
  severity: withDefault(severity('how severe it says it is; a test goes at once, in quiet hours too'), 'critical'),
  by: option('<name>', 'who you are, for the message (default: the name you are logged in with)'),
  format: FORMAT,
};
export type TestOptions = Taken<typeof TEST>;

const DELIVER = { format: FORMAT };
export type DeliverOptions = Taken<typeof DELIVER>;

export const alertsCommand: Command = {
  name: 'alerts',
  summary: 'Look at alerts, silence them, try whether they arrive.',
  examples: [
    'pacekeeper alerts list',
    'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
  ],
  commands: [
    command({
      name: 'list',
      summary: 'Show what fires, what waits to be told and why, what may not have arrived, and who silenced what.',
      takes: LIST,
      examples: ['pacekeeper alerts list', 'pacekeeper alerts list --all --format ndjson'],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-look.ts')).runList,
    }),
    command({
      name: 'silence',
      summary: 'Tell nobody of some alerts for a while. What still is so afterwards is told then.',
      takes: SILENCE,
      examples: [
        'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
        'pacekeeper alerts silence --end S1',
      ],
      about: `A silence of a rule is for what its changes and proposals tell, too. Digests,
answers and tests are never silenced.`,
      opens: { what: 'state' },
      load: async () => (await import('./run-silence.ts')).runSilence,
    }),
    command({
      name: 'test',
      summary: 'Send a test to everybody who is told, by the way that every alert goes.',
      takes: TEST,
      examples: ['pacekeeper alerts test', 'pacekeeper alerts test --to anna --severity info'],
      opens: { what: 'all' },
      load: async () => (await import('./run-test.ts')).runTest,
    }),
    command({
      name: 'deliver',
      summary: 'Send what waits to be told, without a report; beside a run that is on its way.',
      takes: DELIVER,
      examples: ['pacekeeper alerts deliver', 'pacekeeper alerts deliver --format json'],
      opens: { what: 'all' },
      isStoppable: true,
      load: async () => (await import('./run-look.ts')).runDeliver,
    }),
  ],
};

function readSilence(text: string): bigint {
  const digits = /^[Ss]?([1-9]\d{0,17})$/.exec(text.trim())?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new InvalidArgumentError('Expected the number of a silence such as S3.');
}
