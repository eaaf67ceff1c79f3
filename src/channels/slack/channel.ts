import { chatChannel } from '../posted-channel.ts';

export const slack = chatChannel({
  name: 'slack',
  title: 'Slack',
  about: 'Alerts in a channel of Slack, by an incoming webhook.',
  meaning:
    'Address of an incoming webhook, or a map of names to addresses: `{ team: "https://hooks.slack.com/services/…" }`.',
  variable: 'SLACK_WEBHOOKS',
  sending: () => import('./deliver.ts'),
});
