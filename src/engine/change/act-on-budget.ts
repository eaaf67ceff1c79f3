import { type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import type { DecisionFacts } from '../../domain/decision-facts.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { ReportResult, RunCommand } from '../../language/results/report-result.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import { detailWords, endState } from '../../views/report/decision-words.ts';
import { decisionFailure } from '../../views/report/describe-results.ts';
import { findAccounts, type RunAccount, requireAds } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import type { BudgetDeps } from '../budgets/budget-deps.ts';
import type { Person, PersonalResult } from '../budgets/personal-change.ts';
import { NO_WORK, recordedRun, type Work } from '../recorded-run.ts';
import { deliverAlerts } from '../tell/deliver-alerts.ts';
import { changeFacts, refusedFacts, sendPath } from './change-budgets.ts';

export type Actor = Pick<Person, 'by' | 'reply' | 'showInstant'> & { readonly why: string | undefined };

export interface ActingOn {
  readonly runId: bigint;
  readonly deps: BudgetDeps;
  readonly ads: AdsConnection;
  readonly account: RunAccount & { readonly timeZone: string };
  /** Today in the account's time zone, computed again at each call. */
  today(): CivilDate;
}

export interface WantedChange {
  readonly change: DecidedChange & Partial<Pick<Intent, 'origin'>>;
  readonly by: string;
  /** For an undo: the id of the reversed change. */
  readonly undoes?: bigint;
  /** If this function returns a result, no account is read and no budget changes. */
  readonly first?: (deps: BudgetDeps) => Promise<PersonalResult | undefined>;
}

interface Outcome {
  readonly wanted: WantedChange;
  readonly result: PersonalResult;
}

/** Makes one change after the other. A refused change is a failure for the person. If all are refused, the run gets the state `refused`, because nothing failed for others. */
export function actOnBudgets<Wanted extends WantedChange>(
  opened: App,
  command: RunCommand,
  all: readonly Wanted[],
  act: (wanted: Wanted, on: ActingOn) => Promise<PersonalResult>,
): Promise<ReportResult> {
  return recordedRun(opened, { command, dryRun: false }, async (runId, app) => {
    const ads = requireAds(app, 'no budget can be changed');
    const deps = sendPath(app, ads);
    const outcomes: Outcome[] = [];
    const left: Wanted[] = [];
    for (const wanted of all) {
      const result = await wanted.first?.(deps);
      if (result) outcomes.push({ wanted, result });
      else left.push(wanted);
    }
    if (left.length === 0) return resultOf(app, outcomes, [], []);
    const customers = [...new Set(left.map(({ change }) => change.customerId))];
    // One account that is gone must not stop the others.
    const accounts = await findAccounts(app, ads, customers, customers.length === 1 ? 'refused' : 'skipped');
    const unread = new Set<string>();
    for (const wanted of left) {
      const account = readable(accounts.found, wanted.change.customerId);
      if (typeof account === 'string') {
        unread.add(account);
        continue;
      }
      const today = () => civilDateAt(app.clock.now(), account.timeZone);
      outcomes.push({ wanted, result: await act(wanted, { runId, deps, ads, account, today }) });
    }
    if (outcomes.length === 0)
      return { ...NO_WORK, accounts: accounts.found, failures: [...accounts.failures, ...unread].map(app.redact) };
    const failures = unread.size === 0 ? [] : [...accounts.failures, ...unread];
    return resultOf(app, outcomes, accounts.found, failures);
  });
}

function readable(
  accounts: readonly RunAccount[],
  customer: CustomerId,
): (RunAccount & { readonly timeZone: string }) | string {
  const account = accounts.find(({ customerId }) => customerId === customer);
  if (!account || account.failure !== undefined)
    return `Account ${customer} could not be read, so nothing was changed.`;
  const { timeZone } = account;
  if (timeZone !== undefined) return { ...account, timeZone };
  return `Unknown time zone of account ${customer}, so nothing was changed. Set accounts.${customer}.time_zone.`;
}

async function resultOf(
  app: App,
  outcomes: readonly Outcome[],
  accounts: readonly RunAccount[],
  unread: readonly string[],
): Promise<Work> {
  const decisions = outcomes.map(({ wanted: { change, by, undoes }, result }) =>
    result.kind === 'refused'
      ? refusedFacts(change, result.code, { by, undoes, because: result.reason })
      : changeFacts(result.intent),
  );
  const alerts = await deliverAlerts(app);
  const failures = outcomes.flatMap(({ result }, index) => {
    const decision = decisions[index];
    if (result.kind === 'refused') return [`Nothing was changed: ${result.reason}`];
    return decision === undefined ? [] : sendFailures(decision);
  });
  return {
    ...NO_WORK,
    ...alerts,
    accounts,
    decisions,
    failures: [...failures, ...unread, ...alerts.failures].map(app.redact),
    isRefusal: unread.length === 0 && outcomes.every(({ result }) => result.kind === 'refused'),
  };
}

/** A person requested the change, so a change that was not made is a failure. */
function sendFailures(decision: DecisionFacts): string[] {
  const state = endState(decision);
  const detail = detailWords(decision);
  if (state === 'superseded' || state === 'expired') return [`Nothing was changed: ${detail}`];
  if (state === 'postponed')
    return [`Nothing was changed: ${detail} The next run drops this change. Request it again after that run.`];
  return decisionFailure(decision);
}
