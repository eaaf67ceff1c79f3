import type Database from 'better-sqlite3';
import type { Channel } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import type { Clock } from '../domain/ports.ts';
import { openForOwner, openUsable } from '../store/sqlite/open-database.ts';
import { newerDatabase } from '../store/sqlite/unusable-database.ts';
import { asRead } from '../store/state-plugin.ts';
import { INBOX_TABLES } from './inbox-schema.ts';

/** Handled events are kept for 30 days, to recognise repeated deliveries. */
const HANDLED_KEPT_MS = 30 * 86_400_000;
/** The maximum number of handled events, to limit the size of the file. */
export const HANDLED_KEPT_MAX = 100_000;

const WAIT_MS = 2000;

const LOST =
  'Restore the file from a backup. Or move it away to start an empty inbox: unhandled messages are lost, handled ones keep their effect.';

const SELECT = `SELECT id, channel, kind, dedupe_key AS dedupeKey, provider_id AS providerId, sender, status, text, payload,
  received_at AS receivedAt FROM webhook_event`;

export type Inbox = ReturnType<typeof openInbox>;

/** Throws `InputError`. A separate file, so that providers never wait for a run. */
export function openInbox(path: string, clock: Clock) {
  const file = openFile(path);
  const insert = file.prepare(
    `INSERT INTO webhook_event (channel, kind, dedupe_key, provider_id, sender, status, text, payload, received_at)
     VALUES (@channel, @kind, @dedupeKey, @providerId, @sender, @status, @text, @payload, @receivedAt)
     ON CONFLICT (dedupe_key) DO NOTHING`,
  );
  const select = file.prepare<[], EventRow>(`${SELECT} WHERE handled_at IS NULL ORDER BY id`);
  const selectNewest = file.prepare<[channel: Channel, sender: string], EventRow>(
    `${SELECT} WHERE kind = 'message' AND channel = ? AND sender = ? ORDER BY id DESC LIMIT 1`,
  );
  const count = file.prepare<[], bigint>('SELECT count(*) FROM webhook_event WHERE handled_at IS NULL').pluck();
  const handle = file.prepare('UPDATE webhook_event SET handled_at = ?, outcome = ? WHERE id = ?');
  const forgetOld = file.prepare('DELETE FROM webhook_event WHERE handled_at < ?');
  const forgetMany = file.prepare('DELETE FROM webhook_event WHERE handled_at IS NOT NULL AND id <= ?');

  const keepAll = file.transaction((events: readonly ArrivedEvent[], receivedAt: string): number => {
    let fresh = 0;
    for (const { providerId = null, sender = null, status = null, text = null, ...event } of events) {
      fresh += insert.run({ ...event, providerId, sender, status, text, receivedAt }).changes;
    }
    return fresh;
  });
  const handleOne = file.transaction((id: bigint, outcome: string, nowMs: number) => {
    handle.run(instantText(nowMs), outcome, id);
    forgetOld.run(instantText(nowMs - HANDLED_KEPT_MS));
    forgetMany.run(id - BigInt(HANDLED_KEPT_MAX));
  });
  return {
    /** Returns the number of new events. Throws if the file cannot be written. */
    keep: (events: readonly ArrivedEvent[]): number => keepAll.immediate(events, instantText(clock.now())),
    waiting: (): WaitingEvent[] => select.all().map(asRead),
    countWaiting: (): number => Number(count.get() ?? 0n),
    newestMessage(channel: Channel, sender: string): WaitingEvent | undefined {
      const row = selectNewest.get(channel, sender);
      return row && asRead(row);
    },
    /** Also deletes old handled events. */
    done: (id: bigint, outcome: string): void => handleOne.immediate(id, outcome, clock.now()),
    close(): void {
      file.close();
    },
  };
}

function openFile(path: string): Database.Database {
  const prepare = (file: Database.Database) => {
    file.defaultSafeIntegers(true);
    file.pragma('journal_mode = WAL');
    file.pragma('synchronous = FULL');
    checkVersion(file, path);
    file.exec(INBOX_TABLES);
  };
  return openUsable(path, () => openForOwner(path, WAIT_MS), prepare, LOST);
}

/** Raise this number when earlier versions of pacekeeper cannot read the changed file. */
const VERSION = 1n;

function checkVersion(file: Database.Database, path: string): void {
  const found = file.pragma('user_version', { simple: true }) as bigint;
  if (found > VERSION) throw newerDatabase(path);
  if (found < VERSION) file.pragma(`user_version = ${VERSION}`);
}

type EventRow = Omit<WaitingEvent, MayLack> & { readonly [Fact in MayLack]: string | null };

type MayLack = 'providerId' | 'sender' | 'status' | 'text';

export interface ArrivedEvent {
  readonly channel: Channel;
  /** An `other` event is stored unchanged (requirement A11). */
  readonly kind: 'message' | 'status' | 'other';
  /** Repeated deliveries have the same key. */
  readonly dedupeKey: string;
  readonly providerId?: string | undefined;
  /** Digits for the graph interface, `<channel>:+<number>` for the messaging interface. */
  readonly sender?: string | undefined;
  /** The provider's word, such as `sent`, `delivered`, `read` or `failed`. */
  readonly status?: string | undefined;
  readonly text?: string | undefined;
  readonly payload: string;
}

export interface WaitingEvent extends ArrivedEvent {
  readonly id: bigint;
  /** In UTC, in whole seconds. */
  readonly receivedAt: string;
}
