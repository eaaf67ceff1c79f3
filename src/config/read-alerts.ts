import type { Channel } from '../domain/channel.ts';
import { isMessagingAddress, isPhoneNumber, numberOf } from '../domain/messaging-address.ts';
import { readApprovers } from './read-approvers.ts';
import type { AlertRecipient, AlertSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const COOLDOWN_MINUTES = 60;
const REPEAT_HOURS = 24;
const UNDELIVERED_MINUTES = 30;
const DIGEST_AT = '08:00';
const RECIPIENT_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Who is told what, when and how. What is malformed, or names somebody who is not there, goes to `problems`. */
export function readAlerts({ alerts }: SettingsFile, problems: string[]): AlertSettings {
  const timeZone = alerts.time_zone ?? 'UTC';
  const recipients = Object.entries(alerts.recipients).map(([name, one]): AlertRecipient => {
    const addresses = new Map<Channel, string>();
    if (one.messages !== undefined) addresses.set('messages', one.messages);
    const number = numberOf(one.graph ?? '');
    if (number !== undefined) addresses.set('graph', number.slice(1));
    checkAddresses(name, one, problems);
    return { name, addresses, timeZone: one.time_zone ?? timeZone, quietHours: one.quiet_hours };
  });
  const names = new Set(recipients.map(({ name }) => name));
  const routes = alerts.routes.map(({ to, severities, accounts, rules }, index) => {
    const at = `alerts.routes[${index}].to`;
    if (to.length === 0) problems.push(`${at} names nobody, expected one of alerts.recipients at least.`);
    for (const name of to.filter((one) => !names.has(one))) {
      // What is no name may be a number, which is not repeated.
      const found = RECIPIENT_NAME.test(name) ? name : 'what is no name';
      const there = names.size === 0 ? 'and there is none' : `that is ${[...names].join(', ')}`;
      problems.push(`${at} has ${found}, expected one of alerts.recipients, ${there}.`);
    }
    return { to, severities, accounts, rules };
  });
  return {
    recipients,
    routes,
    approvers: readApprovers(alerts.approvers, recipients, problems),
    timeZone,
    cooldownMs: (alerts.cooldown_minutes ?? COOLDOWN_MINUTES) * MINUTE_MS,
    repeatMs: (alerts.repeat_hours ?? REPEAT_HOURS) * HOUR_MS,
    undeliveredMs: (alerts.undelivered_minutes ?? UNDELIVERED_MINUTES) * MINUTE_MS,
    digestAt: alerts.digest_at === 'never' ? undefined : (alerts.digest_at ?? DIGEST_AT),
  };
}

type RecipientInFile = SettingsFile['alerts']['recipients'][string];

function checkAddresses(name: string, { messages, graph }: RecipientInFile, problems: string[]): void {
  const at = `alerts.recipients.${name}`;
  if (messages === undefined && graph === undefined) problems.push(`${at} has no address: set messages or graph.`);
  if (messages !== undefined && !isMessagingAddress(messages)) {
    problems.push(`${at}.messages is not of the form <channel>:+<number>, such as whatsapp:+4915112345678.`);
  }
  if (graph !== undefined && !isPhoneNumber(numberOf(graph) ?? '')) {
    problems.push(`${at}.graph is not a number in international form, such as 4915112345678.`);
  }
}
