import type { OpenChannel, ReplyWindow } from '../channels/channel.ts';
import type { Message } from '../storage/records/alerts/message-table.ts';
import { lastRefusedAt } from '../storage/records/alerts/message-table.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import { lastReplyAt } from '../storage/records/alerts/reply-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';

/** A little less than a day, because the provider counts from its own clock. */
const OPEN_MS = 24 * 60 * 60_000 - 5 * 60_000;

/**
 * True if free text does not reach the recipient. The provider's refusal counts more than our clock: after it, the window is
 * closed until the recipient writes again.
 */
export async function needsTemplate(
  db: StateDb,
  { window }: OpenChannel,
  address: Address,
  nowMs: number,
): Promise<boolean> {
  return window !== undefined && isClosed(db, window, address, nowMs);
}

/** True if a message that the provider refused as too late was a template. Refusals that were not known then do not count. */
export async function wasTemplate(db: StateDb, window: ReplyWindow, message: Message): Promise<boolean> {
  const { requestedAt = message.createdAt } = message;
  return isClosed(db, window, message, Date.parse(requestedAt), requestedAt);
}

async function isClosed(
  db: StateDb,
  { refusal, openedAt = '' }: ReplyWindow,
  address: Address,
  atMs: number,
  knownAt?: string,
): Promise<boolean> {
  const repliedAt = (await lastReplyAt(db, address)) ?? '';
  const wroteAt = repliedAt > openedAt ? repliedAt : openedAt;
  if (wroteAt === '' || atMs - Date.parse(wroteAt) >= OPEN_MS) return true;
  const refusedAt = await lastRefusedAt(db, address, refusal, knownAt);
  return refusedAt !== undefined && refusedAt >= wroteAt;
}
