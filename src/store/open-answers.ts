import type { Channel } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import type { StateDb } from './open-state.ts';

/** Something that somebody waits for. */
export interface OpenAnswer {
  readonly channel: Channel;
  /** Area C: `<channel>:+<number>`. Area A: digits. */
  readonly recipient: string;
}

/**
 * What is to be told soon and is not known to be: answers to people, what failed and was passed on to no other channel yet, and
 * what was. None that is older than `sinceMs`: it waits for the next report as anything else does. Newest first.
 */
export async function openAnswers(db: StateDb, sinceMs: number): Promise<OpenAnswer[]> {
  const since = instantText(sinceMs);
  const rows = await db
    .selectFrom('outbox')
    .select(['channel', 'recipient'])
    .where('escalatedAt', 'is', null)
    .where(({ or, and, eb, exists, selectFrom }) => {
      const isOpen = and([eb('state', 'in', ['pending', 'sending', 'unknown']), eb('createdAt', '>=', since)]);
      return or([
        and([eb('state', '=', 'failed'), eb('updatedAt', '>=', since)]),
        and([isOpen, eb('reason', '=', 'reply')]),
        and([
          isOpen,
          exists(
            selectFrom('outbox as before')
              .select('before.id')
              .whereRef('before.alertId', '=', 'outbox.alertId')
              .whereRef('before.occasion', '=', 'outbox.occasion')
              .whereRef('before.id', '<', 'outbox.id')
              // A row is added in the moment in which another is passed on.
              .whereRef('before.escalatedAt', '=', 'outbox.createdAt'),
          ),
        ]),
      ]);
    })
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ channel, recipient }) => (recipient === undefined ? [] : [{ channel, recipient }]));
}
