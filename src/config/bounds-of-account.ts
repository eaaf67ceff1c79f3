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
