import { chatChannel } from '../posted-channel.ts';

export const discord = chatChannel({
  name: 'discord',
  title: 'Discord',
  about: 'Alerts in a channel of Discord, by a webhook.',
  meaning: 'Address of a webhook, or a map of names to addresses: `{ team: "https://discord.com/api/webhooks/…" }`.',
  variable: 'DISCORD_WEBHOOKS',
  sending: () => import('./deliver.ts'),
});
