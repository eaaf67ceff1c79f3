/**
 * An acknowledgement belongs to the alert, not to one of its messages: it also stops the repetitions of a condition.
 * Before, only alerts that no channel delivered had one.
 */
const LAST = `FROM outbox WHERE alert_id = alert.id AND acknowledged_by IS NOT NULL ORDER BY updated_at DESC, id DESC LIMIT 1`;

export const statements = [
  `ALTER TABLE alert ADD COLUMN acknowledged_at TEXT CHECK (acknowledged_at GLOB '????-??-??T??:??:??Z')`,
  `ALTER TABLE alert ADD COLUMN acknowledged_by TEXT CHECK (acknowledged_by <> '')`,
  `UPDATE alert SET acknowledged_at = (SELECT updated_at ${LAST}), acknowledged_by = (SELECT acknowledged_by ${LAST})`,
  'ALTER TABLE outbox DROP COLUMN acknowledged_by',
];
