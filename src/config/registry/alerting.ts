import type { SettingSection } from './setting.ts';

export const ALERTING: SettingSection = {
  title: 'Who is told',
  areas: ['alerts'],
  before: [
    'For both targets. Without recipients, those of `messages.to` are told; on the sandbox its phone is told and may approve.',
  ],
  settings: [
    {
      path: 'alerts.recipients.<name>.messages',
      default: 'none',
      value: 'number',
      meaning:
        'Where the messaging interface reaches this recipient: `<channel>:+<number>`. One of this and the next at least.',
    },
    {
      path: 'alerts.recipients.<name>.graph',
      default: 'none',
      value: 'number',
      meaning: 'Where the graph reaches this recipient: a number in international form',
    },
    {
      path: 'alerts.recipients.<name>.time_zone',
      default: '`alerts.time_zone`',
      value: 'shown',
      meaning: 'For quiet hours and the digest',
    },
    {
      path: 'alerts.recipients.<name>.quiet_hours',
      default: 'none',
      value: 'shown',
      meaning: '`22:00-07:00`: what is not critical waits until they are over',
    },
    {
      path: 'alerts.routes[].to',
      value: 'text',
      meaning:
        'Recipients by name. All recipients of every route that fits are told; without routes, everybody is told everything.',
    },
    {
      path: 'alerts.routes[].severities',
      default: 'any',
      value: 'shown',
      meaning: '`info`, `warning`, `critical`',
    },
    {
      path: 'alerts.routes[].accounts',
      default: 'any',
      value: 'shown',
      meaning: 'Customer ids',
    },
    {
      path: 'alerts.routes[].rules',
      default: 'any',
      value: 'shown',
      meaning: 'Names of rules; `*` stands for any letters',
    },
    {
      path: 'alerts.approvers',
      default: 'none',
      value: 'number',
      named: true,
      meaning:
        'Whose answers YES and NO decide on proposals: numbers in international form, each under a name, `{ anna: "+4915112345678" }`, or as a list. The audit trail has the name, of a list the one that `alerts.recipients` has for the number. Numbers without a name that look alike once they are masked are refused.',
    },
    {
      path: 'alerts.time_zone',
      default: 'UTC',
      value: 'shown',
      meaning: 'For recipients that name none',
    },
    {
      path: 'alerts.cooldown_minutes',
      default: '60',
      value: 'shown',
      meaning: 'What was resolved and comes back within this time is not told again',
    },
    {
      path: 'alerts.repeat_hours',
      default: '24',
      value: 'shown',
      meaning: 'What still is so after this time is told again',
    },
    {
      path: 'alerts.undelivered_minutes',
      default: '30',
      value: 'shown',
      meaning:
        'A message that was accepted and is not known to be delivered after this time goes by the next channel, too, unless it is `info`. What may or may not be out goes by it, `info` too.',
    },
    {
      path: 'alerts.digest_at',
      default: '`08:00`',
      value: 'shown',
      meaning: "When the digest of the day is sent, on each recipient's clock; `never` for none",
    },
  ],
};
