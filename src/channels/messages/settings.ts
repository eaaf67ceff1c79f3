import * as z from 'zod';
import { group, setting } from '../../language/settings/declare.ts';
import { address, messagingAddress, retry } from '../../language/settings/forms.ts';
import { nonEmptyText, oneOrMany } from '../../language/yaml/scalars.ts';

export const settings = group({
  url: setting(address, 'Address: `https://messages.example.com`', {
    env: ['MESSAGES_URL'],
    secrecy: 'address',
  }),
  account_id: setting(nonEmptyText, 'Account id in the path', { env: ['MESSAGES_ACCOUNT_ID'], secrecy: 'text' }),
  username: setting(nonEmptyText, 'User name', { env: ['MESSAGES_USERNAME'], secrecy: 'text' }),
  password: setting(nonEmptyText, 'Password. It also signs the webhooks', {
    env: ['MESSAGES_PASSWORD'],
    secrecy: 'secret',
    bothTargets: true,
  }),
  from: setting(messagingAddress, 'Sender: `<channel>:+<number>`, such as `whatsapp:+4915112345678`', {
    env: ['MESSAGES_FROM'],
    secrecy: 'number',
  }),
  to: setting(
    oneOrMany(messagingAddress),
    'One recipient or a list; comma-separated in the environment. Not needed with `alerts.recipients`.',
    { env: ['MESSAGES_TO'], separator: ',', secrecy: 'number', default: [], without: 'none' },
  ),
  media: setting(
    z.enum(['refuse', 'link']),
    'Handling of files that the channel would silently drop, such as calendars. `refuse`: send nothing. `link`: write the address into the text',
    { default: 'refuse' },
  ),
  retry: retry(
    'Attempts in total, as for `ads`. Runs retry only messages that were certainly not processed (429, no connection). For others, see [alerts.md](alerts.md#delivery-and-fallback)',
  ),
});

export const recipientAddress = setting(
  messagingAddress,
  'Address on the messaging interface: `<channel>:+<number>`, such as `whatsapp:+4915112345678`. Set this, `graph` or both.',
  { secrecy: 'number' },
);
