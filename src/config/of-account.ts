import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { Settings } from './settings.ts';

/** `billedUnit` is the smallest step of amounts that the service says. Without it, that of the settings counts. */
export function boundsOfAccount(
  { accounts }: Pick<Settings, 'accounts'>,
  customerId: CustomerId,
  billedUnit: Micros | undefined,
) {
  const { dailyTotal, dailyExposure, budgetUnit } = accounts.get(customerId) ?? {};
  return { dailyTotalMax: dailyTotal, dailyExposureMax: dailyExposure, budgetUnit: billedUnit ?? budgetUnit };
}

export function holidaysOf(
  { accounts, holidays }: Pick<Settings, 'accounts' | 'holidays'>,
  customerId: CustomerId,
): ReadonlySet<CivilDate> {
  return accounts.get(customerId)?.holidays ?? holidays;
}

/** Uses the longest conversion window of all accounts, because rules are checked without an account. */
export function completenessOf({ accounts, extract }: Pick<Settings, 'accounts' | 'extract'>) {
  const ofAccounts = Array.from(accounts.values(), ({ conversionWindow }) => conversionWindow ?? 0);
  return { settleDays: extract.settleDays, conversionDays: Math.max(extract.conversionWindow, ...ofAccounts) };
}

/** For all accounts at once. Only accounts with another window than the others are named. */
export function conversionWindowsIn({ accounts, extract }: Pick<Settings, 'accounts' | 'extract'>) {
  const days = extract.conversionWindow;
  const all = Array.from(accounts, ([customer, { conversionWindow = days }]) => [customer, conversionWindow] as const);
  return { closesAt: extract.dayClosesAt, days, ofAccounts: new Map(all.filter(([, own]) => own !== days)) };
}

export function conversionDaysIn(
  { accounts, extract }: Pick<Settings, 'accounts' | 'extract'>,
  customerId: CustomerId,
): number {
  return accounts.get(customerId)?.conversionWindow ?? extract.conversionWindow;
}
