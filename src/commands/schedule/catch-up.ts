import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AppDeps, open } from '../../app.ts';
import type { ScheduledJob, Settings } from '../../config/settings.ts';
import { addDays, type CivilDate, daysBetween, overlapOf } from '../../domain/civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { QUERY_ENDINGS } from '../../engine/load-inputs.ts';
import { calendarOf, lastSettledDay } from '../../engine/read/day-state.ts';
import { countSettled } from '../../storage/records/runs/account-days.ts';
import { type ReadAccount, readAccounts } from '../../storage/records/runs/coverage-table.ts';

const LOOKED_AT_DAYS = 30;

/** A provisional day counts as a missing day. */
export async function isDayMissing(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  job: ScheduledJob,
): Promise<boolean> {
  if (!(await (await engineOf(settings)).hasRecords())) return true;
  return open(settings, deps, { what: 'state' }, async (app) => {
    const accounts = await readAccounts(app.state);
    if (accounts.length === 0) return true;
    const hasHole = holeFinder(app);
    for (const account of accounts) if (concerns(settings, job, account) && (await hasHole(account))) return true;
    return false;
  });
}

function concerns(
  { paths, ads: { excludeCustomerIds } }: Settings,
  { options }: ScheduledJob,
  { query, customerId, status }: ReadAccount,
): boolean {
  const isWanted = <Item>(list: readonly Item[] | undefined, item: Item) => list === undefined || list.includes(item);
  return (
    isWanted(options.query, query) &&
    isWanted(options.customer, customerId) &&
    !excludeCustomerIds.includes(customerId) &&
    (status === undefined || status === 'ENABLED') &&
    QUERY_ENDINGS.some((ending) => existsSync(join(paths.queries, query + ending)))
  );
}

function holeFinder({ settings, state, clock }: StateApp): (account: ReadAccount) => Promise<boolean> {
  const nowMs = clock.now();
  // Many accounts share a time zone, and computing the newest day is slow.
  const newestDays = new Map<string, CivilDate>();
  return async (account) => {
    const { query, timeZone, firstDay } = account;
    const key = `${query} ${timeZone}`;
    const newest = newestDays.get(key) ?? lastSettledDay(nowMs, calendarOf(settings.extract, query, timeZone));
    newestDays.set(key, newest);
    if (firstDay > newest) return false;
    const looked = { from: addDays(newest, 1 - LOOKED_AT_DAYS), to: newest };
    const days = overlapOf({ from: firstDay, to: newest }, looked) ?? looked;
    const asked = { name: account.query, text: account.fingerprint };
    return (await countSettled(state.db, asked, account.customerId, days)) < daysBetween(days.from, days.to) + 1;
  };
}
