import * as z from 'zod';
import { CHANNELS, RECIPIENT_ADDRESSES } from '../../channels/channels.ts';
import { ALERT_SEVERITIES } from '../../domain/channel.ts';
import { customerId } from '../../domain/ids.ts';
import { each, group, list, section, setting } from '../../language/settings/declare.ts';
import { phoneNumber, SHORT_NAME, shortName } from '../../language/settings/forms.ts';
import {
  customerIdText,
  hoursOfDay,
  localeName,
  mapOr,
  nonEmptyText,
  oneOrMany,
  timeOfDay,
  timeOfDayOrNever,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../../language/yaml/scalars.ts';

export const ALERTING = section(
  'Alerts',
  {
    before: [
      'These settings apply to both targets. Without recipients, alerts go to `messages.to`. On the sandbox, the simulated phone gets them and may approve.',
    ],
  },
  {
    alerts: group({
      recipients: each(
        '<name>',
        { key: shortName(), shown: SHORT_NAME },
        group(
          {
            ...RECIPIENT_ADDRESSES,
            time_zone: setting(timeZone, 'Time zone for quiet hours and the digest: `Europe/Berlin`', {
              without: '`alerts.time_zone`',
            }),
            quiet_hours: setting(hoursOfDay, 'Hours in which alerts wait, unless critical: `22:00-07:00`'),
          },
          undefined,
          CHANNELS.map(({ name }) => name),
        ),
      ),
      routes: list(
        group({
          to: setting(
            oneOrMany(nonEmptyText),
            'Names of recipients. An alert goes to the recipients of every matching route.',
            { secrecy: 'text', required: true },
          ),
          severities: setting(
            oneOrMany(z.enum(ALERT_SEVERITIES)),
            'Only these severities: `info`, `warning`, `critical`',
            { without: 'any' },
          ),
          accounts: setting(oneOrMany(customerIdText.transform(customerId)), 'Only these customer ids', {
            without: 'any',
          }),
          rules: setting(oneOrMany(nonEmptyText), 'Only these rules: `pace_*`; `*` matches any letters', {
            without: 'any',
          }),
        }),
      ),
      reports: each(
        '<name>',
        { key: shortName(), shown: SHORT_NAME },
        group({
          to: setting(oneOrMany(nonEmptyText), 'Names of recipients with an `email`', {
            secrecy: 'text',
            required: true,
          }),
          accounts: setting(oneOrMany(customerIdText.transform(customerId)), 'Only these customer ids', {
            without: 'all',
          }),
          every: setting(
            z.enum(['day', 'week', 'month']),
            'The days of the report: `day` (yesterday), `week` (Monday to Sunday) or `month`',
            { default: 'week' },
          ),
          at: setting(
            timeOfDay,
            "Time on the day after, in the recipient's time zone. Until its days are complete, the report waits: half a day, or 20 hours for accounts in the west",
            { default: '08:00' },
          ),
          subject: setting(nonEmptyText, 'Subject: `Your week, {period}`', { without: 'the finding' }),
          greeting: setting(nonEmptyText, 'First line: `Dear Anna,`', { without: 'none' }),
          locale: setting(localeName, 'Language of the figures: `de-DE`', { without: 'as on pages' }),
          csv: setting(yesOrNo, 'Attach the figures of each day as CSV', { default: false }),
        }),
      ),
      approvers: setting(
        mapOr(z.record(shortName(), phoneNumber), oneOrMany(phoneNumber)),
        'Phone numbers whose answers YES and NO decide on changes awaiting approval. A map gives the names for the audit trail: `{ anna: "+4915112345678" }`. For a list, names come from `alerts.recipients`.',
        { secrecy: 'number', named: SHORT_NAME },
      ),
      time_zone: setting(timeZone, 'Time zone of recipients without their own', { default: 'UTC' }),
      cooldown_minutes: setting(
        wholeNumber(0, 7 * 24 * 60),
        'Minutes in which a resolved alert may return without a new message',
        { default: 60 },
      ),
      repeat_hours: setting(wholeNumber(1, 24 * 90), 'Hours after which an alert that is still active is sent again', {
        default: 24,
      }),
      undelivered_minutes: setting(
        wholeNumber(1, 24 * 60),
        'Minutes to wait for confirmed delivery. Then the message also goes to the next channel, unless it is `info`. Messages with an unknown outcome go there even if they are `info`.',
        { default: 30 },
      ),
      pictures: setting(
        yesOrNo,
        "Send a picture of the account's month with mails, and with messages on Slack and the messaging interface. `pacekeeper serve` must be reachable at `serve.public_url`",
        { default: false },
      ),
      digest_at: setting(
        timeOfDayOrNever,
        "Time of the daily digest, in each recipient's time zone; `never` for none",
        { default: '08:00' },
      ),
    }),
  },
);
