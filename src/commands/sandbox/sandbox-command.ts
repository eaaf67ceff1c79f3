import { InvalidArgumentError } from 'commander';
import { PHONE_CHANNELS } from '../../sandbox/phones.ts';
import { command } from '../cli/command.ts';
import { addressOption, LISTED, wholeNumberOption } from '../cli/common-options.ts';
import { argument, choice, flag, option, optionOf, type Taken, withDefault } from '../cli/takes.ts';

const SERVER = 'http://127.0.0.1:4020';

const SANDBOX = {
  port: wholeNumberOption('port to listen on (default: 4010)', 0, 65_535),
  seed: wholeNumberOption('seed of the market (default: 1)', 0, 2 ** 31 - 1),
  strict: flag("offer only the operations and answers in this project's specification"),
  market: option('<file>', 'replay real history: CSV or CSV.gz with date, keyword_id, impressions, clicks'),
  webhooks: addressOption('address of pacekeeper serve, for delivery reports and replies', SERVER),
  freshContainer: flag('start the container with its initial password, which the first login must change'),
  serviceAccountFile: option('<file>', 'key file of a service account; created if missing'),
  fault: optionOf<readonly string[]>(
    '<mode>',
    'simulate a fault: MODE[,at=PLACE][,nth=N][,every=N], such as cut,at=stream,nth=2; repeatable',
    (text, earlier = []) => [...earlier, text],
  ),
};
export type SandboxOptions = Taken<typeof SANDBOX>;

const REPLY = {
  text: argument(),
  channel: withDefault(choice('<channel>', 'channel of the phone', PHONE_CHANNELS), 'messages'),
  from: optionOf('<number>', "number of the phone that answers (default: the sandbox's own)", readPhone),
  to: addressOption(
    'address of pacekeeper serve (default: SERVE_PUBLIC_URL, otherwise SERVE_HOST and SERVE_PORT)',
    SERVER,
  ),
};
export type ReplyOptions = Taken<typeof REPLY>;

export const sandboxCommand = command({
  name: 'sandbox',
  summary: 'Simulate all interfaces on 127.0.0.1, with a market that reacts to budgets.',
  takes: SANDBOX,
  examples: [
    'pacekeeper sandbox --port 4010',
    'pacekeeper sandbox --market history.csv.gz --strict',
    'pacekeeper sandbox --webhooks http://127.0.0.1:4020',
    'pacekeeper sandbox --service-account-file key.json',
    'pacekeeper sandbox --fault reset-after,at=mutate,nth=1 --fault 503,every=5',
    'pacekeeper sandbox inbox',
    'pacekeeper sandbox reply "YES 7K3Q"',
  ],
  about: `These phones receive nothing: +1555010001Y (messages), +1555010002Y (graph) and
+1555010003Y (both). The last digit Y is the reason:

- 1: the recipient opted out.
- 2: accepted, but not delivered.
- 3: no report after the status "sent".
- 4: rate limit exceeded.

For --fault, docs/sandbox.md lists each MODE and PLACE.`,
  load: async () => (await import('./run-sandbox.ts')).runSandbox,
  commands: [
    command({
      name: 'inbox',
      summary: 'Show the messages that phones would have received, newest last.',
      takes: LISTED,
      examples: ['pacekeeper sandbox inbox', 'pacekeeper sandbox inbox --format ndjson'],
      load: async () => (await import('./run-inbox.ts')).runInbox,
    }),
    command({
      name: 'reply',
      summary: 'Simulate an answer from a phone: send its signed message to pacekeeper serve.',
      takes: REPLY,
      examples: [
        'pacekeeper sandbox reply "YES 7K3Q"',
        'pacekeeper sandbox reply "NO 7K3Q" --from +15550100003 --to http://127.0.0.1:4020',
      ],
      load: async () => (await import('./run-reply.ts')).runReply,
    }),
    command({
      name: 'deactivate-features',
      summary:
        "Simulate a user who deactivates the app's business features and grants the permissions again. Run pacekeeper graph revoke first. After both, pacekeeper graph page-tokens finds pages.",
      examples: [
        'pacekeeper sandbox deactivate-features',
        'pacekeeper sandbox deactivate-features --data-dir ./elsewhere',
      ],
      load: async () => (await import('./run-inbox.ts')).runDeactivateFeatures,
    }),
  ],
});

function readPhone(text: string): string {
  if (/^\+[1-9]\d{6,14}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a phone number in international form, such as +15550100002.');
}
