import type { App, StateApp } from '../../app.ts';
import { readBudgets } from '../../budgets/read-budgets.ts';
import type { Replay } from '../../budgets/replay-events.ts';
import { type AuditVerdict, compareAmounts, verifyAudit } from '../../budgets/verify-audit.ts';
import type { CommandApp } from '../../cli/command.ts';
import { textLayout } from '../../cli/output.ts';
import { EXIT } from '../../cli/print-error.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import { type CustomerId, customerId } from '../../domain/ids.ts';
import { findAccounts } from '../../pipeline/accounts/find-accounts.ts';
import { headText, holdsHead, type RecordHead } from '../../store/budgets/audit-chain.ts';
import type { StateFile } from '../../store/sqlite/open-state.ts';
import type { VerifyOptions } from './audit-command.ts';
import { type AuditResult, isProven, renderAudit, renderAuditJson } from './render-audit.ts';

export async function runVerify(app: CommandApp<'all' | 'state'>, { head, format }: VerifyOptions): Promise<number> {
  const { output } = app;
  const found = await app.open((opened) =>
    'ads' in opened ? verifyAuditTrail(opened, head) : verifyOffline(opened, head),
  );
  output.stdout.write(format === 'json' ? `${renderAuditJson(found)}\n` : renderAudit(found, textLayout(output)));
  return isProven(found) ? EXIT.done : EXIT.failed;
}

/** Proves the trail against our own books alone, and that it holds a head that was kept elsewhere. */
async function verifyOffline({ state }: Pick<StateApp, 'state'>, kept?: RecordHead): Promise<AuditResult> {
  const verdict = await verifyAudit(state);
  const notes = [...ledgerNotes(verdict), "Today's amounts were not asked for."];
  return withKept(state, { ...resultOf(verdict), ...NOT_COMPARED, notes }, kept);
}

/** Proves the trail, that it holds a head that was kept elsewhere, and that replaying it gives the amounts that the service shows today. */
async function verifyAuditTrail(app: App, kept?: RecordHead): Promise<AuditResult> {
  const verdict = await verifyAudit(app.state);
  const today = await compareToday(app, verdict.replayed);
  const notes = [...ledgerNotes(verdict), ...today.notes];
  return withKept(app.state, { ...resultOf(verdict), ...today, notes }, kept);
}

function ledgerNotes({ isLedgerAlone }: AuditVerdict): string[] {
  if (!isLedgerAlone) return [];
  return ['The chain of events is sound, only the ledger differs: pacekeeper unfreeze makes the ledger anew from it.'];
}

async function withKept({ db }: StateFile, result: AuditResult, kept: RecordHead | undefined): Promise<AuditResult> {
  if (kept === undefined) return result;
  if (await holdsHead(db, kept)) return { ...result, notes: [...result.notes, `The record holds ${headText(kept)}.`] };
  const words = `The record does not hold ${headText(kept)}: it was altered after that was kept, or it is another one.`;
  return { ...result, differences: [...result.differences, words] };
}

function resultOf({ events, head, broken, differences, replayed }: AuditVerdict) {
  return {
    ...{ events, head },
    brokenLinks: broken.map(({ sentence }) => sentence),
    differences,
    budgets: replayed.amounts.size,
  };
}

type Today = Pick<AuditResult, 'compared' | 'changedElsewhere' | 'notes' | 'failures'>;

const NOT_COMPARED = { compared: 0, changedElsewhere: [], notes: [], failures: [] };

/** A budget that cannot be read cannot be compared, and that is said. */
async function compareToday(app: App, replayed: Replay): Promise<Today> {
  const customers = [...new Set([...replayed.amounts.values()].map((one) => customerId(one.customerId)))];
  if (customers.length === 0) return NOT_COMPARED;
  const { ads } = app;
  if (!ads)
    return {
      ...NOT_COMPARED,
      notes: ["The advertising interface is not configured: today's amounts were not compared."],
    };
  const accounts = await findAccounts(app, ads, customers, 'left');
  const changedElsewhere: AuditResult['changedElsewhere'][number][] = [];
  const isFound = (id: CustomerId) => accounts.found.some(({ customerId: one }) => one === id);
  const absent = accounts.failures.length > 0 ? [] : customers.filter((id) => !isFound(id));
  const notes = absent.map((id) => `Account ${id} is excluded or not there: its budgets were not compared.`);
  const failures = [...accounts.failures];
  let compared = 0;
  for (const { customerId: customer, name, currency, failure } of accounts.found) {
    if (failure !== undefined) continue;
    try {
      const book = await readBudgets({ ads, db: app.state.db }, customer, new Map());
      if (book.source === 'declared')
        notes.push(`The budgets of account ${customer} cannot be read: they were not compared.`);
      else {
        compared += [...replayed.amounts.values()].filter((one) => one.customerId === customer).length;
        const others = compareAmounts(replayed, customer, book.amounts);
        changedElsewhere.push(...others.map((other) => ({ ...other, name, currency })));
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(`The budgets of account ${customer} could not be read: ${explainFailure(error)}`);
    }
  }
  return { compared, changedElsewhere, notes, failures: failures.map(app.redact) };
}
