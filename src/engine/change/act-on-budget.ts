import { type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { DecisionResult, ReportResult, RunCommand } from '../../language/results/report-result.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import { decisionFailure } from '../../views/report/describe-results.ts';
import { findAccounts, type RunAccount, requireAds } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import type { BudgetDeps } from '../budgets/budget-deps.ts';
import type { Person, PersonalResult } from '../budgets/personal-change.ts';
import { aboutDecided, intentResult } from '../evaluate/planned-decision.ts';
import { NO_WORK, recordedRun, type Work } from '../recorded-run.ts';
import { deliverAlerts } from '../tell/deliver-alerts.ts';
import { sendPath } from './change-budgets.ts';

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
  /** Text such as "undo of B1 by anna". Undefined if only the rule requests the change. */
  readonly origin: string | undefined;
  /** If this function returns a result, no account is read and no budget changes. */
  readonly first?: (deps: BudgetDeps) => Promise<PersonalResult | undefined>;
}

/** A refused change is a failure for the person. The run gets the state `refused`, because nothing failed for others. */
export function actOnBudget(
  opened: App,
  command: RunCommand,
  { change, origin, first }: WantedChange,
  act: (on: ActingOn) => Promise<PersonalResult>,
): Promise<ReportResult> {
  return recordedRun(opened, { command, dryRun: false }, async (runId, app) => {
    const ads = requireAds(app, 'no budget can be changed');
    const refusal = await first?.(sendPath(app, ads));
    if (refusal) return told(app, change, origin, refusal, []);
    const accounts = await findAccounts(app, ads, [change.customerId]);
    const account = readable(accounts.found, change.customerId);
    if (typeof account === 'string') {
      return { ...NO_WORK, accounts: accounts.found, failures: [...accounts.failures, account].map(app.redact) };
    }
    const today = () => civilDateAt(app.clock.now(), account.timeZone);
    const result = await act({ runId, deps: sendPath(app, ads), ads, account, today });
    return told(app, change, origin, result, [account]);
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

async function told(
  app: App,
  change: DecidedChange,
  origin: string | undefined,
  result: PersonalResult,
  accounts: readonly RunAccount[],
): Promise<Work> {
  const decision: DecisionResult =
    result.kind === 'sent'
      ? intentResult(result.intent, result.application)
      : {
          ...aboutDecided(change),
          state: 'refused',
          code: result.code,
          origin,
          detail: result.reason,
          shown: result.shown,
          intentId: undefined,
          proposal: undefined,
        };
  const alerts = await deliverAlerts(app);
  const failures = result.kind === 'sent' ? sendFailures(decision) : [`Nothing was changed: ${result.reason}`];
  return {
    ...NO_WORK,
    ...alerts,
    accounts,
    decisions: [{ ...decision, isToldAsFailure: failures.length > 0 }],
    failures: [...failures, ...alerts.failures].map(app.redact),
    isRefusal: result.kind === 'refused',
  };
}

/** A person requested the change, so a change that was not made is a failure. */
function sendFailures(decision: DecisionResult): string[] {
  const { state, detail } = decision;
  if (state === 'superseded' || state === 'expired') return [`Nothing was changed: ${detail}`];
  if (state === 'postponed')
    return [`Nothing was changed: ${detail} The next run drops this change. Request it again after that run.`];
  return decisionFailure(decision);
}
