import type { AlertSeverity, Channel } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { AlertKind, NotificationReason } from './alert-table.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './schema.ts';

export type OutboxState = StateSchema['outbox']['state'];

/** A row of the outbox with what it is about, to be looked at. */
export interface ListedRow {
  readonly id: bigint;
  readonly alertId: bigint;
  readonly occasion: bigint;
  /** Of the message that told it, with others it may be. */
  readonly messageId: bigint | undefined;
  readonly dedupeKey: string;
  readonly kind: AlertKind;
  readonly customerId: CustomerId | undefined;
  readonly rule: string | undefined;
  readonly reason: NotificationReason;
  readonly severity: AlertSeverity;
  readonly text: string;
  readonly channel: Channel;
  /** As it is called; undefined for what waits for the routes. */
  readonly recipient: string | undefined;
  readonly state: OutboxState;
  readonly attempts: bigint;
  /** Its message says only that there is one more of it. */
  readonly counted: boolean;
  readonly error: string | undefined;
  /** Instants, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When the service took it, if it did. */
  readonly acceptedAt: string | undefined;
}

export interface RowFilter {
  readonly states: readonly OutboxState[];
  /** The keys of their alerts begin so. */
  readonly keyPrefix?: string;
  /** Only rows of these alerts. */
  readonly alertIds?: readonly bigint[];
  /** Only what something became of since. */
  readonly sinceMs?: number;
  /** Only what the service took since, or what was made since where it took nothing. */
  readonly toldSinceMs?: number;
  /** Only those that their message merely counts, moved since that instant. */
  readonly countedSince?: string;
  readonly limit: number;
}

/** The newest rows in the states, oldest first. */
export async function listRows(db: StateDb, filter: RowFilter): Promise<ListedRow[]> {
  const { states, keyPrefix, alertIds, sinceMs, toldSinceMs, countedSince, limit } = filter;
  let query = db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alert_id')
    .leftJoin('message', 'message.id', 'outbox.message_id')
    .select(['outbox.id', 'dedupe_key', 'kind', 'customer_id', 'rule', 'reason', 'outbox.severity', 'outbox.text'])
    .select(['outbox.alert_id', 'outbox.occasion', 'outbox.message_id', 'outbox.counted'])
    .select(['outbox.channel', 'outbox.recipient', 'outbox.state', 'outbox.attempts', 'outbox.error'])
    .select(['outbox.created_at', 'outbox.updated_at'])
    .select('message.accepted_at')
    .where('outbox.state', 'in', states)
    .orderBy('outbox.id', 'desc')
    .limit(limit);
  if (keyPrefix !== undefined) {
    query = query.where('dedupe_key', '>=', keyPrefix).where('dedupe_key', '<', `${keyPrefix}\u{10ffff}`);
  }
  if (alertIds !== undefined) query = query.where('outbox.alert_id', 'in', alertIds);
  if (sinceMs !== undefined) query = query.where('outbox.updated_at', '>=', instantText(sinceMs));
  if (toldSinceMs !== undefined) {
    const since = instantText(toldSinceMs);
    query = query.where(({ eb, fn }) => eb(fn.coalesce('message.accepted_at', 'outbox.created_at'), '>=', since));
  }
  if (countedSince !== undefined) {
    query = query.where('counted', '=', 1n).where('outbox.updated_at', '>', countedSince);
  }
  const rows = await query.execute();
  return rows.reverse().map((row) => ({
    ...{ alertId: row.alert_id, occasion: row.occasion, messageId: row.message_id ?? undefined },
    ...{ id: row.id, dedupeKey: row.dedupe_key, kind: row.kind, rule: row.rule ?? undefined, reason: row.reason },
    customerId: row.customer_id === null ? undefined : customerId(row.customer_id.toString()),
    ...{ severity: row.severity, text: row.text, channel: row.channel, recipient: row.recipient ?? undefined },
    ...{ state: row.state, attempts: row.attempts, counted: row.counted === 1n, error: row.error ?? undefined },
    ...{ createdAt: row.created_at, updatedAt: row.updated_at, acceptedAt: row.accepted_at ?? undefined },
  }));
}
