import { createHash } from 'node:crypto';

/** An event as it lies in the table. `detail` is the JSON text itself: the hash is of these very characters. */
export interface ChainedEvent {
  readonly id: bigint;
  readonly intentId: bigint | undefined;
  readonly kind: string;
  readonly actor: string;
  readonly detail: string;
  readonly createdAt: string;
  readonly previousHash: string;
}

/** What the first event names as the hash before it. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * The text that is hashed: the other columns of the row in the order of the table, as a JSON array without spaces. SQLite
 * writes the same text, so that anyone can recompute it:
 * `SELECT json_array(id, intent_id, kind, actor, detail, created_at, previous_hash) FROM budget_event`.
 */
export function chainText(event: ChainedEvent): string {
  const texts = [event.kind, event.actor, event.detail, event.createdAt, event.previousHash];
  const columns = [event.id, event.intentId ?? 'null', ...texts.map((text) => JSON.stringify(text))];
  return `[${columns.join()}]`;
}

/** SHA-256 of {@link chainText} in UTF-8, 64 hexadecimal digits. */
export function chainHash(event: ChainedEvent): string {
  return createHash('sha256').update(chainText(event)).digest('hex');
}
