import type { App } from '../../app.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import { decideProposal, openProposals } from '../../store/budgets/proposal-table.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import { lapsedRight, type RuleNamed } from '../evaluate/rules-now.ts';

/**
 * Ends proposals that make room for what this run says: a new day of the account has numbers of its own, and a rule that is not what
 * it was decides anew.
 */
export async function endOldProposals(app: App, accounts: readonly RunAccount[], ruleNamed: RuleNamed): Promise<void> {
  const nowMs = app.clock.now();
  const { db } = app.state;
  for (const proposal of await openProposals(db, nowMs)) {
    const { code, customerId, accountDay, rule } = proposal;
    const account = accounts.find((one) => one.customerId === customerId);
    if (account?.timeZone === undefined || account.failure !== undefined) continue;
    const today = civilDateAt(nowMs, account.timeZone);
    const old = { reason: `It was made on ${accountDay}, and ${today} has numbers of its own.`, code: undefined };
    const end =
      accountDay < today ? old : lapsedRight(proposal, ruleNamed(rule), app.settings.automation.mode, 'approve');
    if (end === undefined) continue;
    const decision = { state: 'superseded', by: 'pacekeeper', why: end.reason, code: end.code } as const;
    await decideProposal(db, code, decision, nowMs);
  }
}
