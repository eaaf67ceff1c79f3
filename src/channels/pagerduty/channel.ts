import { group, setting } from '../../language/settings/declare.ts';
import { address, retry, textLike } from '../../language/settings/forms.ts';
import { namedArea, namedSecrets, postedChannel } from '../posted-channel.ts';

const settings = group({
  url: setting(address, 'Address of the events interface. In the EU: `https://events.eu.pagerduty.com`', {
    env: ['PAGERDUTY_URL'],
    secrecy: 'address',
    default: 'https://events.pagerduty.com',
  }),
  routing_keys: namedSecrets(
    textLike(/^[A-Za-z0-9]{32}$/, 'an integration key of 32 letters and digits'),
    'Integration key of a service (Events API v2), or a map of names to keys.',
    'PAGERDUTY_ROUTING_KEYS',
  ),
  retry: retry('Attempts in total, as for `ads`. The same alert twice is one alert there'),
});

export const pagerduty = postedChannel({
  name: 'pagerduty',
  title: 'PagerDuty',
  about:
    'Incidents that begin and end with their alerts. Digests and alerts of severity `info` become change events, which page nobody.',
  settings,
  needed: { routing_keys: 'PAGERDUTY_ROUTING_KEYS' },
  areaOf: ({ url, routingKeys }) => namedArea(routingKeys, url),
  rehearse: ({ url }) => ({ url: `${url}/posted/pagerduty/all`, addressOf: (name) => name, names: undefined }),
  sending: () => import('./deliver.ts'),
});
