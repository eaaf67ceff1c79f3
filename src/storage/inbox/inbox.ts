import { type Kysely, type SqlBool, sql } from 'kysely';
import type { ArrivedEvent } from '../../channels/channel.ts';
import { knownChannel } from '../../channels/channels.ts';
import { chunksOf, ROWS_PER_STATEMENT } from '../../domain/chunks.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/ports.ts';
import { holds } from '../records/alerts/forget-address.ts';
import type { InboxSchema } from './inbox-schema.ts';

/** Handled events are kept for 30 days, to recognise repeated deliveries. */
const HANDLED_KEPT_MS = 30 * 86_400_000;
/** The maximum number of handled events, to limit the size of the table. */
export const HANDLED_KEPT_MAX = 100_000;

/** Webhooks until they are handled. A separate connection, so that providers never wait for a run. */
export interface Inbox {
  /** Returns the number of new events when all are stored. Throws if they cannot be stored. */
  keep(events: readonly ArrivedEvent[]): Promise<number>;
  waiting(): Promise<WaitingEvent[]>;
  countWaiting(): Promise<number>;
  newestMessage(channel: string, sender: string): Promise<WaitingEvent | undefined>;
  /** Also deletes old handled events. */
  done(id: bigint, outcome: string): Promise<void>;
  /** Deletes the events with this address or number, and counts them. If one still waits, deletes none: undefined. */
  forget(key: string): Promise<number | undefined>;
  close(): Promise<void>;
}

export function inboxOn(db: Kysely<InboxSchema>, clock: Clock): Inbox {
  const events = db
    .selectFrom('webhookEvent')
    .select(['id', 'channel', 'kind', 'dedupeKey', 'providerId', 'sender', 'status', 'text', 'payload', 'receivedAt']);
  const waiting = events.where('handledAt', 'is', null).orderBy('id');
  return {
    async keep(arrived) {
      const receivedAt = instantText(clock.now());
      return db.transaction().execute(async (trx) => {
        let fresh = 0n;
        for (const some of chunksOf(arrived, ROWS_PER_STATEMENT)) {
          const { numInsertedOrUpdatedRows = 0n } = await trx
            .insertInto('webhookEvent')
            .values(some.map((event) => rowOf(event, receivedAt)))
            .onConflict((conflict) => conflict.column('dedupeKey').doNothing())
            .executeTakeFirstOrThrow();
          fresh += numInsertedOrUpdatedRows;
        }
        return Number(fresh);
      });
    },
    waiting: () => waiting.execute(),
    async countWaiting() {
      const { count } = await db
        .selectFrom('webhookEvent')
        .select((of) => of.fn.countAll<bigint>().as('count'))
        .where('handledAt', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    newestMessage: (channel, sender) =>
      events
        .where('kind', '=', 'message')
        .where('channel', '=', channel)
        .where('sender', '=', sender)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    async done(id, outcome) {
      const nowMs = clock.now();
      await db.transaction().execute(async (trx) => {
        const handledAt = instantText(nowMs);
        await trx.updateTable('webhookEvent').set({ handledAt, outcome }).where('id', '=', id).execute();
        const handled = trx.deleteFrom('webhookEvent').where('handledAt', 'is not', null);
        await handled.where('handledAt', '<', instantText(nowMs - HANDLED_KEPT_MS)).execute();
        await handled.where('id', '<=', id - BigInt(HANDLED_KEPT_MAX)).execute();
      });
    },
    forget: (key) =>
      db.transaction().execute(async (trx) => {
        const about = sql<SqlBool>`(${holds('sender', key)} OR instr(payload, ${key}) > 0)`;
        const waiting = trx.selectFrom('webhookEvent').select('id').where(about).where('handledAt', 'is', null);
        if ((await waiting.executeTakeFirst()) !== undefined) return undefined;
        const { numDeletedRows } = await trx.deleteFrom('webhookEvent').where(about).executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
    close: () => db.destroy(),
  };
}

function rowOf(event: ArrivedEvent, receivedAt: string) {
  return {
    channel: knownChannel(event.channel),
    kind: event.kind,
    dedupeKey: storable(event.dedupeKey) ?? '',
    providerId: storable(event.providerId),
    sender: storable(event.sender),
    status: storable(event.status),
    text: storable(event.text),
    payload: event.payload,
    receivedAt,
  };
}

/** PostgreSQL refuses NUL in a text, and the provider would send it again and again. */
const storable = (text: string | undefined) => text?.replaceAll('\0', '\uFFFD');

export interface WaitingEvent extends ArrivedEvent {
  readonly id: bigint;
  /** In UTC, in whole seconds. */
  readonly receivedAt: string;
}
