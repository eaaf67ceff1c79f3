import type { App } from '../app.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { decideProposal, openProposals } from '../store/proposal-table.ts';
import type { RunAccount } from './discover-accounts.ts';

/** A new day of the account has numbers of its own: what was proposed on an earlier one makes room for what they say. */
export async function endProposalsOfEarlierDays(app: App, accounts: readonly RunAccount[]): Promise<void> {
  const nowMs = app.clock.now();
  const { db } = app.state;
  for (const { code, customerId, accountDay } of await openProposals(db, nowMs)) {
    const account = accounts.find((one) => one.customerId === customerId);
    if (account?.timeZone === undefined || account.failure !== undefined) continue;
    const today = civilDateAt(nowMs, account.timeZone);
    if (accountDay >= today) continue;
    const why = `It was made on ${accountDay}, and ${today} has numbers of its own.`;
    await decideProposal(db, code, { state: 'superseded', by: 'pacekeeper', why }, nowMs);
  }
}
