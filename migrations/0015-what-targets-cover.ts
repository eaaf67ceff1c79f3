/** The campaigns or budgets of a target, so that no page takes it for the target of the whole account. */
export const statements = ['ALTER TABLE run_pacing ADD COLUMN covers TEXT'];
