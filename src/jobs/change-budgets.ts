import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import type { Application } from '../budgets/apply-intent.ts';
import { readBudgets } from '../budgets/read-budgets.ts';
import { settleIntent } from '../budgets/settle-intent.ts';
import { civilDateAt } from '../domain/civil-date.ts';
import { ApiError } from '../domain/errors.ts';
import type { DecisionResult } from '../report/report-result.ts';
import type { Verdict } from '../rules/evaluate-rule.ts';
import { type Intent, insertIntent } from '../store/intent-table.ts';
import { declaredFor } from './apply-rules.ts';
import type { RunAccount } from './discover-accounts.ts';

/** Commits an intent for each decision that may be applied; the others are proposals or refusals already. */
export async function planChanges(
  app: App,
  runId: bigint,
  verdicts: readonly Verdict[],
  accounts: readonly RunAccount[],
  dryRun: boolean,
): Promise<{ readonly intents: readonly Intent[]; readonly decisions: readonly DecisionResult[] }> {
  const intents: Intent[] = [];
  const decisions: DecisionResult[] = [];
  for (const verdict of verdicts) {
    const { decision } = verdict;
    if (!decision) continue;
    const result = decisionResult(verdict);
    const timeZone = accounts.find(({ customerId }) => customerId === verdict.customerId)?.timeZone;
    if (decision.kind === 'refused' || decision.mode !== 'apply' || dryRun || timeZone === undefined) {
      decisions.push(result);
      continue;
    }
    const { customerId, campaignId, campaignName, rule } = verdict;
    const { budgetId, currency, from, to, reason } = decision;
    const nowMs = app.clock.now();
    const accountDay = civilDateAt(nowMs, timeZone);
    const subject = { customerId, budgetId, campaignId, campaignName, currency, rule };
    const intent = await insertIntent(app.state.db, runId, { ...subject, accountDay, from, to, reason }, nowMs);
    if (intent) intents.push(intent);
    else decisions.push({ ...result, state: 'refused', detail: 'The budget already had its change of the day.' });
  }
  return { intents, decisions };
}

function decisionResult(verdict: Verdict): DecisionResult {
  const { rule, customerId, campaignId, campaignName, decision } = verdict;
  const about = { rule, customerId, campaignId, campaignName };
  if (decision?.kind !== 'change') {
    const none = { budgetId: undefined, currency: undefined, from: undefined, to: undefined };
    return { ...about, ...none, state: 'refused', reason: verdict.explanation, detail: decision?.reason };
  }
  const { budgetId, currency, from, to, reason } = decision;
  return { ...about, budgetId, currency, from, to, state: 'proposed', reason, detail: undefined };
}

/**
 * Brings intents to an end, account by account. Immediately before an account's first request its budgets are read, so
 * that a change made by someone else in the meantime is seen.
 */
export async function settleIntents(
  app: App,
  ads: AdsConnection,
  intents: readonly Intent[],
  accounts: readonly RunAccount[],
): Promise<DecisionResult[]> {
  const results: DecisionResult[] = [];
  for (const customerId of new Set(intents.map((intent) => intent.customerId))) {
    const own = intents.filter((intent) => intent.customerId === customerId);
    const timeZone = accounts.find((account) => account.customerId === customerId && !account.failure)?.timeZone;
    if (timeZone === undefined) {
      results.push(
        ...own.map((intent) => intentResult(intent, leftOpen(intent, 'the account could not be read in this run'))),
      );
      continue;
    }
    results.push(...(await settleAccount(app, ads, own, customerId, timeZone)));
  }
  return results;
}

async function settleAccount(
  app: App,
  ads: AdsConnection,
  intents: readonly Intent[],
  customerId: Intent['customerId'],
  timeZone: string,
): Promise<DecisionResult[]> {
  try {
    const book = await readBudgets({ ads, db: app.state.db }, customerId, declaredFor(app, { customerId }));
    const results: DecisionResult[] = [];
    for (const intent of intents) {
      const today = civilDateAt(app.clock.now(), timeZone);
      const application = await settleIntent({ ...app, ads }, intent, book, today, app.settings.mode === 'apply');
      app.log.info(`Budget ${intent.budgetId} of account ${customerId}: ${application.kind}`);
      results.push(intentResult(intent, application));
    }
    return results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return intents.map((intent) => intentResult(intent, leftOpen(intent, error.message)));
  }
}

function leftOpen(intent: Intent, why: string): Application {
  const kind = intent.state === 'sending' || intent.state === 'unknown' ? 'unknown' : 'postponed';
  return { kind, reason: `Its budget could not be read: ${why}` };
}

function intentResult(intent: Intent, application: Application): DecisionResult {
  const { rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason } = intent;
  return {
    ...{ rule, customerId, budgetId, campaignId, campaignName, currency, from, to, reason },
    state: application.kind,
    detail: 'reason' in application ? application.reason : undefined,
  };
}
