import { CompiledQuery } from 'kysely';
import { addDays, type CivilDate, daysOf, instantText } from '../../src/domain/civil-date.ts';
import { asKnownBy, evaluatedAt, readingBefore } from '../../src/language/trial/as-known.ts';
import { failedAccountsSince } from '../../src/storage/records/alerts/digest-facts.ts';
import type { RecordStore } from '../../src/storage/records/record-store.ts';
import { isReadByOthers, knownDays, readingsOf, runReadingsOf } from '../../src/storage/records/runs/account-days.ts';
import {
  coveredAccounts,
  lastReadings,
  readAccounts,
  restatements,
} from '../../src/storage/records/runs/coverage-table.ts';
import { accountsInScopeSince } from '../../src/storage/records/runs/run-account-table.ts';
import { unfinishedSlices } from '../../src/storage/records/runs/slice-table.ts';
import { ALL_DAYS, CHANGED, CUSTOMERS, STATS, ZONES } from './past-runs.ts';

export const CLOSES_AT = '03:00';
const METRICS = [{ column: 'clicks', type: 'INT64' }] as never;

/** What everybody who reads slices, readings and accounts of runs would be told; `since` is what is asked of runs since then. */
export async function answers(state: RecordStore, since: string): Promise<Record<string, unknown>> {
  const { db } = state;
  const questions = [STATS, CHANGED].flatMap((query) => CUSTOMERS.map((customer) => ({ query, customer })));
  const lastRead = `SELECT query, customer_id, max(ended_at) AS last FROM slice WHERE state = 'done' GROUP BY 1, 2 ORDER BY 1, 2`;
  const planned: unknown[] = [];
  const known: unknown[] = [];
  for (const { query, customer } of questions) {
    planned.push([await knownDays(db, query, [customer]), await isReadByOthers(db, query, customer)]);
    known.push(...(await asKnown(state, query, customer)));
  }
  return {
    covered: await coveredAccounts(state),
    restated: await restatements(state),
    accounts: await readAccounts(state),
    unfinished: await unfinishedSlices(db, 'extract'),
    lastRead: [await rowsOf(state, lastRead), await lastReadings(db, 'stats'), await lastReadings(db, 'list')],
    planned,
    known,
    recent: [[...((await accountsInScopeSince(db, since)) ?? [])].sort(), await failedAccountsSince(db, since)],
  };
}

/** As a backtest sees each day on each day after it. */
async function asKnown(
  { db }: RecordStore,
  query: typeof STATS,
  customer: (typeof CUSTOMERS)[number],
): Promise<unknown[]> {
  const { now, record } = await readingsOf(db, query, customer, ALL_DAYS);
  const runs = (await runReadingsOf(db, query, customer)).map(({ firstAt, lastAt }) => ({
    firstMs: Date.parse(firstAt),
    lastMs: Date.parse(lastAt),
  }));
  const timeZone = ZONES[customer as keyof typeof ZONES] ?? 'UTC';
  const at = ({ rows, totals, readAt }: (typeof record)[number]) => ({
    readMs: Date.parse(readAt),
    rows,
    totals: new Map([['clicks', BigInt(JSON.parse(totals).clicks)]]),
  });
  return now.flatMap((day) => {
    const readings = record.filter(({ date }) => date === day.date).map(at);
    const seenOn = (today: CivilDate) => {
      const atMs = evaluatedAt(today, runs, { timeZone, closesAt: CLOSES_AT });
      const by = readingBefore({ now: at(day), readings }, atMs);
      return [day.date, today, instantText(atMs), asKnownBy(by, at(day), METRICS, atMs)];
    };
    return daysOf({ from: addDays(day.date, 1), to: addDays(day.date, 6) }).map(seenOn);
  });
}

/** Tables with their rows. */
export async function tables(state: RecordStore, names: readonly string[]): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {};
  for (const name of names) found[name] = await rowsOf(state, `SELECT * FROM "${name}" ORDER BY 1, 2, 3, 4`);
  return found;
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf({ db }: RecordStore, text: string): Promise<Row[]> {
  return (await db.withoutPlugins().executeQuery<Row>(CompiledQuery.raw(text))).rows;
}
