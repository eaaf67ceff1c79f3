import * as z from 'zod';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { customerId } from '../../domain/ids.ts';
import {
  customerIdText,
  hoursOfDay,
  mapOr,
  nonEmptyText,
  oneOrMany,
  timeOfDayOrNever,
  timeZone,
  wholeNumber,
} from '../../yaml/scalars.ts';
import { each, group, list, section, setting } from './declare.ts';
import { messagingAddress, phoneNumber, SHORT_NAME, shortName } from './forms.ts';

export const ALERTING = section(
  'Who is told',
  {
    before: [
      'For both targets. Without recipients, those of `messages.to` are told; on the sandbox its phone is told and may approve.',
    ],
  },
  {
    alerts: group({
      recipients: each(
        '<name>',
        { key: shortName(), shown: SHORT_NAME },
        group({
          messages: setting(
            messagingAddress,
            'Where the messaging interface reaches this recipient: `<channel>:+<number>`. One of this and the next at least.',
            { secrecy: 'number' },
          ),
          graph: setting(phoneNumber, 'Where the graph reaches this recipient: a number in international form', {
            secrecy: 'number',
          }),
          time_zone: setting(timeZone, 'For quiet hours and the digest', { without: '`alerts.time_zone`' }),
          quiet_hours: setting(hoursOfDay, '`22:00-07:00`: what is not critical waits until they are over'),
        }),
      ),
      routes: list(
        group({
          to: setting(
            oneOrMany(nonEmptyText),
            'Recipients by name. All recipients of every route that fits are told; without routes, everybody is told everything.',
            { secrecy: 'text', required: true },
          ),
          severities: setting(oneOrMany(z.enum(ALERT_SEVERITIES)), '`info`, `warning`, `critical`', { without: 'any' }),
          accounts: setting(oneOrMany(customerIdText.transform(customerId)), 'Customer ids', { without: 'any' }),
          rules: setting(oneOrMany(nonEmptyText), 'Names of rules; `*` stands for any letters', { without: 'any' }),
        }),
      ),
      approvers: setting(
        mapOr(z.record(shortName(), phoneNumber), oneOrMany(phoneNumber)),
        'Whose answers YES and NO decide on proposals: numbers in international form, each under a name, `{ anna: "+4915112345678" }`, or as a list. The audit trail has the name, of a list the one that `alerts.recipients` has for the number. Numbers without a name that look alike once they are masked are refused.',
        { secrecy: 'number', named: SHORT_NAME },
      ),
      time_zone: setting(timeZone, 'For recipients that name none', { default: 'UTC' }),
      cooldown_minutes: setting(
        wholeNumber(0, 7 * 24 * 60),
        'What was resolved and comes back within this time is not told again',
        { default: 60 },
      ),
      repeat_hours: setting(wholeNumber(1, 24 * 90), 'What still is so after this time is told again', { default: 24 }),
      undelivered_minutes: setting(
        wholeNumber(1, 24 * 60),
        'A message that was accepted and is not known to be delivered after this time goes by the next channel, too, unless it is `info`. What may or may not be out goes by it, `info` too.',
        { default: 30 },
      ),
      digest_at: setting(
        timeOfDayOrNever,
        "When the digest of the day is sent, on each recipient's clock; `never` for none",
        { default: '08:00' },
      ),
    }),
  },
);
