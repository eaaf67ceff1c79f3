import type { Database } from 'better-sqlite3';
import type { PhoneChannel } from './phones.ts';
import type { PostedRoute } from './read-request.ts';

export interface ReceivedMessage {
  readonly sid: string;
  readonly channel: PhoneChannel | PostedRoute['channel'];
  /** The recipient: `<channel>:+<digits>` in the messaging interface, digits in the graph interface, else an address or name. */
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly mediaUrl: string | undefined;
  /** False without media, or if the channel dropped the media, such as a calendar file. */
  readonly mediaAttached: boolean;
  /** In UTC, as RFC 3339 with milliseconds. */
  readonly receivedAt: string;
  readonly status: string;
  readonly errorCode: number | undefined;
  readonly statusCallback: string | undefined;
  /** `biz_opaque_callback_data` of the graph interface. */
  readonly reference: string | undefined;
}

/** Null means no restriction. */
interface MessageFilter {
  readonly to: string | null;
  readonly from: string | null;
  /** In UTC, as RFC 3339. `until` is exclusive. */
  readonly since: string | null;
  readonly until: string | null;
  readonly olderThan: string | null;
  readonly offset: number;
  readonly limit: number;
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

/** Files of earlier versions lack these columns. */
const LATER_COLUMNS = {
  channel: "TEXT NOT NULL DEFAULT 'messages'",
  status: "TEXT NOT NULL DEFAULT 'delivered'",
  error_code: 'INTEGER',
  status_callback: 'TEXT',
  reference: 'TEXT',
} as const;

/** Creates the table and adds missing columns. The caller must hold the write lock of the file. */
export function prepareMessages(database: Database): void {
  database.exec(TABLE);
  const named = database.prepare<[], string>("SELECT name FROM pragma_table_info('message')").pluck();
  const present = new Set(named.all());
  for (const [name, definition] of Object.entries(LATER_COLUMNS)) {
    if (!present.has(name)) database.exec(`ALTER TABLE message ADD COLUMN ${name} ${definition}`);
  }
  dropListOfChannels(database);
}

const LISTS_CHANNELS = `SELECT 1 FROM sqlite_schema WHERE name = 'message' AND sql LIKE '%CHECK (channel IN%'`;

/** Files of earlier versions take only the messages of two channels. */
function dropListOfChannels(database: Database): void {
  if (database.prepare(LISTS_CHANNELS).get() === undefined) return;
  database.exec('ALTER TABLE message RENAME TO message_before');
  prepareMessages(database);
  const names = database.prepare<[], string>("SELECT name FROM pragma_table_info('message')").pluck().all().join(', ');
  database.exec(`INSERT INTO message (${names}) SELECT ${names} FROM message_before; DROP TABLE message_before`);
}

type Stored<Value> = Value extends boolean ? number : Value extends undefined ? null : Value;

type MessageRow = { readonly [Member in keyof ReceivedMessage]: Stored<ReceivedMessage[Member]> };

const SELECT = `SELECT sid, channel, to_address AS "to", from_address AS "from", body, media_url AS mediaUrl,
  media_attached AS mediaAttached, received_at AS receivedAt, status, error_code AS errorCode,
  status_callback AS statusCallback, reference FROM message`;

export function messageStore(database: Database) {
  const insert = database.prepare(
    `INSERT INTO message (sid, channel, to_address, from_address, body, media_url, media_attached, received_at, status,
       error_code, status_callback, reference)
     VALUES (@sid, @channel, @to, @from, @body, @mediaUrl, @mediaAttached, @receivedAt, @status, @errorCode,
       @statusCallback, @reference)`,
  );
  const update = database.prepare('UPDATE message SET status = ?, error_code = ? WHERE sid = ?');
  const updateMedia = database.prepare('UPDATE message SET media_attached = ? WHERE sid = ?');
  const select = <Parameters extends unknown[]>(rest: string) =>
    database.prepare<Parameters, MessageRow>(`${SELECT} ${rest}`).safeIntegers(false);
  const bySid = select<[string]>('WHERE sid = ?');
  const everything = select<[]>('ORDER BY message_id');
  const listed = select<[MessageFilter]>(
    `WHERE channel = 'messages'
       AND (@to IS NULL OR to_address = @to)
       AND (@from IS NULL OR from_address = @from)
       AND (@since IS NULL OR received_at >= @since)
       AND (@until IS NULL OR received_at < @until)
       AND (@olderThan IS NULL OR message_id < (SELECT message_id FROM message WHERE sid = @olderThan))
     ORDER BY message_id DESC LIMIT @limit OFFSET @offset`,
  );
  return {
    add(message: ReceivedMessage): void {
      insert.run({ ...message, mediaAttached: message.mediaAttached ? 1 : 0 });
    },
    setStatus(sid: string, status: string, errorCode: number | undefined): void {
      update.run(status, errorCode, sid);
    },
    setMedia(sid: string, isAttached: boolean): void {
      updateMedia.run(isAttached ? 1 : 0, sid);
    },
    find(sid: string): ReceivedMessage | undefined {
      const row = bySid.get(sid);
      return row && messageOf(row);
    },
    /** Messages of the messaging interface, newest first. */
    list: (filter: MessageFilter) => listed.all(filter).map(messageOf),
    /** Messages of both interfaces, oldest first. */
    all: () => everything.all().map(messageOf),
  };
}

export type MessageStore = ReturnType<typeof messageStore>;

function messageOf({
  mediaUrl,
  mediaAttached,
  errorCode,
  statusCallback,
  reference,
  ...row
}: MessageRow): ReceivedMessage {
  return {
    ...row,
    mediaUrl: mediaUrl ?? undefined,
    mediaAttached: mediaAttached === 1,
    errorCode: errorCode ?? undefined,
    statusCallback: statusCallback ?? undefined,
    reference: reference ?? undefined,
  };
}
