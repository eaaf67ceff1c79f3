import { chatChannel } from '../posted-channel.ts';

export const teams = chatChannel({
  name: 'teams',
  title: 'Microsoft Teams',
  about: 'Alerts in a channel of Teams, by a workflow that starts when a webhook request arrives.',
  meaning: 'Address of a workflow, or a map of names to addresses: `{ team: "https://…/workflows/…" }`.',
  variable: 'TEAMS_WEBHOOKS',
  sending: () => import('./deliver.ts'),
});
