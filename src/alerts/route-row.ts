import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import { CHANNELS, type Channel } from '../domain/channel.ts';
import { addressesTold } from '../store/condition-table.ts';
import type { StateDb } from '../store/open-state.ts';
import type { Address } from '../store/outbox-address.ts';
import type { PendingRow } from '../store/outbox-table.ts';
import { type Routing, routeAlert } from './route-alerts.ts';

/**
 * Who is told what the row tells: a digest is its recipient's, what is over is for who was told that it began, and the routes
 * say the rest.
 */
export async function routeRow(trx: StateDb, row: PendingRow, settings: AlertSettings): Promise<Routing> {
  const { alert, severity, alertId, reason } = row;
  const { recipients } = settings;
  if (alert.kind === 'digest') {
    const name = alert.recipientName;
    const own = recipients.filter((one) => one.name === name);
    return { recipients: own, nobody: own.length > 0 ? undefined : `${name} is no recipient any more.` };
  }
  const routing = routeAlert({ ...alert, severity }, settings);
  if (reason !== 'resolved') return routing;
  const told = await addressesTold(trx, alertId);
  // Another alert told that it began: then its own routes say who wants to hear that it is over.
  if (told.size === 0) return routing;
  const heard = recipients.filter(({ addresses }) => [...addresses.values()].some((address) => told.has(address)));
  const nobody = heard.length > 0 ? undefined : 'Nobody who was told that it began is a recipient any more.';
  return { recipients: heard, nobody };
}

/** Where a recipient is told first: by the first channel that messages can leave by, or else by the first that there is. */
export function firstAddress({ addresses }: AlertRecipient, channels: readonly Channel[]): Address[] {
  const own = CHANNELS.filter((channel) => addresses.has(channel));
  const channel = own.find((one) => channels.includes(one)) ?? own[0];
  const recipient = channel && addresses.get(channel);
  return channel === undefined || recipient === undefined ? [] : [{ channel, recipient }];
}
