import type { App } from '../app.ts';
import { civilDateAt, instantText } from '../domain/civil-date.ts';
import { type ConditionRecord, endSilently } from '../store/condition-table.ts';
import { accountsInScopeSince } from '../store/run-account-table.ts';
import type { RunAccount } from './discover-accounts.ts';
import { isOpen } from './rule-conditions.ts';

const DAY_MS = 86_400_000;
const UNSEEN_DAYS = 7;

/**
 * Ends, without a word to anybody, the conditions of accounts that no run of the last days had in its scope: what is true of
 * them nobody will know any more. While no run had any account, nothing is known of the scope.
 */
export async function endUnseenConditions(
  { state: { db }, clock }: Pick<App, 'state' | 'clock'>,
  accounts: readonly RunAccount[],
  known: ReadonlyMap<string, ConditionRecord>,
): Promise<void> {
  const here = new Set(accounts.map(({ customerId }) => customerId));
  const elsewhere = [...known.values()].filter((one) => isOpen(one) && !here.has(one.customerId));
  if (elsewhere.length === 0) return;
  const nowMs = clock.now();
  const sinceMs = nowMs - UNSEEN_DAYS * DAY_MS;
  const seen = await accountsInScopeSince(db, instantText(sinceMs));
  if (seen.size === 0) return;
  const because = `No run has looked at the account since ${civilDateAt(sinceMs, 'UTC')}.`;
  for (const { id, customerId } of elsewhere) {
    if (!seen.has(customerId)) await endSilently(db, id, because, nowMs);
  }
}
