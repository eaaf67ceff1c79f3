import { expireLeases } from '../store/message-outcome.ts';
import { messageRows, pendingMessages, takeApart } from '../store/message-table.ts';
import type { StrandedRow } from '../store/outbox-table.ts';
import { addressPending } from './address-pending.ts';
import { bundle, mayGoNow } from './bundle.ts';
import {
  type CountedDelivery,
  commit,
  type Delivery,
  type DeliveryDeps,
  type DeliveryPass,
  nextAddress,
  openPass,
} from './delivery-pass.ts';
import { escalate } from './escalate.ts';
import { askForReports, type LookUp, lookUpUnknown } from './look-up.ts';
import { sendClaimed } from './send-claimed.ts';

/**
 * Delivers what waits in the outbox; may run in several processes at once. At least once: what is not known to have arrived is
 * told by another channel, or loudly lost. At most once by each channel, as long as every outcome is known: what may be out is
 * looked for before it is sent again.
 */
export async function deliverOutbox(deps: DeliveryDeps): Promise<CountedDelivery[]> {
  const pass = openPass(deps);
  const { state, alerts, clock, channels } = pass;
  if (channels.length === 0) return [];
  await commit(pass, 'expire', async (trx) => {
    await expireLeases(trx, clock.now());
    await takeApart(trx, clock.now());
  });
  const sent = await stillUnknown(pass, await lookUpUnknown(pass));
  await askForReports(pass);
  const lost = await escalate(pass);
  await addressPending({ db: state.db, alerts, channels, nowMs: clock.now() });
  // What a channel does not take goes on to the next one at once.
  for (const channel of channels) {
    await bundle(pass, channel);
    for (const message of await pendingMessages(state.db, channel)) {
      // What waits goes with the next run.
      if (pass.pauses.stop?.aborted) break;
      if (!(await mayGoNow(pass, message))) continue;
      const delivery = await sendClaimed(pass, message);
      if (delivery) sent.set(message.id, delivery);
    }
    lost.push(...(await escalate(pass)));
  }
  const told: CountedDelivery[] = [];
  for (const [id, delivery] of sent) {
    const rows = await messageRows(state.db, id);
    const isOver =
      delivery.state === 'failed' ||
      (delivery.state === 'unknown' && rows.every(({ escalatedAt }) => escalatedAt !== undefined));
    const instead = isOver ? nextAddress(pass, delivery)?.channel : undefined;
    const counted = rows.filter((row) => row.counted === 1n).length;
    told.push({ ...delivery, alerts: rows.length, counted, instead, isLost: isOver && instead === undefined });
  }
  return [...told, ...lostEarlier(lost, sent)];
}

/** Messages of earlier that still may or may not be out, until they are passed on. */
async function stillUnknown({ state }: DeliveryPass, lookUps: readonly LookUp[]): Promise<Map<bigint, Delivery>> {
  const unknown = new Map<bigint, Delivery>();
  for (const { message, because, ...lookUp } of lookUps) {
    if (lookUp.state !== 'unknown' || because === undefined) continue;
    const rows = await messageRows(state.db, message.id);
    if (rows.every(({ escalatedAt }) => escalatedAt !== undefined)) continue;
    const error = [message.error, because].filter((part) => part !== undefined).join(' ');
    unknown.set(message.id, { ...message, state: 'unknown', error });
  }
  return unknown;
}

/** What is lost although this pass has not sent it: a report says so, or nothing was heard for too long. */
function lostEarlier(rows: readonly StrandedRow[], sent: ReadonlyMap<bigint, Delivery>): CountedDelivery[] {
  const lost = new Map<string, CountedDelivery>();
  for (const { channel, recipient, text, state, error, messageId } of rows) {
    const said = messageId === undefined ? undefined : sent.get(messageId)?.state;
    if (state === 'accepted' || said === 'failed' || said === 'unknown') continue;
    const key = `${channel} ${recipient} ${messageId}`;
    const alerts = (lost.get(key)?.alerts ?? 0) + 1;
    const row = { channel, recipient, text, state, error, counted: 0, instead: undefined, isLost: true };
    lost.set(key, { ...row, ...lost.get(key), alerts });
  }
  return [...lost.values()];
}
