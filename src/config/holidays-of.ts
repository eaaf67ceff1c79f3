import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Settings } from './settings.ts';

export function holidaysOf(
  { accounts, holidays }: Pick<Settings, 'accounts' | 'holidays'>,
  customerId: CustomerId,
): ReadonlySet<CivilDate> {
  return accounts.get(customerId)?.holidays ?? holidays;
}
