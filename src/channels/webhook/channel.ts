import { group, setting } from '../../language/settings/declare.ts';
import { namedAddresses, retry, SHORT_NAME, secretAddresses, shortName } from '../../language/settings/forms.ts';
import { oneOrMany, scalar } from '../../language/yaml/scalars.ts';
import { type ChannelConnection, defineChannel } from '../channel.ts';
import type { PostConnection } from '../post-json.ts';

export interface WebhookConnection extends ChannelConnection, PostConnection {
  readonly http: PostConnection['http'];
  /** Secret. Undefined for a name that the settings lack. */
  addressOf(name: string): string | undefined;
  /** Names in the settings. Undefined for the simulated service, which takes any. */
  readonly names: readonly string[] | undefined;
  /** The newest first. Receivers accept any of them. */
  readonly secrets: readonly Buffer[];
}

const PREFIX = 'whsec_';
const SECRET_BYTES = { least: 24, most: 64 };

/** The key of a Standard Webhooks secret. */
function readKey(text: string): Buffer | undefined {
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isWhole = text.startsWith(PREFIX) && key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return isWhole && key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most ? key : undefined;
}

const settings = group({
  urls: setting(
    secretAddresses(),
    'Address that takes alerts, or a map of names to addresses. The addresses are secrets. A single address is called `default`.',
    { env: ['WEBHOOK_URLS'], secrecy: 'secret', named: SHORT_NAME },
  ),
  secrets: setting(
    oneOrMany(scalar('whsec_ and 24 to 64 bytes in Base64', (text) => (readKey(text) ? text : undefined))),
    'Secret that signs every request ([Standard Webhooks](https://www.standardwebhooks.com)): `whsec_…`. While it turns, a list with the new one first; comma-separated in the environment',
    { env: ['WEBHOOK_SECRETS'], separator: ',', secrecy: 'secret' },
  ),
  retry: retry('Attempts in total, as for `ads`. A request in doubt is sent once more, under the same `webhook-id`'),
});

interface WebhookArea extends Pick<WebhookConnection, 'url' | 'addressOf' | 'names' | 'secrets'> {}

interface SimulatedWebhook {
  readonly url: string;
  readonly credentials: { readonly webhook: { readonly secret: string } };
}

export const webhook = defineChannel({
  name: 'webhook',
  title: 'A webhook of your own',
  about: 'Alerts as signed JSON for your own programs, by Standard Webhooks.',
  settings,
  recipientAddress: setting(shortName(), 'Name from `webhook.urls`; `default` if it has one address'),
  needed: () => ['urls', 'secrets'],
  areaOf({ urls, secrets }): WebhookArea | undefined {
    const addresses = namedAddresses(urls);
    const keys = secrets?.flatMap((secret) => readKey(secret) ?? []) ?? [];
    if (addresses === undefined || keys.length === 0) return undefined;
    const [first = ''] = addresses.values();
    return {
      url: new URL(first).origin,
      addressOf: (name) => addresses.get(name),
      names: [...addresses.keys()],
      secrets: keys,
    };
  },
  rehearse: ({ url, credentials }: SimulatedWebhook): WebhookArea => ({
    url,
    addressOf: (name) => `${url}/posted/webhook/${name}`,
    names: undefined,
    secrets: [readKey(credentials.webhook.secret) ?? Buffer.alloc(0)],
  }),
  canSend: () => true,
  namedIn: ({ names = [] }) => ({ setting: 'webhook.urls', names }),
  unusable: 'No webhook is configured (WEBHOOK_URLS and WEBHOOK_SECRETS).',
  firstVariable: 'WEBHOOK_URLS',
  mask: (name) => `webhook:${name}`,
  connect: (area, { http, redact }): WebhookConnection => ({ ...area, http, redact }),
  load: async () => (await import('./deliver.ts')).work,
});
