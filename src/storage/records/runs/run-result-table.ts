import { type NotNull, sql } from 'kysely';
import type { CivilDate } from '../../../domain/civil-date.ts';
import { type CustomerId, customerId } from '../../../domain/ids.ts';
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
  readonly dateFrom: CivilDate | undefined;
  readonly dateTo: CivilDate | undefined;
  /** The highest possible cost of past days that are not complete. */
  readonly unsettled: bigint | undefined;
  readonly mode: string | undefined;
  /** The accounts of a target of several accounts. */
  readonly members: readonly CustomerId[];
  readonly rates: readonly RunRate[];
  /** Why nothing was decided. Undefined if something was. */
  readonly reason: string | undefined;
}

/** On `date`, one `from` was `rate` of `to`, in decimal digits. */
export interface RunRate {
  readonly date: CivilDate;
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  /** True for a rate of the settings. */
  readonly isFixed?: true;
}

/** Amounts are in micros. `cost` is undefined for a day that is not complete. */
export interface RunTargetDay {
  readonly date: CivilDate;
  readonly ideal: bigint;
  readonly cost: bigint | undefined;
}

export type RecordedTarget = RunTarget & { readonly days: readonly RunTargetDay[] };

/** Negative after overspend. */
export function leftOf({ target, spent, unsettled }: RunTarget): bigint | undefined {
  return target === undefined || spent === undefined ? undefined : target - spent - (unsettled ?? 0n);
}

/** Replaces an earlier result of the run. */
export function recordRunResult(
  db: StateDb,
  runId: bigint,
  { notes, targets }: { readonly notes: readonly string[]; readonly targets: readonly RecordedTarget[] },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await trx
      .updateTable('run')
      .set({ notes: JSON.stringify(notes) })
      .where('id', '=', runId)
      .execute();
    await trx.deleteFrom('runPacing').where('runId', '=', runId).execute();
    if (targets.length > 0) await trx.deleteFrom('runPacingDay').execute();
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
          dateFrom: one.dateFrom,
          dateTo: one.dateTo,
          unsettledMicros: one.unsettled?.toString(),
          mode: one.mode,
          members: JSON.stringify(one.members.map(Number)),
          rates: JSON.stringify(one.rates),
          reason: one.reason,
        })
        .execute();
      const days = one.days.map(({ date, ideal, cost }) => ({
        runId,
        place: BigInt(place),
        date,
        idealMicros: ideal.toString(),
        costMicros: cost?.toString(),
      }));
      if (days.length > 0) await trx.insertInto('runPacingDay').values(days).execute();
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
  'dateFrom',
  'dateTo',
  'unsettledMicros as unsettled',
  'runPacing.mode',
  'members',
  'rates',
  'reason',
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
    unsettled: amountOf(row.unsettled),
    members: (JSON.parse(row.members ?? '[]') as number[]).map((id) => customerId(String(id))),
    rates: JSON.parse(row.rates ?? '[]') as RunRate[],
  }));
}

/** The days of one target of the run, by its place among {@link targetsOfRun}. Only the newest run with targets has days. */
export async function daysOfTarget(db: StateDb, runId: bigint, place: number): Promise<RunTargetDay[]> {
  const rows = await db
    .selectFrom('runPacingDay')
    .select(['date', 'idealMicros', 'costMicros'])
    .where('runId', '=', runId)
    .where('place', '=', BigInt(place))
    .orderBy('date')
    .execute();
  return rows.map(({ date, idealMicros, costMicros }) => ({
    date,
    ideal: BigInt(idealMicros),
    cost: amountOf(costMicros),
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
