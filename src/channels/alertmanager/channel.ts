import { group, setting } from '../../language/settings/declare.ts';
import { address, retry, token } from '../../language/settings/forms.ts';
import { type PostedArea, postedChannel } from '../posted-channel.ts';

export interface AlertmanagerArea extends PostedArea {
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

export const alertmanager = postedChannel({
  name: 'alertmanager',
  title: 'Prometheus Alertmanager',
  about: 'Conditions begin and end there, and its own routes decide who hears of them.',
  settings,
  needed: { url: 'ALERTMANAGER_URL' },
  recipient: 'The label `recipient` of its alerts, for the routes of Alertmanager: `ads-team`',
  areaOf: ({ url, token }) => (url === undefined ? undefined : areaAt(url, token)),
  rehearse: ({ url }) => areaAt(`${url}/posted/alertmanager/all`, undefined),
  sending: () => import('./deliver.ts'),
});

function areaAt(url: string, token: string | undefined): AlertmanagerArea {
  return { url, addressOf: () => url, names: undefined, token };
}
