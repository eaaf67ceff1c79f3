const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;

/** Keeps the last amount that was read of each budget, so that a change by others is noticed on every budget. */
export const statements = [
  // `read_at`: when the request began that showed the amount.
  `CREATE TABLE budget_reading (
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    amount_micros INTEGER NOT NULL,
    read_at TEXT NOT NULL ${INSTANT('read_at')},
    PRIMARY KEY (customer_id, budget_id)
  ) STRICT, WITHOUT ROWID`,

  // When the expected amount was last read, if that is known. The change was made later.
  `ALTER TABLE foreign_change ADD COLUMN expected_at TEXT ${INSTANT('expected_at')}`,

  // The service's history of budget changes has been read from this day on. NULL if it was never read.
  `ALTER TABLE account ADD COLUMN changes_read_from TEXT ${DAY('changes_read_from')}`,
];
