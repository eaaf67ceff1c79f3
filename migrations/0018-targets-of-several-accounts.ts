/** Whole micros as text, because a sum over many budgets may exceed int64. */
const SUM = (column: string) => `${column} TEXT CHECK (${column} NOT GLOB '*[^-0-9]*')`;

/**
 * A target of several accounts has no account of its own, so the column becomes optional. `members` are ids of accounts,
 * `rates` are the exchange rates used, both as JSON. `reason` says why nothing was decided.
 */
export const statements = [
  // The instant at which the account was first seen in another currency than before.
  'ALTER TABLE account ADD COLUMN currency_since TEXT',
  'ALTER TABLE run_pacing ADD COLUMN one_customer_id INTEGER',
  'UPDATE run_pacing SET one_customer_id = customer_id',
  'ALTER TABLE run_pacing DROP COLUMN customer_id',
  'ALTER TABLE run_pacing RENAME COLUMN one_customer_id TO customer_id',
  'ALTER TABLE run_pacing ADD COLUMN date_from TEXT',
  'ALTER TABLE run_pacing ADD COLUMN date_to TEXT',
  `ALTER TABLE run_pacing ADD COLUMN ${SUM('unsettled_micros')}`,
  'ALTER TABLE run_pacing ADD COLUMN mode TEXT',
  'ALTER TABLE run_pacing ADD COLUMN members TEXT',
  'ALTER TABLE run_pacing ADD COLUMN rates TEXT',
  'ALTER TABLE run_pacing ADD COLUMN reason TEXT',
  // Only of the newest report, because each report has all days again.
  `CREATE TABLE run_pacing_day (
    run_id INTEGER NOT NULL REFERENCES run (id),
    place INTEGER NOT NULL,
    date TEXT NOT NULL,
    ${SUM('ideal_micros')} NOT NULL,
    ${SUM('cost_micros')},
    PRIMARY KEY (run_id, place, date)
  ) STRICT, WITHOUT ROWID`,
];
