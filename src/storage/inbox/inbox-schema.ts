import type { ColumnType, Generated } from 'kysely';

/** Also the tables of PostgreSQL come from this text (`npm run schema`). */
export const INBOX_TABLES = `
  CREATE TABLE IF NOT EXISTS webhook_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'status', 'other')),
    dedupe_key TEXT NOT NULL UNIQUE,
    provider_id TEXT,
    sender TEXT,
    status TEXT,
    text TEXT,
    payload TEXT NOT NULL,
    received_at TEXT NOT NULL CHECK (received_at GLOB '????-??-??T??:??:??Z'),
    handled_at TEXT CHECK (handled_at GLOB '????-??-??T??:??:??Z'),
    outcome TEXT,
    CHECK ((handled_at IS NULL) = (outcome IS NULL))
  ) STRICT;
  CREATE INDEX IF NOT EXISTS webhook_event_waiting ON webhook_event (id) WHERE handled_at IS NULL;
  CREATE INDEX IF NOT EXISTS webhook_event_handled ON webhook_event (handled_at) WHERE handled_at IS NOT NULL;
`;

type Optional = ColumnType<string | undefined, string | undefined, never>;

export interface InboxSchema {
  webhookEvent: {
    id: Generated<bigint>;
    channel: string;
    kind: 'message' | 'status' | 'other';
    dedupeKey: string;
    providerId: Optional;
    sender: Optional;
    status: Optional;
    text: Optional;
    payload: string;
    receivedAt: string;
    handledAt: ColumnType<string | undefined, never, string>;
    outcome: ColumnType<string | undefined, never, string>;
  };
}
