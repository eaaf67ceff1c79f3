import type { Channel } from '../channels/channel.ts';
import { CHANNEL_NAMES, CHANNELS } from '../channels/channels.ts';
import { maskRecipient } from '../domain/channel.ts';
import { numberOf } from '../domain/messaging-address.ts';
import { oneOf } from '../domain/wording.ts';
import { SHORT_NAME } from '../language/settings/forms.ts';
import type { Given, Problem } from './given.ts';
import type { Areas } from './live-areas.ts';
import type { DeclaredSettings, Settings } from './settings.ts';

export interface AlertRecipient {
  readonly name: string;
  /** By the names of channels. Never empty. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly timeZone: string;
  /** `HH:MM` in the recipient's time zone. `to` can be on the next day. */
  readonly quietHours: { readonly from: string; readonly to: string } | undefined;
}

type Alerts = DeclaredSettings['alerts'];

/** An undefined field matches everything. `*` in a rule's name stands for any characters. */
export type AlertRoute = Alerts['routes'][number];

/** A report that recipients get as a mail. */
export type MailedReport = Alerts['reports'] extends ReadonlyMap<string, infer One> ? One : never;

export interface AlertApprover {
  readonly number: string;
  /** If undefined, the audit trail shows only the masked number. */
  readonly name: string | undefined;
}

export interface AlertSettings {
  /** If empty, alerts go to `messages.to`. */
  readonly recipients: readonly AlertRecipient[];
  /** Without routes, everyone gets every alert. */
  readonly routes: readonly AlertRoute[];
  readonly approvers: readonly AlertApprover[];
  /** By name. */
  readonly reports: ReadonlyMap<string, MailedReport>;
  readonly timeZone: string;
  /** If a resolved condition returns within this time, no message is sent. */
  readonly cooldownMs: number;
  readonly repeatMs: number;
  /** If delivery is not confirmed within this time, the message also goes to the next channel, unless it is `info`. */
  readonly undeliveredMs: number;
  /** `HH:MM` in the recipient's time zone. Undefined for no digest. */
  readonly digestAt: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function alertSettings(alerts: Alerts): AlertSettings {
  const { routes, reports, timeZone, digestAt } = alerts;
  const recipients = [...alerts.recipients].map(([name, one]): AlertRecipient => {
    const addresses = new Map<string, string>();
    for (const { name: channel } of CHANNELS) {
      const address = one[channel];
      if (address !== undefined) addresses.set(channel, address);
    }
    return { name, addresses, timeZone: one.timeZone ?? timeZone, quietHours: one.quietHours };
  });
  const approvers = new Map(approversIn(alerts, recipients).map((one) => [one.number, one]));
  return {
    recipients,
    routes,
    approvers: [...approvers.values()],
    reports,
    timeZone,
    cooldownMs: alerts.cooldownMinutes * MINUTE_MS,
    repeatMs: alerts.repeatHours * HOUR_MS,
    undeliveredMs: alerts.undeliveredMinutes * MINUTE_MS,
    digestAt: digestAt === 'never' ? undefined : digestAt,
  };
}

/** Uses the name of the recipient with the same number if the approver has no name. */
function approversIn({ approvers = {} }: Alerts, recipients: readonly AlertRecipient[]): AlertApprover[] {
  const isOf = (number: string) => (one: AlertRecipient) =>
    [...one.addresses.values()].some((address) => numberOf(address) === number);
  return Array.isArray(approvers)
    ? approvers.map((number) => ({ number, name: recipients.find(isOf(number))?.name }))
    : Object.entries(approvers).map(([name, number]) => ({ number, name }));
}

/** Problems never contain a whole phone number. */
export function checkAlerts(alerts: Alerts, given: Given): Problem[] {
  const names = [...alerts.recipients.keys()];
  const silent = names.filter((name) =>
    CHANNEL_NAMES.every((channel) => !given.has(`alerts.recipients.${name}.${channel}`)),
  );
  return [
    ...silent.map((name) => ({
      at: ['alerts', 'recipients', name],
      says: `has no address: set ${oneOf(CHANNEL_NAMES)}.`,
    })),
    ...alerts.routes.flatMap(({ to }, index) => routeProblems(to, names, ['alerts', 'routes', index, 'to'])),
    ...reportProblems(alerts, given),
    ...approverProblems(alerts),
  ];
}

function routeProblems(to: readonly string[], names: readonly string[], at: readonly (string | number)[]): Problem[] {
  if (to.length === 0) return [{ at, says: 'is empty, expected at least one name from alerts.recipients.' }];
  const there = names.length === 0 ? ', which is empty' : `: ${names.join(', ')}`;
  return to
    .filter((name) => !names.includes(name))
    .map((name) => {
      // An invalid name is possibly a phone number, so do not repeat it.
      const found = SHORT_NAME.test(name) ? name : 'an invalid name';
      return { at, says: `has ${found}, expected a name from alerts.recipients${there}.` };
    });
}

function reportProblems({ reports, recipients }: Alerts, given: Given): Problem[] {
  return [...reports].flatMap(([report, { to, accounts }]) => {
    const place = ['alerts', 'reports', report];
    const at = [...place, 'to'];
    const known = to.filter((name) => recipients.has(name));
    const none = { at: [...place, 'accounts'], says: 'is empty, expected at least one customer id, or no such line.' };
    return [
      ...(accounts?.length === 0 ? [none] : []),
      ...routeProblems(to, [...recipients.keys()], at),
      ...known
        .filter((name) => !given.has(`alerts.recipients.${name}.email`))
        .map((name) => ({ at, says: `has ${name}, who has no email under alerts.recipients.` })),
    ];
  });
}

function approverProblems(alerts: Alerts): Problem[] {
  const approvers = approversIn(alerts, alertSettings(alerts).recipients);
  const at = ['alerts', 'approvers'];
  const twice = approvers.flatMap(({ number, name }, index): Problem[] => {
    const before = approvers.slice(0, index).find((one) => one.number === number);
    if (before === undefined || before.name === name) return [];
    const says = `has the number of ${before.name}, expected a different number for each name.`;
    return [{ at: [...at, name ?? index], says }];
  });
  // If two phone numbers look alike when masked, the audit trail could not show who approved.
  const unnamed = new Set(approvers.flatMap(({ number, name }) => (name === undefined ? number : [])));
  const masks = [...unnamed].map(maskRecipient);
  const alike = new Set(masks.filter((mask, index) => masks.indexOf(mask) !== index));
  const words = 'expected a name for each, as in { anna: "+49…", ben: "+49…" }.';
  return [
    ...twice,
    ...Array.from(alike, (mask) => ({ at, says: `has several numbers with the masked form ${mask}, ${words}` })),
  ];
}

/**
 * Without configured recipients, alerts go to those of a channel's own settings. Other channels reach the same phone. In
 * the sandbox, these phones can also approve changes.
 */
export function alertsOf({ alerts: declared, target }: Settings, areas: Areas): AlertSettings {
  const alerts = alertSettings(declared);
  const { timeZone } = alerts;
  const open: readonly { channel: Channel; area: unknown }[] = CHANNELS.flatMap((channel) => {
    const area = areas[channel.name];
    return area === undefined ? [] : [{ channel: channel as Channel, area }];
  });
  const own = open.flatMap(({ channel, area }) =>
    (channel.recipientsWithout?.(area) ?? []).map((address) => ({ channel: channel.name, address })),
  );
  const addressed = own.map(({ channel, address }, index): AlertRecipient => {
    const addresses = new Map([[channel, address]]);
    const number = numberOf(address);
    for (const { channel: other } of open) {
      if (other.name === channel || number === undefined || other.addressOfNumber === undefined) continue;
      addresses.set(other.name, other.addressOfNumber(number));
    }
    return { name: `recipient-${index + 1}`, addresses, timeZone, quietHours: undefined };
  });
  const recipients = alerts.recipients.length > 0 ? alerts.recipients : addressed;
  const numbers = target === 'sandbox' ? own.map(({ address }) => numberOf(address)) : [];
  const phones = numbers.flatMap((number) => (number === undefined ? [] : [{ number, name: undefined }]));
  return { ...alerts, recipients, approvers: alerts.approvers.length > 0 ? alerts.approvers : phones };
}
