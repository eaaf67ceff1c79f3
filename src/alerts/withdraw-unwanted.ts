import { conditionsToldBy, forgetUntold, passOnTelling } from '../storage/records/alerts/condition-table.ts';
import { takeApart } from '../storage/records/alerts/message-table.ts';
import {
  addressedRows,
  type PendingRow,
  unaddressedRows,
  type Withdrawal,
  withdrawRow,
} from '../storage/records/alerts/outbox-table.ts';
import { activeSilences, type Silence } from '../storage/records/alerts/silence-table.ts';
import { openProposals, proposalByCode } from '../storage/records/budgets/proposal-table.ts';
import { inTransaction } from '../storage/records/in-transaction.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { silenceMatches } from './silence-matches.ts';

/** Withdraws silenced alerts, and alerts about proposals that are no longer open. */
export async function withdrawUnwanted(db: StateDb, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    // Dissolve unsent messages first, so that their alerts can be withdrawn, too.
    await takeApart(trx, nowMs);
    const rows = [...(await unaddressedRows(trx)), ...(await addressedRows(trx))];
    if (rows.length === 0) return;
    const silences = await activeSilences(trx, nowMs);
    const open = new Set((await openProposals(trx, nowMs)).map(({ code }) => code));
    const alerts = new Map<bigint, PendingRow>();
    for (const row of rows) {
      const withdrawal = isAskedFor(row) ? undefined : whyUnwanted(row, silences, open);
      if (withdrawal === undefined) continue;
      if (await withdrawRow(trx, row.id, withdrawal, nowMs)) alerts.set(row.alertId, row);
    }
    const untold = new Set<bigint>();
    for (const row of alerts.values()) for (const id of await conditionsOf(trx, row)) untold.add(id);
    for (const id of untold) await forgetUntold(trx, id);
  });
}

/** Replies, tests and digests are never silenced, because people wait for them. */
function isAskedFor({ reason }: PendingRow): boolean {
  return reason === 'reply' || reason === 'test' || reason === 'digest';
}

function whyUnwanted(
  { severity, customerId, rule, proposalCode }: PendingRow,
  silences: readonly Silence[],
  waiting: ReadonlySet<string>,
): Withdrawal | undefined {
  const silence = silences.find((one) => silenceMatches(one, { severity, customerId, rule }));
  if (silence) {
    const { id, createdBy, expiresAt, why } = silence;
    return { because: 'silenced', why: `Silenced by ${createdBy} until ${expiresAt} (S${id}): ${why}` };
  }
  if (proposalCode === undefined || waiting.has(proposalCode)) return undefined;
  return { because: 'proposal_over', why: 'The proposal no longer awaits approval.' };
}

/** Returns the conditions that only this alert reported. A condition and its alert have the same id. */
async function conditionsOf(trx: StateDb, { alertId, kind, proposalCode }: PendingRow): Promise<bigint[]> {
  if (kind === 'condition') return [alertId];
  const proposal = proposalCode === undefined ? undefined : await proposalByCode(trx, proposalCode);
  // After an approval, the alert about the change reports the conditions.
  const intentId = proposal?.intentId;
  if (intentId !== undefined && !(await passOnTelling(trx, alertId, intentId))) return [];
  return conditionsToldBy(trx, alertId);
}
