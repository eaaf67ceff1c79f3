import { verifyAudit } from '../../src/budgets/verify-audit.ts';
import type { StateFile } from '../../src/store/sqlite/open-state.ts';

/** What is wrong with the record of changes, a sentence each: links that do not hold, tables that say something else. */
export async function findAuditProblems(state: StateFile): Promise<string[]> {
  const { broken, differences } = await verifyAudit(state);
  return [...broken.map(({ sentence }) => sentence), ...differences];
}
