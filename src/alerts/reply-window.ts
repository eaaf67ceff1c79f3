import type { OpenChannel } from '../channels/channel.ts';
import type { Message } from '../storage/records/alerts/message-table.ts';
import { lastRefusedAt } from '../storage/records/alerts/message-table.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import { lastReplyAt } from '../storage/records/alerts/reply-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';

/** A little less than a day, because the provider counts from its own clock. */
const OPEN_MS = 24 * 60 * 60_000 - 5 * 60_000;

/**
 * True if free text does not reach the recipient at this time. The provider's refusal counts more than our clock: after it,
 * the window is closed until the recipient writes again. `message.id` leaves out refusals of this message and later ones.
 */
export async function needsTemplate(
  db: StateDb,
  { window }: OpenChannel,
  message: Address & Partial<Pick<Message, 'id'>>,
  atMs: number,
): Promise<boolean> {
  if (window === undefined) return false;
  const wrote = [await lastReplyAt(db, message), window.openedAt].filter((at) => at !== undefined).sort();
  const wroteAt = wrote.at(-1);
  if (wroteAt === undefined || atMs - Date.parse(wroteAt) >= OPEN_MS) return true;
  const refusedAt = await lastRefusedAt(db, message, window.refusal);
  return refusedAt !== undefined && refusedAt >= wroteAt;
}
