import type { NotNull, Selection } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { IS_LOST } from './lost-rows.ts';
import { IS_UNSEEN } from './outbox-row.ts';

export type OutboxState = StateSchema['outbox']['state'];

const LISTED_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.occasion',
  // Several rows can share one message.
  'outbox.messageId',
  'alert.dedupeKey',
  'alert.kind',
  'alert.customerId',
  'alert.rule',
  'alert.acknowledgedAt',
  'alert.acknowledgedBy',
  'outbox.reason',
  'outbox.severity',
  'outbox.text',
  'outbox.channel',
  // NULL until a recipient is chosen.
  'outbox.recipient',
  'outbox.state',
  'outbox.attempts',
  'outbox.error',
  'outbox.createdAt',
  'outbox.updatedAt',
] as const;

export type ListedRow = Readonly<Selection<StateSchema, 'outbox' | 'alert', (typeof LISTED_COLUMNS)[number]>> & {
  /** True if the message only counts this alert and does not contain its text. */
  readonly counted: boolean;
  /** In UTC. Undefined if the provider has not accepted the message. */
  readonly acceptedAt: string | undefined;
};

export interface RowFilter {
  readonly states: readonly OutboxState[];
  readonly keyPrefix?: string;
  /** Selects lost rows, and rows that the next delivery gives to another channel or marks as lost. */
  readonly isUndelivered?: boolean;
  /** Compares the time of acceptance. Without an acceptance, compares the creation time. */
  readonly toldSinceMs?: number;
  /** Selects `counted` rows that were updated after this time (UTC). */
  readonly countedSince?: string;
  readonly limit: number;
}

/** Selects the newest rows, but returns them in ascending order. */
export async function listRows(db: StateDb, filter: RowFilter): Promise<ListedRow[]> {
  const { states, keyPrefix, isUndelivered, toldSinceMs, countedSince, limit } = filter;
  let query = db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .leftJoin('message', 'message.id', 'outbox.messageId')
    .select([...LISTED_COLUMNS, 'outbox.counted', 'message.acceptedAt'])
    .$narrowType<{ acceptedAt: NotNull }>()
    .where('outbox.state', 'in', states)
    .orderBy('outbox.id', 'desc')
    .limit(limit);
  if (keyPrefix !== undefined) {
    query = query.where('dedupeKey', '>=', keyPrefix).where('dedupeKey', '<', `${keyPrefix}\u{10ffff}`);
  }
  if (isUndelivered) query = query.where(({ eb, or }) => or([eb('escalatedAt', 'is', null).and(IS_UNSEEN), IS_LOST]));
  if (toldSinceMs !== undefined) {
    const since = instantText(toldSinceMs);
    query = query.where(({ eb, fn }) => eb(fn.coalesce('message.acceptedAt', 'outbox.createdAt'), '>=', since));
  }
  if (countedSince !== undefined) {
    query = query.where('counted', '=', 1n).where('outbox.updatedAt', '>', countedSince);
  }
  const rows = await query.execute();
  return rows.reverse().map(({ counted, ...row }) => ({ ...row, counted: counted === 1n }));
}
