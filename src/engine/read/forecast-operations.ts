import type { Settings } from '../../config/settings.ts';
import { dueBetween } from '../../language/due-times.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type Account, changesReadFrom } from '../../storage/records/runs/account-table.ts';
import { unconcerned } from '../evaluate/evaluate-rules.ts';
import { accountToday } from './day-state.ts';
import { planSlices, withKnownDays } from './plan-extraction.ts';

export interface Forecast {
  /** Without budget changes, retries and halved answers. */
  readonly operations: number;
  readonly accounts: number;
  readonly runs: number;
}

const DAY_MS = 86_400_000;

/** The requests of all runs in the next 24 hours, counted by the plans of these runs. `db` is undefined before the first run. */
export async function forecastOperations(
  settings: Settings,
  { queries, rules }: { readonly queries: readonly QueryFile[]; readonly rules: readonly Rule[] },
  all: readonly Account[],
  db: StateDb | undefined,
  nowMs: number,
): Promise<Forecast> {
  const { excludeCustomerIds, accountsQuery } = settings.ads;
  const accounts = all.filter(
    ({ customerId, status = 'ENABLED' }) => status === 'ENABLED' && !excludeCustomerIds.includes(customerId),
  );
  const runs = runsOf(settings, nowMs);
  const roots = new Set(accounts.map(({ customerId, loginCustomerId }) => loginCustomerId ?? customerId)).size;
  // Every run lists the accounts below each root. One request for all asks for the smallest steps of amounts.
  let operations = runs.length * roots * (accountsQuery === undefined ? 1 : 2);
  if (accounts.some(({ budgetUnitMicros }) => budgetUnitMicros === undefined)) operations += 1;
  for await (const { account, known } of withKnownDays(db, queries, accounts)) {
    const { customerId, timeZone } = account;
    const own = runs.filter(({ options }) => options.customer?.includes(customerId) ?? true);
    const isRuled = rules.some((rule) => unconcerned(rule, account) === undefined);
    const reports = isRuled ? own.filter(({ job }) => job === 'report').length : 0;
    // A report reads the budgets, and once their history of changes.
    operations += reports;
    if (reports > 0 && (db && (await changesReadFrom(db, customerId))) === undefined) operations += 1;
    for (const { options, atMs } of own) {
      // Without a status in the list of accounts, every run asks the account itself.
      if (account.status === undefined) operations += 1;
      if (options.noExtract || options.resume) continue;
      for (const query of queries) {
        if (options.query?.includes(query.name) === false) continue;
        operations += planSlices(query, accountToday(timeZone, atMs), known(query)).length;
      }
    }
  }
  return { operations, accounts: accounts.length, runs: runs.length };
}

type PlannedRun = Pick<Settings['schedule'][number], 'job' | 'options'> & { readonly atMs: number };

/** Without scheduled runs, one report a day. */
function runsOf({ schedule }: Settings, nowMs: number): readonly PlannedRun[] {
  const runs = schedule.filter(({ job }) => job === 'report' || job === 'extract');
  const planned = runs.flatMap((run) => dueBetween(run, nowMs, nowMs + DAY_MS).map((atMs) => ({ ...run, atMs })));
  if (schedule.length > 0) return planned;
  const options = { query: undefined, customer: undefined, dryRun: false, noExtract: false, resume: false };
  return [{ job: 'report', options: { ...options, to: undefined, dir: undefined }, atMs: nowMs }];
}
