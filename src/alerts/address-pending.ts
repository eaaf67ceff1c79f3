import type { AlertSettings } from '../config/alert-settings.ts';
import type { Channel } from '../domain/channel.ts';
import { inTransaction } from '../store/in-transaction.ts';
import type { StateDb } from '../store/open-state.ts';
import { addressRow, unaddressedRows, withdrawRow } from '../store/outbox-table.ts';
import { dissolveMisaddressed, leaveDeadChannels, rerouteStrangers } from './readdress.ts';
import { firstAddress, routeRow } from './route-row.ts';
import { withdrawUnwanted } from './withdraw-unwanted.ts';

export interface AddressingDeps {
  readonly db: StateDb;
  readonly alerts: AlertSettings;
  /** Those that messages can leave by, one at least. */
  readonly channels: readonly Channel[];
  readonly nowMs: number;
}

/**
 * Takes back what nobody wants to hear any more, and gives the rest one address for each who is to be told, on the
 * recipient's first channel. What has an address that is nobody's any more, or that nothing reaches, gets another. What has no
 * recipients yet waits. All or nothing; to be called before messages are made of what is pending.
 */
export async function addressPending(deps: AddressingDeps): Promise<void> {
  const { db, alerts, channels, nowMs } = deps;
  await inTransaction(db, async (trx) => {
    const addressing = { ...deps, db: trx };
    await dissolveMisaddressed(addressing);
    await withdrawUnwanted(trx, nowMs);
    await rerouteStrangers(addressing);
    if (alerts.recipients.length > 0) {
      for (const row of await unaddressedRows(trx)) {
        const { recipients, nobody } = await routeRow(trx, row, alerts);
        const addresses = recipients.flatMap((recipient) => firstAddress(recipient, channels));
        if (nobody === undefined) await addressRow(trx, row, addresses, nowMs);
        else await withdrawRow(trx, row.id, { because: 'no_recipient', why: nobody }, nowMs);
      }
    }
    await leaveDeadChannels(addressing);
  });
}
