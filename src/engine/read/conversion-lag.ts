import { conversionDaysIn } from '../../config/of-account.ts';
import type { Settings } from '../../config/settings.ts';
import { addDays, type CivilDate, civilDateAt, daysBetween } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { ConversionLag } from '../../domain/still-arriving.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { lagSteps } from '../../storage/records/runs/conversion-days.ts';
import { calendarOf, dayState } from './day-state.ts';

export interface DayRead {
  readonly date: CivilDate;
  /** In UTC. Undefined if the day was never read. */
  readonly readAt: string | undefined;
}

interface ReadAccount {
  readonly customerId: CustomerId;
  readonly timeZone: string | undefined;
  /** In ascending order. */
  readonly days: readonly DayRead[];
}

/** So many days before the newest complete one teach the lag, because it changes. */
const TEACHING_DAYS = 90;

/** A day is complete for conversions if it was read when its account's conversion window was over, as for rules. */
export async function conversionLags(
  db: StateDb,
  settings: Pick<Settings, 'accounts' | 'extract'>,
  query: string,
  accounts: readonly ReadAccount[],
): Promise<Map<CustomerId, ConversionLag>> {
  const lags = new Map(
    accounts.map((account) => [account.customerId, { ...agesIn(settings, query, account), steps: [] }]),
  );
  const found = new Map<CustomerId, ConversionLag>(lags);
  for (const [until, own] of Map.groupBy(lags, ([, { completeUntil }]) => completeUntil)) {
    const customers = own.filter(([, { ages }]) => ages.size > 0).map(([customer]) => customer);
    if (until === undefined || customers.length === 0) continue;
    const days = { from: addDays(until, 1 - TEACHING_DAYS), to: until };
    const taught = await lagSteps(db, query, customers, days);
    for (const [customer, lag] of own) found.set(customer, { ...lag, steps: taught.get(customer) ?? [] });
  }
  return found;
}

function agesIn(
  settings: Pick<Settings, 'accounts' | 'extract'>,
  query: string,
  { customerId, timeZone, days }: ReadAccount,
): Omit<ConversionLag, 'steps'> {
  const ofTable = calendarOf(settings.extract, query, timeZone);
  const windowDays = conversionDaysIn(settings, customerId);
  const calendar = { ...ofTable, settleDays: Math.max(ofTable.settleDays, windowDays) };
  const read = days.flatMap(({ date, readAt }) => (readAt === undefined ? [] : [{ date, readMs: Date.parse(readAt) }]));
  const completeUntil = read.findLast(({ date, readMs }) => dayState(date, readMs, calendar) === 'settled')?.date;
  const young = read.filter(({ date }) => completeUntil === undefined || date > completeUntil);
  const ages = young.map(
    ({ date, readMs }) => [date, daysBetween(date, civilDateAt(readMs, timeZone ?? 'UTC'))] as const,
  );
  return { completeUntil, ages: new Map(ages), windowDays };
}
