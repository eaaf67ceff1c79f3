import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { App } from '../../app.ts';
import type { Application, BudgetDeps } from '../../budgets/budget-deps.ts';
import { mayHaveBeenSent } from '../../budgets/intent-words.ts';
import type { BudgetBook } from '../../budgets/read-budgets.ts';
import { applyIntents, settleIntents } from '../../budgets/settle-intents.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import { civilDateAt } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { DecisionResult } from '../../results/report-result.ts';
import { type Refusal, refused } from '../../rules/decide/refusal.ts';
import { notServing } from '../../rules/decide/what-serves.ts';
import type { Rule } from '../../rules/rule.ts';
import type { DecidedChange } from '../../store/budgets/decided-change.ts';
import type { Intent } from '../../store/budgets/intent-table.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import { intentResult } from '../evaluate/decision-results.ts';
import { lapsedRight, type RuleNamed } from '../evaluate/rules-now.ts';

/**
 * Brings to an end what earlier runs left open, account by account. `ruleNamed` gives the rules as they are now: a change without
 * an answer is sent again only where its rule could still make it.
 */
export async function settleLeftovers(
  app: App,
  ads: AdsConnection,
  left: readonly Intent[],
  accounts: readonly RunAccount[],
  ruleNamed: RuleNamed,
): Promise<DecisionResult[]> {
  const deps = sendPath(app, ads);
  const mayResend = (intent: Intent, book: BudgetBook) => {
    const needed = intent.origin === 'approval' ? 'approve' : 'apply';
    const rule = ruleNamed(intent.rule);
    if (rule === undefined || lapsedRight(intent, rule, app.settings.automation.mode, needed) !== undefined)
      return false;
    return notServedNow(rule, intent, book) === undefined;
  };
  return byAccount(app, left, async (customer, own) => {
    const today = todayOf(app, customer, accounts);
    if (today !== undefined) return settleIntents(deps, customer, own, today, mayResend);
    // What was never sent is given up without asking anybody; what may have been sent waits for the account.
    const unsent = own.filter((intent) => !mayHaveBeenSent(intent));
    return settleIntents(deps, customer, unsent, () => civilDateAt(app.clock.now(), 'UTC'), mayResend);
  });
}

/** Sends what was planned, account by account. */
export async function applyPlanned(
  app: App,
  ads: AdsConnection,
  planned: readonly Intent[],
  accounts: readonly RunAccount[],
): Promise<DecisionResult[]> {
  const deps = sendPath(app, ads);
  return byAccount(app, planned, async (customer, own) => {
    const today = todayOf(app, customer, accounts);
    return today === undefined ? new Map() : applyIntents(deps, customer, own, today);
  });
}

async function byAccount(
  app: App,
  intents: readonly Intent[],
  work: (customer: CustomerId, own: readonly Intent[]) => Promise<ReadonlyMap<bigint, Application>>,
): Promise<DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (const customer of new Set(intents.map(({ customerId }) => customerId))) {
    const own = intents.filter(({ customerId }) => customerId === customer);
    const ends = await work(customer, own);
    for (const intent of own) {
      const end = ends.get(intent.id) ?? leftOpen(intent);
      app.log.info(`Budget ${intent.budgetId} of account ${customer}: ${end.kind}`);
      results.push(intentResult(intent, end));
    }
  }
  return results;
}

function leftOpen(intent: Intent): Application {
  const kind = mayHaveBeenSent(intent) ? 'unknown' : 'postponed';
  return { kind, reason: 'Its budget could not be read: the account could not be read in this run.' };
}

function todayOf(app: App, customer: CustomerId, accounts: readonly RunAccount[]) {
  const account = accounts.find(({ customerId, failure }) => customerId === customer && failure === undefined);
  const timeZone = account?.timeZone;
  return timeZone === undefined ? undefined : () => civilDateAt(app.clock.now(), timeZone);
}

/**
 * Why a change that was decided before may not be made for its campaign now; undefined where it may. The campaign spends from
 * another budget, so that other campaigns would get the change, or none of those that the rule decided for runs.
 */
export function notServedNow(
  rule: Rule | undefined,
  { budgetId, campaignId }: Pick<DecidedChange, 'budgetId' | 'campaignId'>,
  { byCampaign }: Pick<BudgetBook, 'byCampaign'>,
): Refusal | undefined {
  const spending = [...byCampaign].filter(([, one]) => one.budgetId === budgetId);
  const own = campaignId === undefined ? spending : spending.filter(([id]) => id === campaignId);
  if (campaignId !== undefined && own.length === 0) {
    return refused('NOT_SERVING', { campaignId, budgetId });
  }
  const campaigns = own.map(([id, { campaignName, campaignStatus }]) => ({
    label: subjectOf({ campaignId: id, campaignName, budgetId }, 'with id'),
    status: campaignStatus,
  }));
  return rule && notServing(rule, campaigns);
}

/** What sends budget changes works with. */
export function sendPath(app: App, ads: AdsConnection): BudgetDeps {
  const { state, clock, log, passes, killSwitch, settings, stop } = app;
  return {
    ...{ state, ads, clock, log, passes, stop },
    frozen: (show) => killSwitch.frozen(show),
    readLagMs: settings.automation.readLagMinutes * 60_000,
    declared: (customer) => settings.budgets.get(customer) ?? new Map(),
    locale: (customer) => settings.accounts.get(customer)?.locale,
  };
}
