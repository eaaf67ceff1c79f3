import { group, setting } from '../../language/settings/declare.ts';
import { address, retry, shortName, token } from '../../language/settings/forms.ts';
import { type ChannelConnection, defineChannel } from '../channel.ts';
import type { PostConnection } from '../post-json.ts';

export interface AlertmanagerConnection extends ChannelConnection, PostConnection {
  readonly http: PostConnection['http'];
  readonly token: string | undefined;
}

const settings = group({
  url: setting(address, 'Address: `https://alertmanager.example.com`', {
    env: ['ALERTMANAGER_URL'],
    secrecy: 'address',
  }),
  token: setting(token('a bearer token'), 'Bearer token, if a proxy in front of it wants one', {
    env: ['ALERTMANAGER_TOKEN'],
    secrecy: 'secret',
  }),
  retry: retry('Attempts in total, as for `ads`. The same alert twice is one alert there'),
});

interface AlertmanagerArea extends Pick<AlertmanagerConnection, 'url' | 'token'> {}

export const alertmanager = defineChannel({
  name: 'alertmanager',
  title: 'Prometheus Alertmanager',
  about: 'Conditions begin and end there, and its own routes decide who hears of them.',
  settings,
  recipientAddress: setting(
    shortName(),
    'The label `recipient` of its alerts, for the routes of Alertmanager: `ads-team`',
  ),
  needed: () => ['url'],
  areaOf: ({ url, token }): AlertmanagerArea | undefined => (url === undefined ? undefined : { url, token }),
  rehearse: ({ url }): AlertmanagerArea => ({ url: `${url}/posted/alertmanager/all`, token: undefined }),
  canSend: () => true,
  unusable: 'Alertmanager is not configured (ALERTMANAGER_URL).',
  firstVariable: 'ALERTMANAGER_URL',
  mask: (name) => `alertmanager:${name}`,
  connect: (area, { http, redact }): AlertmanagerConnection => ({ ...area, http, redact }),
  load: async () => (await import('./deliver.ts')).work,
});
