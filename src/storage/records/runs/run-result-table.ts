import { type NotNull, sql } from 'kysely';
import type { CustomerId } from '../../../domain/ids.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';

/** Amounts are in micros. An unknown amount is undefined. */
export interface RunTarget {
  readonly rule: string;
  /** Undefined for a target of several accounts. */
  readonly customerId: CustomerId | undefined;
  readonly accountName: string | undefined;
  readonly subject: string;
  readonly currency: string | undefined;
  readonly state: string;
  readonly target: bigint | undefined;
  readonly spent: bigint | undefined;
  readonly idealToDate: bigint | undefined;
  readonly projected: bigint | undefined;
  /** `budget` is the sum of the target's budgets today. `shouldBe` is the recommended sum. */
  readonly budget: bigint | undefined;
  readonly shouldBe: bigint | undefined;
  /** Names of the campaigns, or of groups that share a budget. Empty for a run of an older version. */
  readonly covers: readonly string[];
}

/** Replaces an earlier result of the run. */
export function recordRunResult(
  db: StateDb,
  runId: bigint,
  { notes, targets }: { readonly notes: readonly string[]; readonly targets: readonly RunTarget[] },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await trx
      .updateTable('run')
      .set({ notes: JSON.stringify(notes) })
      .where('id', '=', runId)
      .execute();
    await trx.deleteFrom('runPacing').where('runId', '=', runId).execute();
    for (const [place, one] of targets.entries()) {
      await trx
        .insertInto('runPacing')
        .values({
          runId,
          place: BigInt(place),
          rule: one.rule,
          customerId: one.customerId,
          subject: one.subject,
          currency: one.currency,
          state: one.state,
          targetMicros: one.target?.toString(),
          spentMicros: one.spent?.toString(),
          idealToDateMicros: one.idealToDate?.toString(),
          projectedMicros: one.projected?.toString(),
          budgetMicros: one.budget?.toString(),
          shouldBeMicros: one.shouldBe?.toString(),
          covers: JSON.stringify(one.covers),
        })
        .execute();
    }
  });
}

export async function notesOfRun(db: StateDb, runId: bigint): Promise<readonly string[] | undefined> {
  const row = await db.selectFrom('run').select('notes').where('id', '=', runId).executeTakeFirst();
  return row?.notes === undefined ? undefined : (JSON.parse(row.notes) as string[]);
}

const TARGET_COLUMNS = [
  'rule',
  'runPacing.customerId',
  'subject',
  'runPacing.currency',
  'state',
  'targetMicros as target',
  'spentMicros as spent',
  'idealToDateMicros as idealToDate',
  'projectedMicros as projected',
  'budgetMicros as budget',
  'shouldBeMicros as shouldBe',
  'covers',
] as const;

export async function targetsOfRun(db: StateDb, runId: bigint): Promise<RunTarget[]> {
  const rows = await db
    .selectFrom('runPacing')
    .leftJoin('account', 'account.customerId', 'runPacing.customerId')
    .select(TARGET_COLUMNS)
    .select('account.name as accountName')
    .where('runId', '=', runId)
    .orderBy('place')
    .$narrowType<{ accountName: NotNull }>()
    .execute();
  return rows.map((row) => ({
    ...row,
    target: amountOf(row.target),
    spent: amountOf(row.spent),
    idealToDate: amountOf(row.idealToDate),
    projected: amountOf(row.projected),
    budget: amountOf(row.budget),
    shouldBe: amountOf(row.shouldBe),
    covers: JSON.parse(row.covers ?? '[]') as string[],
  }));
}

export async function lastReportSince(
  db: StateDb,
  since: string,
): Promise<{ readonly id: bigint; readonly at: string } | undefined> {
  return db
    .selectFrom('run')
    .select(['id', 'startedAt as at'])
    .where('command', '=', 'report')
    .where('state', 'in', ['done', 'failed'])
    .where('notes', 'is not', null)
    .where('startedAt', '>=', since)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

const NEVER = 2n ** 63n - 1n;

/** Counts reports of old versions, which did not record refusals. Ignores dry runs. */
export async function reportsWithoutLedger(db: StateDb, since: string): Promise<number> {
  const row = await db
    .selectFrom('run')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('command', '=', 'report')
    .where('dryRun', '=', 0n)
    .where('state', 'in', ['done', 'stopped', 'failed'])
    .where('notes', 'is', null)
    // Interrupted runs of new versions have no notes either, so only runs before the first notes count.
    .where('id', '<', sql<bigint>`coalesce((SELECT min(id) FROM run WHERE notes IS NOT NULL), ${NEVER})`)
    .where('startedAt', '>=', since)
    .executeTakeFirst();
  return Number(row?.count ?? 0n);
}

function amountOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}
