import { InvalidArgumentError } from 'commander';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { type Command, command } from '../cli/command.ts';
import { customerOption, durationOption, FORMAT, LISTING_FORMAT, TOLD } from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import { choice, flag, option, optionalArgumentList, optionOf, type Taken, withDefault } from '../cli/takes.ts';

const severity = (description: string) => choice('<severity>', description, ALERT_SEVERITIES);

const LIST = { all: flag('also alerts already sent or withdrawn, and ended silences'), format: LISTING_FORMAT };
export type ListOptions = Taken<typeof LIST>;

const SILENCE = {
  ...PERSON,
  for: durationOption(
    'duration of the silence, such as 30m, 2h or 3d',
    { m: 60_000, h: 3_600_000, d: 86_400_000 },
    { longestMs: 90 * 86_400_000, expected: 'a time such as 30m, 2h or 3d, at most 90 days' },
  ),
  rule: option('<name>', 'only alerts of this rule; * matches any characters'),
  customer: customerOption('only alerts of this account'),
  severity: severity('only alerts of this severity'),
  all: flag('every alert'),
  end: optionOf('<id>', 'end this silence now, such as S3', readSilence),
  format: FORMAT,
};
export type SilenceOptions = Taken<typeof SILENCE>;

const ACKNOWLEDGE = {
  alerts: optionalArgumentList('numbers of alerts, such as A7'),
  by: PERSON.by,
  rule: SILENCE.rule,
  customer: SILENCE.customer,
  severity: SILENCE.severity,
  all: SILENCE.all,
};
export type AcknowledgeOptions = Taken<typeof ACKNOWLEDGE>;

const TEST = {
  to: option('<name>', 'only to this recipient'),
  severity: withDefault(severity('severity of the test alert'), 'critical'),
  by: option('<name>', 'your name for the message (default: your login name)'),
  format: FORMAT,
};
export type TestOptions = Taken<typeof TEST>;

export const alertsCommand: Command = {
  name: 'alerts',
  summary: 'List, silence, acknowledge, test and deliver alerts.',
  examples: [
    'pacekeeper alerts list',
    'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
  ],
  commands: [
    command({
      name: 'list',
      summary: 'Show firing alerts, waiting alerts and why they wait, deliveries not confirmed, and silences.',
      takes: LIST,
      examples: ['pacekeeper alerts list', 'pacekeeper alerts list --all --format ndjson'],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-alerts.ts')).runList,
    }),
    command({
      name: 'silence',
      summary: 'Silence some alerts for a while. Afterwards, conditions that are still true are reported.',
      takes: SILENCE,
      examples: [
        'pacekeeper alerts silence --rule stopped-spending --for 2h --why "shop closed"',
        'pacekeeper alerts silence --end S1',
      ],
      about: `A silence for a rule also covers alerts about its changes and approval
requests. Digests, answers and tests are never silenced.`,
      opens: { what: 'state' },
      load: async () => (await import('./run-alerts.ts')).runSilence,
    }),
    command({
      name: 'acknowledge',
      summary: 'Say that you have seen alerts. They go to no further channel and are not repeated.',
      takes: ACKNOWLEDGE,
      examples: ['pacekeeper alerts acknowledge A7', 'pacekeeper alerts acknowledge --rule stopped-spending'],
      about: `Options choose among alerts that fire, and alerts that were not delivered. If
a condition becomes more severe or ends, an alert follows.`,
      opens: { what: 'state' },
      load: async () => (await import('./run-alerts.ts')).runAcknowledge,
    }),
    command({
      name: 'test',
      summary: 'Send a test alert to every recipient at once, through the usual channels, even in quiet hours.',
      takes: TEST,
      examples: ['pacekeeper alerts test', 'pacekeeper alerts test --to anna --severity info'],
      opens: { what: 'all' },
      load: async () => (await import('./run-alerts.ts')).runTest,
    }),
    command({
      name: 'deliver',
      summary: 'Send waiting alerts without a report. Works during a run, too.',
      takes: TOLD,
      examples: ['pacekeeper alerts deliver', 'pacekeeper alerts deliver --format json'],
      opens: { what: 'all' },
      isStoppable: true,
      load: async () => (await import('./run-alerts.ts')).runDeliver,
    }),
  ],
};

function readSilence(text: string): bigint {
  const digits = /^[Ss]?([1-9]\d{0,17})$/.exec(text.trim())?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new InvalidArgumentError('Expected the number of a silence, such as S3.');
}
