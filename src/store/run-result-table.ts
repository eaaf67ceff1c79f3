import { type CustomerId, customerId } from '../domain/ids.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './open-state.ts';

/** A sentence that a reader must know to judge a run's numbers, and what it is about. */
export interface RunNote {
  readonly code: string;
  readonly text: string;
}

/** How the month of a rule's target goes; amounts in micros, undefined where they are not known. */
export interface RunTarget {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly accountName: string | undefined;
  readonly subject: string;
  readonly currency: string | undefined;
  readonly state: string;
  readonly target: bigint | undefined;
  readonly spent: bigint | undefined;
  readonly idealToDate: bigint | undefined;
  readonly projected: bigint | undefined;
  /** Today's budgets of the target together, and what they should be. */
  readonly budget: bigint | undefined;
  readonly shouldBe: bigint | undefined;
}

/** Records what a run says beside what the other tables keep; what was recorded of it before is replaced. */
export function recordRunResult(
  db: StateDb,
  runId: bigint,
  { notes, targets }: { readonly notes: readonly RunNote[]; readonly targets: readonly RunTarget[] },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const told = JSON.stringify(notes.map(({ code, text }) => ({ code, text })));
    await trx.updateTable('run').set({ notes: told }).where('id', '=', runId).execute();
    await trx.deleteFrom('run_pacing').where('run_id', '=', runId).execute();
    for (const [place, one] of targets.entries()) {
      await trx
        .insertInto('run_pacing')
        .values({
          run_id: runId,
          place: BigInt(place),
          rule: one.rule,
          customer_id: BigInt(one.customerId),
          subject: one.subject,
          currency: one.currency ?? null,
          state: one.state,
          target_micros: textOf(one.target),
          spent_micros: textOf(one.spent),
          ideal_to_date_micros: textOf(one.idealToDate),
          projected_micros: textOf(one.projected),
          budget_micros: textOf(one.budget),
          should_be_micros: textOf(one.shouldBe),
        })
        .execute();
    }
  });
}

/** What a run noted for its reader; undefined where that was not recorded. */
export async function notesOfRun(db: StateDb, runId: bigint): Promise<readonly RunNote[] | undefined> {
  const row = await db.selectFrom('run').select('notes').where('id', '=', runId).executeTakeFirst();
  return row?.notes == null ? undefined : (JSON.parse(row.notes) as RunNote[]);
}

/** The targets that a run saw, in the order in which it told them. */
export async function targetsOfRun(db: StateDb, runId: bigint): Promise<RunTarget[]> {
  const rows = await db
    .selectFrom('run_pacing')
    .leftJoin('account', 'account.customer_id', 'run_pacing.customer_id')
    .selectAll('run_pacing')
    .select('account.name as account_name')
    .where('run_id', '=', runId)
    .orderBy('place')
    .execute();
  return rows.map((row) => ({
    rule: row.rule,
    customerId: customerId(row.customer_id.toString()),
    accountName: row.account_name ?? undefined,
    subject: row.subject,
    currency: row.currency ?? undefined,
    state: row.state,
    target: amountOf(row.target_micros),
    spent: amountOf(row.spent_micros),
    idealToDate: amountOf(row.ideal_to_date_micros),
    projected: amountOf(row.projected_micros),
    budget: amountOf(row.budget_micros),
    shouldBe: amountOf(row.should_be_micros),
  }));
}

/** The newest report since the instant that went to its end, with when it began. */
export async function lastReportSince(
  db: StateDb,
  since: string,
): Promise<{ readonly id: bigint; readonly at: string } | undefined> {
  return db
    .selectFrom('run')
    .select(['id', 'started_at as at'])
    .where('command', '=', 'report')
    .where('state', 'in', ['done', 'failed'])
    .where('notes', 'is not', null)
    .where('started_at', '>=', since)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** How many reports since the instant, dry runs apart, are of before refusals and notes were recorded. */
export async function reportsWithoutLedger(db: StateDb, since: string): Promise<number> {
  const row = await db
    .selectFrom('run')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('command', '=', 'report')
    .where('dry_run', '=', 0n)
    .where('state', 'in', ['done', 'failed'])
    .where('notes', 'is', null)
    .where('started_at', '>=', since)
    .executeTakeFirst();
  return Number(row?.count ?? 0n);
}

function textOf(amount: bigint | undefined): string | null {
  return amount === undefined ? null : String(amount);
}

function amountOf(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text);
}
