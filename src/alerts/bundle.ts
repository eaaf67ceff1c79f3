import type { Channel } from '../domain/channel.ts';
import { frozenLines } from '../domain/frozen.ts';
import { outsideText } from '../domain/outside-text.ts';
import { freshReference, insertMessage, type Message, messageRows } from '../store/message-table.ts';
import { type AddressedRow, addressedRows } from '../store/outbox-table.ts';
import { composeMessages, withReference } from './compose-message.ts';
import { commit, type DeliveryPass, recipientAt } from './delivery-pass.ts';
import { isQuiet } from './quiet-hours.ts';
import { LENGTH_MAX } from './send-by-channel.ts';

/** UTF-16 units: the reason is an operator's. */
const FROZEN_LENGTH_MAX = 200;

/** Makes a message per recipient of everything that may be told by the channel now; more where answers are asked for. */
export async function bundle(pass: DeliveryPass, channel: Channel): Promise<void> {
  const nowMs = pass.clock.now();
  const first = frozenLines(await pass.frozen()).map((line) => `${outsideText(line, FROZEN_LENGTH_MAX)}\n`);
  const head = first.join('');
  await commit(pass, 'bundle', async (trx) => {
    const byRecipient = new Map<string, AddressedRow[]>();
    for (const row of await addressedRows(trx)) {
      if (row.channel !== channel || waits(pass, row, row)) continue;
      const rows = byRecipient.get(row.recipient);
      if (rows) rows.push(row);
      else byRecipient.set(row.recipient, [row]);
    }
    for (const [recipient, rows] of byRecipient) {
      for (const { text, told, counted } of composeMessages(rows, LENGTH_MAX[channel] - head.length)) {
        const reference = await freshReference(trx);
        const ids = { rowIds: told.map(({ id }) => id), countedIds: counted.map(({ id }) => id) };
        await insertMessage(
          trx,
          { channel, recipient, text: withReference(`${head}${text}`, reference), reference, ...ids },
          nowMs,
        );
      }
    }
  });
}

/** Whether a message that was put together earlier is for now. */
export async function mayGoNow(pass: DeliveryPass, message: Message): Promise<boolean> {
  const rows = await messageRows(pass.state.db, message.id);
  return rows.some((row) => !waits(pass, message, row));
}

/** Quiet hours are the recipient's. Somebody who has asked is awake. */
function waits(
  { alerts, clock }: DeliveryPass,
  { channel, recipient: address }: { readonly channel: Channel; readonly recipient: string },
  { severity, reason }: Pick<AddressedRow, 'severity' | 'reason'>,
): boolean {
  const recipient = recipientAt(alerts, channel, address);
  if (recipient === undefined || reason === 'reply' || reason === 'test') return false;
  return isQuiet(recipient, severity, clock.now());
}
