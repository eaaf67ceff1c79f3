/** Links with which programs read one table or question. The key itself is not stored. `fixed` is JSON. */
export const statements = [
  `CREATE TABLE read_link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    question_id INTEGER,
    fixed TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_by TEXT,
    revoked_at TEXT
  ) STRICT`,
  'CREATE UNIQUE INDEX read_link_by_sha256 ON read_link (sha256)',
];
