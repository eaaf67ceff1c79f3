import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import { CHANNELS, type Channel } from '../domain/channel.ts';
import { dissolveMessage } from '../store/message-outcome.ts';
import { messageRows, pendingMessages } from '../store/message-table.ts';
import type { StateDb } from '../store/open-state.ts';
import {
  type Address,
  failRow,
  moveRow,
  type OccasionRow,
  rowsOfOccasion,
  tellAt,
  unaddressRow,
} from '../store/outbox-address.ts';
import { type AddressedRow, addressedRows, type Withdrawal, withdrawRow } from '../store/outbox-table.ts';
import { recipientAt } from './delivery-pass.ts';
import { firstAddress, routeRow } from './route-row.ts';

interface Readdressing {
  readonly db: StateDb;
  readonly alerts: AlertSettings;
  /** Those that messages can leave by. */
  readonly channels: readonly Channel[];
  readonly nowMs: number;
}

const STRANGERS = 'The address is no recipient’s any more.';
const MOVED: Withdrawal = { because: 'readdressed', why: STRANGERS };
const DEAD: Readonly<Record<Channel, string>> = {
  messages: 'The messaging interface is not configured any more (MESSAGES_URL).',
  graph:
    'Nothing is configured to send by the graph (GRAPH_URL, and GRAPH_PHONE_NUMBER_ID or GRAPH_BUSINESS_ACCOUNT_ID).',
};

/** Somebody who has asked needs no place in the settings. */
const wantsRecipient = ({ reason }: Pick<AddressedRow, 'reason'>) => reason !== 'reply' && reason !== 'test';

/** A message that waits again, for nobody or for a channel that is no more, is not sent: its alerts go another way. */
export async function dissolveMisaddressed({ db, alerts, channels, nowMs }: Readdressing): Promise<void> {
  for (const channel of CHANNELS) {
    for (const message of await pendingMessages(db, channel)) {
      if (!channels.includes(channel)) await dissolveMessage(db, message, DEAD[channel], nowMs);
      else if (recipientAt(alerts, channel, message.recipient) === undefined) {
        const rows = await messageRows(db, message.id);
        if (rows.every(wantsRecipient)) await dissolveMessage(db, message, STRANGERS, nowMs);
      }
    }
  }
}

/** What waits at an address that the settings do not name any more is told to whom they name now. */
export async function rerouteStrangers({ db, alerts, channels, nowMs }: Readdressing): Promise<void> {
  for (const row of await addressedRows(db)) {
    if (!wantsRecipient(row) || recipientAt(alerts, row.channel, row.recipient) !== undefined) continue;
    if (alerts.recipients.length === 0) {
      await unaddressRow(db, row, MOVED, nowMs);
      continue;
    }
    const { recipients, nobody } = await routeRow(db, row, alerts);
    const held = (await rowsOfOccasion(db, row)).filter(({ id, reason }) => id !== row.id && reason !== 'reply');
    let told = nobody !== undefined;
    for (const recipient of recipients) {
      const own = held.filter((one) => isOf(recipient, one) && one.state !== 'withdrawn');
      told ||= own.length === 0 || own.some(isTold);
      if (own.length > 0) continue;
      for (const address of firstAddress(recipient, channels)) await tellAt(db, row, address, nowMs);
    }
    // It stood for what did not reach somebody: then it is not taken back without a word.
    if (told)
      await withdrawRow(
        db,
        row.id,
        nobody === undefined ? MOVED : { because: 'no_recipient', why: `${STRANGERS} ${nobody}` },
        nowMs,
      );
    else await failRow(db, row, STRANGERS, nowMs);
  }
}

/** What waits for a channel that is not configured goes by another that reaches its recipient, or has failed. */
export async function leaveDeadChannels({ db, alerts, channels, nowMs }: Readdressing): Promise<void> {
  for (const row of await addressedRows(db)) {
    if (channels.includes(row.channel)) continue;
    const recipient = recipientAt(alerts, row.channel, row.recipient);
    const [address] = recipient ? firstAddress(recipient, channels) : [];
    if (address === undefined || !channels.includes(address.channel)) await failRow(db, row, DEAD[row.channel], nowMs);
    else await moveTo(db, row, address, nowMs);
  }
}

async function moveTo(db: StateDb, row: AddressedRow, address: Address, nowMs: number): Promise<void> {
  const { channel, recipient } = address;
  const there = (await rowsOfOccasion(db, row)).find((one) => one.channel === channel && one.recipient === recipient);
  if (there === undefined) await moveRow(db, row, address, nowMs);
  else if (there.state === 'withdrawn' || isTold(there)) {
    await tellAt(db, row, address, nowMs);
    const why = `${DEAD[row.channel]} It is told by another interface.`;
    await withdrawRow(db, row.id, { because: 'readdressed', why }, nowMs);
  } else await failRow(db, row, DEAD[row.channel], nowMs);
}

const isOf = ({ addresses }: AlertRecipient, { channel, recipient }: Address) => addresses.get(channel) === recipient;

const isTold = ({ state }: OccasionRow) => state !== 'failed' && state !== 'unknown' && state !== 'withdrawn';
