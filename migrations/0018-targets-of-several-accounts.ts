/** A target of several accounts has no account of its own, so the column becomes optional. */
export const statements = [
  'ALTER TABLE run_pacing ADD COLUMN one_customer_id INTEGER',
  'UPDATE run_pacing SET one_customer_id = customer_id',
  'ALTER TABLE run_pacing DROP COLUMN customer_id',
  'ALTER TABLE run_pacing RENAME COLUMN one_customer_id TO customer_id',
];
