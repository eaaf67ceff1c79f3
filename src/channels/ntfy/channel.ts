import { group, setting } from '../../language/settings/declare.ts';
import { address, retry, textLike, token } from '../../language/settings/forms.ts';
import { namedArea, namedSecrets, type PostedArea, postedChannel } from '../posted-channel.ts';

export interface NtfyArea extends PostedArea {
  readonly token: string | undefined;
}

/** Short topics are easy to guess, and redaction would remove them as words of every text. */
const topic = textLike(/^[-\w]{12,64}$/, 'a topic of 12 to 64 letters, digits, - and _');

const settings = group({
  url: setting(address, 'Address of the server', {
    env: ['NTFY_URL'],
    secrecy: 'address',
    default: 'https://ntfy.sh',
  }),
  topics: namedSecrets(
    topic,
    'Topic of 12 to 64 characters, or a map of names to topics. Anyone who knows a topic reads its alerts.',
    'NTFY_TOPICS',
  ),
  token: setting(token('an access token'), 'Access token, if the server wants one: `tk_…`', {
    env: ['NTFY_TOKEN'],
    secrecy: 'secret',
  }),
  retry: retry('Attempts in total, as for `ads`. A notification in doubt is sent once more, and says so'),
});

export const ntfy = postedChannel({
  name: 'ntfy',
  title: 'ntfy',
  about: 'Alerts as notifications on phones, by [ntfy](https://ntfy.sh) or a server of your own.',
  settings,
  needed: { topics: 'NTFY_TOPICS' },
  areaOf({ url, topics, token }): NtfyArea | undefined {
    const area = namedArea(topics, url);
    return area && { ...area, token };
  },
  rehearse: ({ url }) => ({
    url: `${url}/posted/ntfy/all`,
    addressOf: (name) => name,
    names: undefined,
    token: undefined,
  }),
  sending: () => import('./deliver.ts'),
});
