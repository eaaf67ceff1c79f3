import type { Database } from 'better-sqlite3';
import type { Channel } from '../domain/channel.ts';

/** A message as the sandbox received it for a phone, by area C (`messages`) or area A (`graph`). */
export interface ReceivedMessage {
  /** `SM…` or `wamid.…`. */
  readonly sid: string;
  readonly channel: Channel;
  /** As sent: `<channel>:+<digits>` by area C, digits by area A. */
  readonly to: string;
  /** As sent by area C; the digits of the sender's number by area A. */
  readonly from: string;
  readonly body: string;
  readonly mediaUrl: string | undefined;
  /** False when a media URL was given and dropped, as the service does with calendar and text files. */
  readonly mediaAttached: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly receivedAt: string;
  /** The last one the service would tell. */
  readonly status: string;
  readonly errorCode: number | undefined;
  /** Where its delivery is reported, when it named an address. */
  readonly statusCallback: string | undefined;
  /** Area A's `biz_opaque_callback_data`. */
  readonly reference: string | undefined;
}

/** Which messages of area C are listed; what is undefined does not matter. */
export interface MessageFilter {
  readonly to: string | undefined;
  readonly from: string | undefined;
  /** RFC 3339, UTC, milliseconds; `until` is exclusive. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** Only what came before this one. */
  readonly olderThan: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface MessageStore {
  add(message: ReceivedMessage): void;
  /** Nothing when there is no such message. */
  setStatus(sid: string, status: string, errorCode: number | undefined): void;
  find(sid: string): ReceivedMessage | undefined;
  /** Of area C, newest first. */
  list(filter: MessageFilter): ReceivedMessage[];
  /** Of both areas, oldest first. */
  all(): ReceivedMessage[];
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS message (
    message_id INTEGER PRIMARY KEY,
    sid TEXT NOT NULL UNIQUE,
    to_address TEXT NOT NULL,
    from_address TEXT NOT NULL,
    body TEXT NOT NULL,
    media_url TEXT,
    media_attached INTEGER NOT NULL CHECK (media_attached IN (0, 1)),
    received_at TEXT NOT NULL
  ) STRICT;
`;

/** What files of earlier versions lack; their messages were area C's and nobody asked for their delivery. */
const LATER_COLUMNS = {
  channel: "TEXT NOT NULL DEFAULT 'messages' CHECK (channel IN ('messages', 'graph'))",
  status: "TEXT NOT NULL DEFAULT 'delivered'",
  error_code: 'INTEGER',
  status_callback: 'TEXT',
  reference: 'TEXT',
} as const;

/** Makes the table, or adds what an earlier version's file lacks. The caller holds the file's write lock. */
export function prepareMessages(database: Database): void {
  database.exec(TABLE);
  const named = database.prepare<[], string>("SELECT name FROM pragma_table_info('message')").pluck();
  const present = new Set(named.all());
  for (const [name, definition] of Object.entries(LATER_COLUMNS)) {
    if (!present.has(name)) database.exec(`ALTER TABLE message ADD COLUMN ${name} ${definition}`);
  }
}

interface MessageRow {
  readonly sid: string;
  readonly channel: Channel;
  readonly to_address: string;
  readonly from_address: string;
  readonly body: string;
  readonly media_url: string | null;
  readonly media_attached: bigint;
  readonly received_at: string;
  readonly status: string;
  readonly error_code: bigint | null;
  readonly status_callback: string | null;
  readonly reference: string | null;
}

const COLUMNS = `sid, channel, to_address, from_address, body, media_url, media_attached, received_at, status, error_code,
  status_callback, reference`;

/** The messages of an open file that {@link prepareMessages} has seen. */
export function messageStore(database: Database): MessageStore {
  const insert = database.prepare(`INSERT INTO message (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = database.prepare('UPDATE message SET status = ?, error_code = ? WHERE sid = ?');
  const bySid = database.prepare<[string], MessageRow>(`SELECT ${COLUMNS} FROM message WHERE sid = ?`);
  const everything = database.prepare<[], MessageRow>(`SELECT ${COLUMNS} FROM message ORDER BY message_id`);
  const listed = database.prepare<[Record<string, string | number | null>], MessageRow>(
    `SELECT ${COLUMNS} FROM message
     WHERE channel = 'messages'
       AND (@to IS NULL OR to_address = @to)
       AND (@from IS NULL OR from_address = @from)
       AND (@since IS NULL OR received_at >= @since)
       AND (@until IS NULL OR received_at < @until)
       AND (@olderThan IS NULL OR message_id < (SELECT message_id FROM message WHERE sid = @olderThan))
     ORDER BY message_id DESC LIMIT @limit OFFSET @offset`,
  );
  return {
    add: (message) => {
      const { sid, channel, to, from, body, mediaUrl, mediaAttached, receivedAt, status, errorCode } = message;
      insert.run(
        ...[sid, channel, to, from, body, mediaUrl ?? null, mediaAttached ? 1 : 0, receivedAt],
        ...[status, errorCode ?? null, message.statusCallback ?? null, message.reference ?? null],
      );
    },
    setStatus: (sid, status, errorCode) => {
      update.run(status, errorCode ?? null, sid);
    },
    find: (sid) => {
      const row = bySid.get(sid);
      return row && messageOf(row);
    },
    list: ({ to = null, from = null, since = null, until = null, olderThan = null, offset, limit }) =>
      listed.all({ to, from, since, until, olderThan, offset, limit }).map(messageOf),
    all: () => everything.all().map(messageOf),
  };
}

function messageOf(row: MessageRow): ReceivedMessage {
  return {
    sid: row.sid,
    channel: row.channel,
    to: row.to_address,
    from: row.from_address,
    body: row.body,
    mediaUrl: row.media_url ?? undefined,
    mediaAttached: row.media_attached === 1n,
    receivedAt: row.received_at,
    status: row.status,
    errorCode: row.error_code === null ? undefined : Number(row.error_code),
    statusCallback: row.status_callback ?? undefined,
    reference: row.reference ?? undefined,
  };
}
