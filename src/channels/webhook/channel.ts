import { group, setting } from '../../language/settings/declare.ts';
import { retry, secretAddress } from '../../language/settings/forms.ts';
import { oneOrMany, scalar } from '../../language/yaml/scalars.ts';
import { namedArea, namedSecrets, type PostedArea, postedChannel, rehearsedArea } from '../posted-channel.ts';

export interface WebhookArea extends PostedArea {
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
  urls: namedSecrets(secretAddress, 'Address that takes alerts, or a map of names to addresses.', 'WEBHOOK_URLS'),
  secrets: setting(
    oneOrMany(scalar('whsec_ and 24 to 64 bytes in Base64', (text) => (readKey(text) ? text : undefined))),
    'Secret that signs every request ([Standard Webhooks](https://www.standardwebhooks.com)): `whsec_…`. While it turns, a list with the new one first; comma-separated in the environment',
    { env: ['WEBHOOK_SECRETS'], separator: ',', secrecy: 'secret' },
  ),
  retry: retry('Attempts in total, as for `ads`. A request in doubt is sent once more, under the same `webhook-id`'),
});

interface SimulatedWebhook {
  readonly url: string;
  readonly credentials: { readonly webhook: { readonly secret: string } };
}

export const webhook = postedChannel({
  name: 'webhook',
  title: 'A webhook of your own',
  about: 'Alerts as signed JSON for your own programs, by Standard Webhooks.',
  settings,
  needed: { urls: 'WEBHOOK_URLS', secrets: 'WEBHOOK_SECRETS' },
  areaOf({ urls, secrets }): WebhookArea | undefined {
    const area = namedArea(urls);
    const keys = secrets?.flatMap((secret) => readKey(secret) ?? []) ?? [];
    return area === undefined || keys.length === 0 ? undefined : { ...area, secrets: keys };
  },
  rehearse: ({ url, credentials }: SimulatedWebhook) => ({
    ...rehearsedArea(url, 'webhook'),
    secrets: [readKey(credentials.webhook.secret) ?? Buffer.alloc(0)],
  }),
  sending: () => import('./deliver.ts'),
});
