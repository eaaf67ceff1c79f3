import { type AlertSeverity, type Channel, maskRecipient } from '../domain/channel.ts';
import type { CustomerId } from '../domain/ids.ts';
import { numberOf } from '../domain/messaging-address.ts';
import { SHORT_NAME } from './declared/forms.ts';
import type { Given, Problem } from './given.ts';
import type { DeclaredSettings } from './settings.ts';

/** Somebody who is told. */
export interface AlertRecipient {
  readonly name: string;
  /** Area C: `<channel>:+<number>`. Area A: digits. At least one. */
  readonly addresses: ReadonlyMap<Channel, string>;
  readonly timeZone: string;
  /** `HH:MM` of the recipient's calendar; `to` may be the next day's. */
  readonly quietHours: { readonly from: string; readonly to: string } | undefined;
}

/** Which alerts go to whom; an absent part means any. */
export interface AlertRoute {
  readonly to: readonly string[];
  readonly severities: readonly AlertSeverity[] | undefined;
  readonly accounts: readonly CustomerId[] | undefined;
  /** Names of rules; `*` stands for any letters. */
  readonly rules: readonly string[] | undefined;
}

/** Somebody whose answer decides. */
export interface AlertApprover {
  /** `+<digits>`. */
  readonly number: string;
  /** As whom the audit trail knows this person, beside the masked number; undefined for by the number alone. */
  readonly name: string | undefined;
}

/** Who is told what, when and how. */
export interface AlertSettings {
  /** Empty: those of the messaging interface's settings. */
  readonly recipients: readonly AlertRecipient[];
  /** Every recipient of every route that matches is told; without routes, all are told everything. */
  readonly routes: readonly AlertRoute[];
  /** Whose answers decide on proposals; no two are shown alike. */
  readonly approvers: readonly AlertApprover[];
  /** For who names none. */
  readonly timeZone: string;
  /** What was resolved and comes back within this time is not told again. */
  readonly cooldownMs: number;
  /** What still is so is told again after this time. */
  readonly repeatMs: number;
  /** An accepted message that is not known to be delivered after this time goes to the next channel, too. */
  readonly undeliveredMs: number;
  /** `HH:MM` of the recipient's calendar; undefined for no digest. */
  readonly digestAt: string | undefined;
}

type Alerts = DeclaredSettings['alerts'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function alertSettings(alerts: Alerts): AlertSettings {
  const { routes, timeZone, digestAt } = alerts;
  const recipients = [...alerts.recipients].map(([name, one]): AlertRecipient => {
    const addresses = new Map<Channel, string>();
    if (one.messages !== undefined) addresses.set('messages', one.messages);
    if (one.graph !== undefined) addresses.set('graph', one.graph.slice(1));
    return { name, addresses, timeZone: one.timeZone ?? timeZone, quietHours: one.quietHours };
  });
  const approvers = new Map(approversIn(alerts, recipients).map((one) => [one.number, one]));
  return {
    recipients,
    routes,
    approvers: [...approvers.values()],
    timeZone,
    cooldownMs: alerts.cooldownMinutes * MINUTE_MS,
    repeatMs: alerts.repeatHours * HOUR_MS,
    undeliveredMs: alerts.undeliveredMinutes * MINUTE_MS,
    digestAt: digestAt === 'never' ? undefined : digestAt,
  };
}

/** Each is known by the name that it has here, or that its number has among the recipients. */
function approversIn({ approvers = {} }: Alerts, recipients: readonly AlertRecipient[]): AlertApprover[] {
  const isOf = (number: string) => (one: AlertRecipient) =>
    [...one.addresses.values()].some((address) => numberOf(address) === number);
  return Array.isArray(approvers)
    ? approvers.map((number) => ({ number, name: recipients.find(isOf(number))?.name }))
    : Object.entries(approvers).map(([name, number]) => ({ number, name }));
}

/** Who is told by no address or has no place, and whose answers nobody could tell apart. No whole number is named. */
export function checkAlerts(alerts: Alerts, given: Given): Problem[] {
  const names = [...alerts.recipients.keys()];
  const silent = names.filter((name) =>
    ['messages', 'graph'].every((channel) => !given.has(`alerts.recipients.${name}.${channel}`)),
  );
  return [
    ...silent.map((name) => ({
      at: ['alerts', 'recipients', name],
      says: 'has no address: set messages or graph.',
    })),
    ...alerts.routes.flatMap(({ to }, index) => routeProblems(to, names, ['alerts', 'routes', index, 'to'])),
    ...approverProblems(alerts),
  ];
}

function routeProblems(to: readonly string[], names: readonly string[], at: readonly (string | number)[]): Problem[] {
  if (to.length === 0) return [{ at, says: 'names nobody, expected one of alerts.recipients at least.' }];
  const there = names.length === 0 ? 'and there is none' : `that is ${names.join(', ')}`;
  return to
    .filter((name) => !names.includes(name))
    .map((name) => {
      // What is no name may be a number, which is not repeated.
      const found = SHORT_NAME.test(name) ? name : 'what is no name';
      return { at, says: `has ${found}, expected one of alerts.recipients, ${there}.` };
    });
}

function approverProblems(alerts: Alerts): Problem[] {
  const approvers = approversIn(alerts, alertSettings(alerts).recipients);
  const at = ['alerts', 'approvers'];
  const twice = approvers.flatMap(({ number, name }, index): Problem[] => {
    const before = approvers.slice(0, index).find((one) => one.number === number);
    if (before === undefined || before.name === name) return [];
    const says = `is the number of ${before.name}, expected one of its own for each name.`;
    return [{ at: [...at, name ?? index], says }];
  });
  // Nobody could say afterwards which of the two has approved.
  const unnamed = new Set(approvers.flatMap(({ number, name }) => (name === undefined ? number : [])));
  const masks = [...unnamed].map(maskRecipient);
  const alike = new Set(masks.filter((mask, index) => masks.indexOf(mask) !== index));
  const words = 'expected a name for each, as in { anna: "+49…", ben: "+49…" }.';
  return [
    ...twice,
    ...Array.from(alike, (mask) => ({ at, says: `has several numbers that are shown as ${mask}, ${words}` })),
  ];
}
