import type { NotNull, Selection } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';

export type OutboxState = StateSchema['outbox']['state'];

const LISTED_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.occasion',
  // The message that told it, with others it may be.
  'outbox.messageId',
  'alert.dedupeKey',
  'alert.kind',
  'alert.customerId',
  'alert.rule',
  'outbox.reason',
  'outbox.severity',
  'outbox.text',
  'outbox.channel',
  // As it is called; NULL for what waits for the routes.
  'outbox.recipient',
  'outbox.state',
  'outbox.attempts',
  'outbox.error',
  'outbox.createdAt',
  'outbox.updatedAt',
] as const;

/** A row of the outbox with what it is about, to be looked at. */
export type ListedRow = Readonly<Selection<StateSchema, 'outbox' | 'alert', (typeof LISTED_COLUMNS)[number]>> & {
  /** Its message says only that there is one more of it. */
  readonly counted: boolean;
  /** When the service took it, if it did: instant, UTC. */
  readonly acceptedAt: string | undefined;
};

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
  if (alertIds !== undefined) query = query.where('outbox.alertId', 'in', alertIds);
  if (sinceMs !== undefined) query = query.where('outbox.updatedAt', '>=', instantText(sinceMs));
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
