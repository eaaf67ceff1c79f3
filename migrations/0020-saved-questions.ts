/** Questions of Explore that people keep for each other. They are no models: nothing is computed from them. */
export const statements = [
  `CREATE TABLE saved_question (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    sentence TEXT NOT NULL,
    query TEXT NOT NULL CHECK (length(query) <= 8192),
    chart TEXT NOT NULL,
    saved_by TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    renamed_by TEXT,
    renamed_at TEXT
  ) STRICT`,
  'CREATE UNIQUE INDEX saved_question_by_name ON saved_question (name)',
];
