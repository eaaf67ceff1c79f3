import { explainGraphCode } from '../apis/graph/read-failure.ts';
import { explainMessageCode } from '../apis/messages/read-refusal.ts';
import { firstLineOf } from '../domain/outside-text.ts';
import { maskAddress } from '../http/redact.ts';
import { expireLeases, giveUpWaiting } from '../store/alerts/message-outcome.ts';
import { messageRows, overdueMessages, pendingMessages, takeApart } from '../store/alerts/message-table.ts';
import { escalateRows, type StrandedRow, strandedRows } from '../store/alerts/outbox-table.ts';
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

/**
 * Passes on to the recipient's next channel what did not arrive: at once what was refused, after a time what is not known to be
 * out, what still waits, and what was accepted and is more than information. Each once. Where no channel is left the log says
 * so loudly, and the rows are returned. An accepted message that merely was not reported on is nobody's loss then.
 */
async function escalate(pass: DeliveryPass): Promise<StrandedRow[]> {
  const { state, clock, alerts, log } = pass;
  const sinceMs = clock.now() - alerts.undeliveredMs;
  await giveUpOverdue(pass, sinceMs);
  const stranded = await strandedRows(state.db, sinceMs);
  if (stranded.length === 0) return [];
  const decided = stranded.map((row) => ({
    row,
    id: row.id,
    next: row.state === 'accepted' && row.severity === 'info' ? undefined : nextAddress(pass, row),
  }));
  const lost = decided
    .filter(({ row, next }) => next === undefined && row.state !== 'accepted')
    .map(({ row }) => explained(row));
  // Before it is written down: told twice, after a crash, is better than never.
  for (const line of lostLines(lost)) log.warn(line);
  await commit(pass, 'escalate', (trx) => escalateRows(trx, decided, clock.now()));
  return lost;
}

/** What an interface keeps refusing for now does not keep a recipient waiting who can be told by another. */
async function giveUpOverdue(pass: DeliveryPass, sinceMs: number): Promise<void> {
  for (const message of await overdueMessages(pass.state.db, sinceMs)) {
    if (nextAddress(pass, message) === undefined) continue;
    await commit(pass, 'escalate', (trx) => giveUpWaiting(trx, message.id, pass.clock.now()));
  }
}

/** A report names a code alone; a refusal has said what it means. */
function explained(row: StrandedRow): StrandedRow {
  const { channel, code, status, error } = row;
  if (code === undefined || status === undefined) return row;
  const known = channel === 'messages' ? explainMessageCode(code) : explainGraphCode(Number(code));
  if (known === undefined) return row;
  return { ...row, error: [error, known.meaning, known.nextStep].filter(Boolean).join(' ') };
}

/** One line per recipient and reason, however many alerts there are. */
function lostLines(rows: readonly StrandedRow[]): string[] {
  const groups = new Map<string, StrandedRow[]>();
  for (const row of rows) {
    const key = [row.channel, row.recipient, row.state, row.error].join(' ');
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].flatMap((group) => {
    const first = group.find(({ severity }) => severity === 'critical') ?? group[0];
    if (first === undefined) return [];
    const others = group.length === 1 ? '' : ` (and ${group.length - 1} more)`;
    const doubt = first.state === 'unknown' ? 'It may or may not have arrived. ' : '';
    const said = firstLineOf(first.text);
    const to = maskAddress(first.channel, first.recipient);
    return [
      `ALERT NOT DELIVERED to ${to}, and no channel is left: ${said}${others} ${doubt}${first.error ?? ''}`.trimEnd(),
    ];
  });
}
