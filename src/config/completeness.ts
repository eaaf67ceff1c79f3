import type { CustomerId } from '../domain/ids.ts';
import type { Settings } from './settings.ts';

type CompletenessSettings = Pick<Settings, 'accounts' | 'extract'>;

/** Uses the longest conversion window of all accounts, because rules are checked without an account. */
export function completenessOf({ accounts, extract }: CompletenessSettings) {
  const ofAccounts = Array.from(accounts.values(), ({ conversionWindow }) => conversionWindow ?? 0);
  return { settleDays: extract.settleDays, conversionDays: Math.max(extract.conversionWindow, ...ofAccounts) };
}

export function conversionDaysIn({ accounts, extract }: CompletenessSettings, customerId: CustomerId): number {
  return accounts.get(customerId)?.conversionWindow ?? extract.conversionWindow;
}
