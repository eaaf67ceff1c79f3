/** One row for each call of a tool by an agent. The arguments and the answer are not stored. */
export const statements = [
  `CREATE TABLE agent_call (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    client TEXT NOT NULL,
    client_version TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments_sha256 TEXT NOT NULL CHECK (length(arguments_sha256) = 64),
    state TEXT NOT NULL CHECK (state IN ('begun', 'answered', 'refused', 'failed')),
    code TEXT,
    answer_bytes INTEGER,
    began_at TEXT NOT NULL,
    ended_at TEXT
  ) STRICT`,
  'CREATE INDEX agent_call_by_agent ON agent_call (agent, began_at)',
];
