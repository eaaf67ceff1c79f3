import { chatChannel } from '../posted-channel.ts';

export const googleChat = chatChannel({
  name: 'google_chat',
  title: 'Google Chat',
  about: 'Alerts in a space of Google Chat, by an incoming webhook.',
  meaning:
    'Address of an incoming webhook, or a map of names to addresses: `{ team: "https://chat.googleapis.com/v1/spaces/…" }`.',
  variable: 'GOOGLE_CHAT_WEBHOOKS',
  sending: () => import('./deliver.ts'),
});
