/**
 * Keeps an alert that no channel delivered (`lost_at`) until it is delivered, or a person acknowledges it. Alerts that
 * were lost before this migration stay history.
 */
export const statements = [
  `ALTER TABLE outbox ADD COLUMN lost_at TEXT CHECK (lost_at GLOB '????-??-??T??:??:??Z')`,
  `ALTER TABLE outbox ADD COLUMN acknowledged_by TEXT CHECK (acknowledged_by <> '')`,
];
