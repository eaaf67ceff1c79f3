import { group, setting } from '../../language/settings/declare.ts';
import { namedAddresses, retry, SHORT_NAME, secretAddresses, shortName } from '../../language/settings/forms.ts';
import { type ChannelConnection, defineChannel } from '../channel.ts';
import type { PostConnection } from '../post-json.ts';

export interface SlackConnection extends ChannelConnection, PostConnection {
  readonly http: PostConnection['http'];
  /** Secret. Undefined for a name that the settings lack. */
  addressOf(name: string): string | undefined;
  /** Names in the settings. Undefined for the simulated service, which takes any. */
  readonly names: readonly string[] | undefined;
}

const settings = group({
  webhooks: setting(
    secretAddresses(),
    'Address of an incoming webhook, or a map of names to addresses: `{ team: "https://hooks.slack.com/services/…" }`. The addresses are secrets. A single address is called `default`.',
    { env: ['SLACK_WEBHOOKS'], secrecy: 'secret', named: SHORT_NAME },
  ),
  retry: retry('Attempts in total, as for `ads`. A message in doubt is sent once more, and says so'),
});

interface SlackArea extends Pick<SlackConnection, 'url' | 'addressOf' | 'names'> {}

export const slack = defineChannel({
  name: 'slack',
  title: 'Slack',
  about: 'Alerts in a channel of Slack, by an incoming webhook. Nobody can answer there: a link or a command decides.',
  settings,
  recipientAddress: setting(shortName(), 'Name from `slack.webhooks`; `default` if it has one address'),
  needed: () => ['webhooks'],
  areaOf({ webhooks: declared }): SlackArea | undefined {
    const webhooks = namedAddresses(declared);
    if (webhooks === undefined) return undefined;
    const [first = ''] = webhooks.values();
    return { url: new URL(first).origin, addressOf: (name) => webhooks.get(name), names: [...webhooks.keys()] };
  },
  rehearse: ({ url }): SlackArea => ({ url, addressOf: (name) => `${url}/posted/slack/${name}`, names: undefined }),
  canSend: () => true,
  namedIn: ({ names = [] }) => ({ setting: 'slack.webhooks', names }),
  unusable: 'Slack is not configured (SLACK_WEBHOOKS).',
  firstVariable: 'SLACK_WEBHOOKS',
  mask: (name) => `slack:${name}`,
  connect: (area, { http, redact }): SlackConnection => ({ ...area, http, redact }),
  load: async () => (await import('./deliver.ts')).work,
});
