/**
 * What the tests of data said last: one row for each account whose rows broke a test, or one row without an account if
 * the test passed, could not be run, or does not say accounts.
 */
export const statements = [
  `CREATE TABLE data_test (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    name TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('warn', 'error')),
    claim TEXT NOT NULL,
    customer_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('passed', 'failed', 'unknown')),
    failures INTEGER NOT NULL,
    first_rows TEXT NOT NULL CHECK (json_valid(first_rows)),
    reason TEXT,
    tested_at TEXT NOT NULL
  ) STRICT`,
  'CREATE UNIQUE INDEX data_test_by_name ON data_test (table_name, name, customer_id)',
];
